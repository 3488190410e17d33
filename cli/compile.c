/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile child: fork, generate, put the bytes into a memfd, end. The parent maps them.
 */
#define _GNU_SOURCE
#include "compile.h"
#include "runtime/log.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's exit status: the program's own when the script is at fault, or we are. */
enum { CHILD_SCRIPT = 1, CHILD_DEFECT = 3 };

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* _exit: what the parent has buffered must not be written twice, and LLVM's tear-down costs time. */
static void child(int memfd, const struct program *p, const struct plan *plan, enum codegen_stage stage)
{
	struct codegen_output out = {0};
	int err = codegen_run(p, plan, stage, &out);

	if (out.bytes && write_all(memfd, out.bytes, out.len))
		err = -1;
	free(out.bytes);
	_exit(err == 0 ? 0 : err > 0 ? CHILD_SCRIPT : CHILD_DEFECT);
}

int compile_start(struct compile *c, const struct program *p, const struct plan *plan,
		  enum codegen_stage stage)
{
	c->memfd = memfd_create("sonde-object", MFD_CLOEXEC);
	if (c->memfd < 0)
		return -errno;
	c->pid = fork();
	if (c->pid == 0)
		child(c->memfd, p, plan, stage);
	return c->pid < 0 ? -errno : 0;
}

static int map_bytes(int memfd, const void **bytes, size_t *len)
{
	struct stat st;
	void *at;

	if (fstat(memfd, &st))
		return -errno;
	at = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, memfd, 0) : NULL;
	if (at == MAP_FAILED)
		return -errno;
	*bytes = at;
	*len = (size_t)st.st_size;
	return 0;
}

static int report(int status, const char *message, size_t len)
{
	if (WIFSIGNALED(status)) {
		log_error("the compiler ended with signal %d (%s); this is a defect of sonde",
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
		return CHILD_DEFECT;
	}
	log_error("cannot compile this script: %.*s", (int)len, message ? message : "");
	return WEXITSTATUS(status);
}

int compile_wait(struct compile *c, const void **bytes, size_t *len)
{
	int status, err;

	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return CHILD_DEFECT;
	err = map_bytes(c->memfd, bytes, len);
	close(c->memfd);
	if (!err && status == 0)
		return 0;
	return report(status, err ? NULL : *bytes, err ? 0 : *len);
}

void compile_end(const void *bytes, size_t len)
{
	if (bytes)
		munmap((void *)(uintptr_t)bytes, len);
}
