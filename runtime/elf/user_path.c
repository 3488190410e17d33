/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding programs and libraries: see user_path.h. If a process has another root directory or mount
 * namespace, its files are found below /proc/PID/root, and symbolic links are resolved there.
 */
#include "runtime/elf/user_path.h"
#include "runtime/elf/ldcache.h"
#include "parser/base/pattern.h"
#include "runtime/base/proc_maps.h"
#include "runtime/base/zip_member.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_same_files(uint32_t pid)
{
	char path[64], link[PATH_MAX];
	struct stat ours, theirs;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	if (stat(path, &theirs) || stat("/proc/self/ns/mnt", &ours))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	n = readlink(path, link, sizeof(link));
	return ours.st_ino == theirs.st_ino && (n < 0 || (n == 1 && link[0] == '/'));
}

void user_path_root(uint32_t pid, char out[PATH_MAX])
{
	out[0] = '\0';
	if (pid && !has_same_files(pid))
		snprintf(out, PATH_MAX, "/proc/%u/root", pid);
}

static bool is_same_file(const struct stat *a, const char *path)
{
	struct stat b;

	return stat(path, &b) == 0 && a->st_ino == b.st_ino && a->st_dev == b.st_dev;
}

/* Resolve `path` below `root`, with its symbolic links, as a process with that root would. */
static int resolve_below(const char *root, const char *path, char out[PATH_MAX])
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	char link[64], real[PATH_MAX];
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	struct stat there;
	ssize_t n;

	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	if (fd < 0)
		return errno == ENOTDIR ? -ENOENT : -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = '\0';
	/* use the path as given if sonde cannot open the path that the link of the descriptor
	 * names */
	if (snprintf(out, PATH_MAX, "%s%s", root, real) >= PATH_MAX || fstat(fd, &there) ||
	    !is_same_file(&there, out))
		n = snprintf(out, PATH_MAX, "%s/%s", root, path);
	close(fd);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Split /proc/PID/root/PATH: set *below to PATH. False for other paths. */
static bool is_below_root(const char *path, char root[PATH_MAX], const char **below)
{
	int end = 0;

	if (sscanf(path, "/proc/%*[0-9a-z-]/root%n", &end) || !end || path[end] != '/')
		return false;
	*below = path + end;
	return snprintf(root, PATH_MAX, "%.*s", end, path) < PATH_MAX;
}

/* The part of a path below a root that is a directory of sonde's own root (chroot): the kernel
 * reports whole paths to sonde. After pivot_root it reports paths below the other root anyway. */
static const char *without_root(const char *root, const char *path)
{
	char its[PATH_MAX];
	ssize_t n = readlink(root, its, sizeof(its) - 1);

	return n > 1 && strncmp(path, its, (size_t)n) == 0 && path[n] == '/' ? path + n : path;
}

/* Resolve a path in sonde's /proc. Its links (exe, root, cwd, fd/N) lead to files that the text of
 * the link may not name: the text is a path in the root of that process, which may have no /proc
 * and may not be reachable in another way. If there is a `root`, the result is a path in /proc,
 * too, as other paths of that root are. */
static int resolve_in_proc(const char *root, const char *path, char out[PATH_MAX])
{
	char link[PATH_MAX], its_root[PATH_MAX];
	const char *below;
	struct stat st;
	ssize_t n;
	int err;

	if (is_below_root(path, its_root, &below)) {
		err = resolve_below(its_root, below, out);
		if (!err && !*root && !stat(out, &st) && realpath(path, link) &&
		    is_same_file(&st, link))
			memcpy(out, link, sizeof(link));
		return err;
	}
	if (stat(path, &st)) {
		err = errno == ENOTDIR ? ENOENT : errno;
		return proc_error((uint32_t)strtoul(path + strlen("/proc/"), NULL, 10), err);
	}
	if (!*root && realpath(path, out) && is_same_file(&st, out))
		return 0;
	n = *root ? readlink(path, link, sizeof(link) - 1) : 0;
	link[n > 0 ? n : 0] = '\0';
	if (*link == '/' && !resolve_below(root, without_root(root, link), out) &&
	    is_same_file(&st, out))
		return 0;
	return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int resolve(uint32_t pid, const char *path, char out[PATH_MAX])
{
	char root[PATH_MAX];

	user_path_root(pid, root);
	if (strncmp(path, "/proc/", 6) == 0)
		return resolve_in_proc(root, path, out);
	if (!*root)
		return realpath(path, out) ? 0 : errno == ENOTDIR ? -ENOENT : -errno;
	return resolve_below(root, path, out);
}

/* Resolve a path from /proc/PID/maps. */
static int resolve_mapped(uint32_t pid, const char *path, char out[PATH_MAX])
{
	char root[PATH_MAX];

	user_path_root(pid, root);
	return resolve(pid, *root ? without_root(root, path) : path, out);
}

static bool is_elf(const char *path)
{
	char magic[SELFMAG] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG &&
		  memcmp(magic, ELFMAG, SELFMAG) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/* Find the first program of that name in $PATH. Scripts, such as those that choose one of several
 * versions, are used only if there is nothing else. */
static int find_program(const char *root, const char *name, char found[PATH_MAX])
{
	const char *dir = getenv("PATH"), *end;
	char full[PATH_MAX], script[PATH_MAX] = "";
	struct stat st;
	int len;

	for (; dir && *dir; dir = *end ? end + 1 : end) {
		end = strchrnul(dir, ':');
		len = snprintf(found, PATH_MAX, "%.*s/%s", (int)(end - dir), dir, name);
		if (end == dir || len >= PATH_MAX ||
		    snprintf(full, sizeof(full), "%s%s", root, found) >= PATH_MAX ||
		    stat(full, &st) || !S_ISREG(st.st_mode) || access(full, X_OK))
			continue;
		if (is_elf(full))
			return 0;
		if (!*script)
			memcpy(script, found, PATH_MAX);
	}
	memcpy(found, script, PATH_MAX);
	return *script ? 0 : -ENOENT;
}

struct library_search {
	const char *name;
	char *found;
	user_path_fn *fn;
	void *ctx;
};

static int offer_mapped(const struct proc_mapping *m, void *ctx)
{
	const struct library_search *s = ctx;

	if (!m->is_executable || m->is_deleted || m->path[0] != '/')
		return 0;
	if (ldcache_is_library(strrchr(m->path, '/') + 1, s->name) &&
	    snprintf(s->found, PATH_MAX, "%s", m->path) < PATH_MAX)
		return 1;
	if (s->fn)
		s->fn(m->path, s->ctx);
	return 0;
}

/* Find the library that the process has mapped. */
static int find_mapped(uint32_t pid, const char *name, char found[PATH_MAX], user_path_fn *fn,
		       void *ctx)
{
	struct library_search s = {name, found, fn, ctx};

	return proc_maps_each(pid, offer_mapped, &s) > 0 ? 0 : -ESRCH;
}

static int find_library(uint32_t pid, const char *root, const char *name, char out[PATH_MAX])
{
	char found[PATH_MAX];

	if (pid && !find_mapped(pid, name, found, NULL, NULL))
		return resolve_mapped(pid, found, out);
	return ldcache_search(root, EM_NONE, name, !*root, found) ?: resolve(pid, found, out);
}

/* ARCHIVE!/MEMBER: the archive's path is resolved. */
static int find_member(uint32_t pid, const char *name, const char *member, char out[PATH_MAX])
{
	struct zip_member m;
	char archive[PATH_MAX], found[PATH_MAX];
	int err;

	if (snprintf(archive, sizeof(archive), "%.*s", (int)(member - name) - 2, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = resolve(pid, archive, found);
	if (err)
		return err;
	if (snprintf(out, PATH_MAX, "%s!/%s", found, member) >= PATH_MAX)
		return -ENAMETOOLONG;
	return zip_member_find(out, &m);
}

int user_path_find(uint32_t pid, const char *name, char out[PATH_MAX])
{
	char root[PATH_MAX], found[PATH_MAX];
	bool is_library = strncmp(name, "lib", 3) == 0 || strstr(name, ".so");
	int err;

	if (zip_member_of(name))
		return find_member(pid, name, zip_member_of(name), out);
	if (strchr(name, '/'))
		return resolve(pid, name, out);
	user_path_root(pid, root);
	err = is_library ? find_library(pid, root, name, out) : -ENOENT;
	if (err && !find_program(root, name, found))
		err = resolve(pid, found, out);
	if (err && !is_library)
		err = find_library(pid, root, name, out);
	return err;
}

/* Convert a pattern of sonde for glob(3): '[' is literal in sonde's patterns. */
static void glob_text(const char *pattern, char out[2 * PATH_MAX])
{
	for (; *pattern; *out++ = *pattern++)
		if (*pattern == '[' || *pattern == '\\')
			*out++ = '\\';
	*out = '\0';
}

int user_path_each(uint32_t pid, const char *pattern, user_path_fn *fn, void *ctx)
{
	char root[PATH_MAX], full[PATH_MAX], escaped[2 * PATH_MAX], real[PATH_MAX];
	glob_t found = {0};
	bool has_root;
	struct stat st;
	int err;

	user_path_root(pid, root);
	has_root = *root;
	/* sonde's own /proc: see resolve_in_proc() */
	if (strncmp(pattern, "/proc/", 6) == 0)
		root[0] = '\0';
	if (snprintf(full, sizeof(full), "%s%s", root, pattern) >= PATH_MAX)
		return -ENAMETOOLONG;
	glob_text(full, escaped);
	err = glob(escaped, pattern_has_alternatives(full) ? GLOB_BRACE : 0, NULL, &found);
	for (size_t i = 0; !err && i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];

		/* a symbolic link and its target are one file: report the target */
		if (!stat(path, &st) && S_ISREG(st.st_mode) &&
		    (has_root ? snprintf(real, sizeof(real), "%s", path) > 0
			      : !resolve(0, path, real)))
			fn(real, ctx);
	}
	globfree(&found);
	return err == GLOB_NOSPACE ? -ENOMEM : 0;
}

int user_path_mapped(uint32_t pid, const char *name, char out[PATH_MAX], user_path_fn *fn,
		     void *ctx)
{
	char found[PATH_MAX];
	int err = find_mapped(pid, name, found, fn, ctx);

	return err ? err : resolve_mapped(pid, found, out);
}
