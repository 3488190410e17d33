/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A breakpoint in a file is one in every process that has mapped the file, also where the script
 * traces only one of them. With thousands of functions of libc that slows the whole machine down.
 */
#include "parser/base/text.h"
#include "runtime/base/proc_children.h"
#include "runtime/base/proc_maps.h"
#include "runtime/attach/attach.h"
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 1000 };

struct search {
	const char *path;
	uint64_t inode;
	uint32_t command; /* the process of -c */
	uint32_t n;	  /* processes that have mapped the file */
};

/* Devices are not compared: those of some file systems (overlay) differ from what stat() says. */
static int is_of_file(const struct proc_mapping *m, void *ctx)
{
	const struct search *f = ctx;

	return m->is_executable && m->inode == f->inode &&
	       strcmp(text_base_name(m->path), text_base_name(f->path)) == 0;
}

static int count_process(void *ctx, uint32_t pid)
{
	struct search *f = ctx;

	if (pid != (uint32_t)getpid() && pid != f->command)
		f->n += proc_maps_each(pid, is_of_file, f) > 0;
	return 0;
}

/* Processes that run code of the file, without this one and the command of -c. */
static uint32_t count_processes(const struct session *s, const char *path)
{
	char *real = realpath(path, NULL);
	struct search f = {.path = real ? real : path, .command = s->config->command_tgid};
	struct stat st;

	f.inode = stat(path, &st) == 0 ? st.st_ino : 0;
	(void)proc_each_process(count_process, &f);
	free(real);
	return f.n;
}

void attach_warn_wide(const struct session *s, uint32_t prog, const char *path, uint32_t n)
{
	uint32_t n_processes;

	if (n < MANY || !s->plan->progs[prog].n_probes || attach_only_process(s))
		return;
	n_processes = count_processes(s, path);
	if (n_processes < 2)
		return;
	log_warning("%s: %u functions of %s, which %u running processes use: each call of these "
		    "functions in any of them takes longer while this runs%s; -p PID limits the "
		    "probes to one process, a narrower pattern to fewer functions",
		    session_prog_name(s, prog), n, path, n_processes,
		    s->config->scope == SONDE_SCOPE_ALL ? "" : ", also where it is not traced");
}
