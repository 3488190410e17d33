/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links to programs: see proc_program.h.
 */
#include "runtime/base/proc_program.h"
#include "parser/base/text.h"
#include "runtime/base/io.h"
#include "runtime/base/proc_maps.h"
#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	AUXV_MAX = 64,
	COMM_MAX = 15, /* bytes of a thread's name */
};

/* The path that was passed to execve(): AT_EXECFN. */
static bool read_exec_path(uint32_t pid, char out[PATH_MAX])
{
	union {
		Elf64_auxv_t entries[AUXV_MAX];
		char bytes[AUXV_MAX * sizeof(Elf64_auxv_t) + 1];
	} auxv;
	ssize_t n = io_read_proc(pid, "auxv", auxv.bytes, sizeof(auxv.bytes), 0);

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(auxv.entries[0]); i++)
		if (auxv.entries[i].a_type == AT_EXECFN)
			return io_read_proc(pid, "mem", out, PATH_MAX, auxv.entries[i].a_un.a_val) >
				       0 &&
			       *out;
	return false;
}

/* Does the path, as the process would resolve it, lead to the program that it runs? */
static bool leads_to_program(uint32_t pid, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_NO_MAGICLINKS |
					  (*path == '/' ? RESOLVE_IN_ROOT : 0)};
	struct stat program, there;
	char folder[48], exe[48];
	bool is_same = false;
	int dir, fd;

	snprintf(folder, sizeof(folder), "/proc/%u/%s", pid, *path == '/' ? "root" : "cwd");
	snprintf(exe, sizeof(exe), "/proc/%u/exe", pid);
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return false;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd >= 0) {
		is_same = !fstat(fd, &there) && !stat(exe, &program) &&
			  there.st_dev == program.st_dev && there.st_ino == program.st_ino;
		close(fd);
	}
	close(dir);
	return is_same;
}

/* Put the working directory in front of a relative path. */
static bool make_absolute(uint32_t pid, char path[PATH_MAX])
{
	char cwd[48], folder[PATH_MAX], whole[PATH_MAX];
	const char *rest = path;
	ssize_t n;

	if (*path == '/')
		return true;
	while (rest[0] == '.' && rest[1] == '/')
		rest += 2;
	snprintf(cwd, sizeof(cwd), "/proc/%u/cwd", pid);
	n = readlink(cwd, folder, sizeof(folder) - 1);
	if (n <= 0)
		return false;
	folder[n] = '\0';
	n = snprintf(whole, sizeof(whole), "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, rest);
	if (n >= PATH_MAX)
		return false;
	memcpy(path, whole, (size_t)n + 1);
	return true;
}

static bool is_other_name(uint32_t pid, const char *mapped, char run[PATH_MAX])
{
	return strcmp(text_base_name(mapped), text_base_name(run)) != 0 &&
	       leads_to_program(pid, run) && make_absolute(pid, run);
}

bool proc_program_path(uint32_t pid, char out[PATH_MAX])
{
	char exe[48];
	ssize_t n;

	snprintf(exe, sizeof(exe), "/proc/%u/exe", pid);
	n = readlink(exe, out, PATH_MAX - 1);
	if (n <= 0)
		return false;
	out[n] = '\0';
	out[proc_maps_path_length(out)] = '\0';
	return true;
}

bool proc_program_link(uint32_t pid, const char *mapped, const char *comm, char run[PATH_MAX])
{
	if (*comm && strncmp(comm, text_base_name(mapped), COMM_MAX) == 0)
		return false; /* nearly always */
	if (read_exec_path(pid, run) && is_other_name(pid, mapped, run))
		return true;
	return io_read_proc(pid, "cmdline", run, PATH_MAX, 0) > 0 && strchr(run, '/') &&
	       is_other_name(pid, mapped, run);
}

bool proc_program_sibling(const char *mapped, const char *name, char run[PATH_MAX])
{
	int folder = (int)(text_base_name(mapped) - mapped);
	struct stat a, b;

	if (!*name || strchr(name, '/') || strcmp(text_base_name(mapped), name) == 0 ||
	    snprintf(run, PATH_MAX, "%.*s%s", folder, mapped, name) >= PATH_MAX)
		return false;
	return !stat(mapped, &a) && !stat(run, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
