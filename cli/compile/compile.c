/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile child: a fork that generates the object, prints errors of the script, writes the
 * bytes to a memfd and exits. The parent maps the memfd.
 */
#include "cli/compile/compile.h"
#include "cli/base/diag_report.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"
#include "runtime/base/io.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/progress.h"
#include "runtime/base/oom_score.h"
#include "runtime/load/link.h"
#include "runtime/load/memory_needed.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of sonde; the child ends with one of them, too. */
enum { SCRIPT_WRONG = 1, SYSTEM_FAILED = 2, SONDE_DEFECT = 3 };

/* What the child says at its end. */
struct report {
	int status;
	uint64_t gen_ns, llvm_ns;
};

/* Return no freed memory to the kernel: it is soon allocated again, and the process ends soon. */
static void keep_memory(void)
{
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 4 << 20);
}

/* Ends with _exit(), so that output buffered by the parent is not written twice. The status lets
 * the parent continue a millisecond earlier: the kernel has yet to free LLVM's memory. */
static void child(const struct compile *c, int done, const struct program *p,
		  const struct plan *plan, enum codegen_stage stage)
{
	struct diags d = {.arena = arena_new(), .source = p->source};
	struct codegen_output out = {0};
	struct report report;
	int err;

	keep_memory();
	/* if memory runs out, the tracer should be left to report it */
	err = oom_score_set(OOM_SCORE_COMPILER);
	if (err)
		log_verbose("cannot set oom_score_adj: %s", strerror(-err));
	err = confine_self();
	if (err) /* an old kernel, or a container that filters these calls */
		log_verbose("the compiler runs with all privileges: %s", strerror(-err));
	err = codegen_run(p, plan, stage, &d, &out);
	if (d.n)
		progress_clear_inherited();
	diag_report(&d);
	report = (struct report){.status = err == 0  ? 0
					   : err > 0 ? SCRIPT_WRONG
						     : SONDE_DEFECT,
				 .gen_ns = out.gen_ns,
				 .llvm_ns = out.llvm_ns};
	err = out.bytes ? io_write(c->memfd, out.bytes, out.len) : 0;
	if (err)
		report.status = err;
	_exit(io_write(done, (const char *)&report, sizeof(report)) ? SYSTEM_FAILED : 0);
}

static int start(struct compile *c, const struct program *p, const struct plan *plan,
		 enum codegen_stage stage)
{
	int done[2], err;

	*c = (struct compile){.memfd = memfd_create("sonde-object", MFD_CLOEXEC),
			      .done = -1,
			      .plan = plan,
			      .program = stage == CODEGEN_ELF ? p : NULL};
	if (c->memfd < 0 || pipe2(done, O_CLOEXEC))
		return -errno;
	c->pid = fork();
	if (c->pid == 0)
		child(c, done[1], p, plan, stage);
	err = c->pid < 0 ? -errno : 0;
	close(done[1]);
	c->done = done[0];
	return err;
}

int compile_start(struct compile *c, const struct program *p, const struct plan *plan,
		  enum codegen_stage stage)
{
	int err = start(c, p, plan, stage);

	if (err)
		log_error("cannot start the compiler: %s%s", strerror(-err),
			  limit_hint_process(err));
	return err;
}

static int map_bytes(struct compile *c)
{
	struct stat st;
	void *at;

	if (fstat(c->memfd, &st))
		return -errno;
	at = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, c->memfd, 0)
			: NULL;
	if (at == MAP_FAILED)
		return -errno;
	c->bytes = at;
	c->len = (size_t)st.st_size;
	return 0;
}

static int reap(struct compile *c)
{
	int status = 0;

	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	return status;
}

static int report_system(const char *what, int err)
{
	log_error("%s: %s%s", what, strerror(-err), limit_hint(err));
	return SYSTEM_FAILED;
}

/* SIGKILL comes from the kernel's out-of-memory killer. LLVM aborts when an allocation fails, which
 * is no defect if the limit of virtual memory is near to what the script needs. */
static bool ran_out_of_memory(const struct compile *c, int status)
{
	uint64_t need = c->plan ? session_memory_needed(c->plan) : 0;

	return WIFSIGNALED(status) &&
	       (WTERMSIG(status) == SIGKILL || (limit_is_virtual() && limit_memory() / 2 < need));
}

static int report_no_memory(const struct compile *c, int status)
{
	uint64_t need = c->plan ? session_memory_needed(c->plan) : 0;

	log_error(
		"the compiler ended with signal %d (%s), probably for lack of memory%s: this script "
		"needs about %llu MiB",
		WTERMSIG(status), strsignal(WTERMSIG(status)), limit_hint(-ENOMEM),
		(unsigned long long)(need >> 20));
	return SYSTEM_FAILED;
}

/* The child ended without writing its status. */
static int report_crash(struct compile *c)
{
	int status = reap(c);

	if (WIFEXITED(status) && WEXITSTATUS(status) == CODEGEN_TOO_LONG) {
		log_error(
			"cannot compile this script: the body of a probe exceeds the maximum length of a "
			"BPF program: split it into several probes");
		return SCRIPT_WRONG;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == SYSTEM_FAILED)
		return report_system("the compiler cannot write its status", -EIO);
	if (ran_out_of_memory(c, status))
		return report_no_memory(c, status);
	if (WIFSIGNALED(status))
		log_error("the compiler ended with signal %d (%s); this is a defect of sonde",
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		log_error("the compiler ended with status %d; this is a defect of sonde",
			  WEXITSTATUS(status));
	return SONDE_DEFECT;
}

/* Replace the object by one that also has the imported functions. */
static int link_imports(struct compile *c)
{
	const struct program *p = c->program;
	void *linked = NULL;
	size_t len;
	int err;

	if (!p || !p->n_bpf_imports)
		return 0;
	err = session_link_imports(p->bpf_imports, p->n_bpf_imports, c->bytes, c->len, &linked,
				   &len);
	if (err || !linked)
		return err;
	munmap((void *)(uintptr_t)c->bytes, c->len);
	c->bytes = NULL;
	err = ftruncate(c->memfd, 0) || lseek(c->memfd, 0, SEEK_SET) < 0 ? -errno : 0;
	if (!err)
		err = io_write(c->memfd, linked, len);
	free(linked);
	return err ? err : map_bytes(c);
}

int compile_wait(struct compile *c)
{
	struct report report;
	int status, err;
	ssize_t n;

	n = TEMP_FAILURE_RETRY(read(c->done, &report, sizeof(report)));
	if (n < 0)
		return report_system("cannot read the status of the compiler", -errno);
	if (n != sizeof(report))
		return report_crash(c);
	status = report.status;
	progress_elsewhere(STAGE_CODEGEN, report.gen_ns);
	progress_elsewhere(STAGE_LLVM, report.llvm_ns);
	if (status < 0)
		return report_system("cannot store the compiled program", status);
	err = map_bytes(c);
	if (err)
		return report_system("cannot map the compiled program", err);
	if (status == SONDE_DEFECT)
		log_error("cannot compile this script: %.*s; this is a defect of sonde",
			  (int)c->len, c->bytes ? (const char *)c->bytes : "");
	err = status ? 0 : link_imports(c);
	if (!err)
		return status;
	status = report_system("cannot link the imported functions", err);
	if (err == -EINVAL)
		log_hint(
			"imported C must have the license of the script: config = { license = … }");
	return status;
}

void compile_end(struct compile *c)
{
	if (c->bytes)
		munmap((void *)(uintptr_t)c->bytes, c->len);
	if (c->memfd >= 0)
		close(c->memfd);
	if (c->done >= 0)
		close(c->done);
	reap(c);
}
