/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches to functions of programs: uprobe_multi links where the kernel has them (6.6), else one
 * perf event for each function. What the kernel refuses is skipped and reported (attach_check.c).
 */
#include "runtime/attach/attach_check.h"
#include "runtime/attach/attach_slow.h"
#include "runtime/attach/step_watch.h"
#include "runtime/base/uapi_new.h"
#include "runtime/base/uprobe_device.h"
#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FIRST_BATCH = 1024, /* functions in the first link */
	REF_CTR_SHIFT = 32, /* of the semaphore's offset in a perf event's config */
};

/* The targets of one file. */
struct file_targets {
	struct session *s;
	uint32_t prog;
	const struct plan_target *targets;
	uint32_t n;
	struct zip_member file; /* the file that the kernel knows, and where in it theirs is */
	int type, return_bit;	/* of the perf event device */
	uint32_t n_refused;	/* behind the n others */
	uint32_t n_harmful;	/* of these */
	bool everywhere;	/* in all processes, also with -p */
};

static bool is_return(const struct file_targets *f)
{
	return prog_kind_is(f->s->plan->progs[f->prog].kind, PK_RETURN);
}

/* The process when only one is traced, else 0. */
static uint32_t only_process(const struct session *s)
{
	return s->config->scope == SONDE_SCOPE_PID ? s->config->scope_tgid : 0;
}

/* ---- multi links --------------------------------------------------------------------------- */

/* The arrays of a link, by target. */
struct link_lists {
	uint64_t *offsets, *cookies, *ref_ctrs;
};

uint32_t attach_only_process(const struct session *s)
{
	uint32_t pid = only_process(s);

	return pid && kernel_has(s->kernel, CAP_UPROBE_PROCESS) ? pid : 0;
}

static uint64_t semaphore_of(const struct file_targets *f, const struct plan_target *t)
{
	return t->ref_ctr ? t->ref_ctr + f->file.offset : 0;
}

static int multi_link(struct file_targets *f, uint32_t n, const struct link_lists *l)
{
	enum plan_prog_kind kind = f->s->plan->progs[f->prog].kind;
	struct new_link_create attr = {
		.prog_fd = (uint32_t)attach_fd(f->s, f->prog),
		.attach_type = prog_kind_is(kind, PK_SESSION) ? NEW_BPF_TRACE_UPROBE_SESSION
							      : NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi.path = (uintptr_t)f->file.archive,
		.uprobe_multi.offsets = (uintptr_t)l->offsets,
		.uprobe_multi.cookies = (uintptr_t)l->cookies,
		.uprobe_multi.ref_ctr_offsets =
			prog_kind_is(kind, PK_USDT) ? (uintptr_t)l->ref_ctrs : 0,
		.uprobe_multi.cnt = n,
		.uprobe_multi.flags = is_return(f) ? NEW_BPF_F_UPROBE_MULTI_RETURN : 0,
		.uprobe_multi.pid = f->everywhere ? 0 : attach_only_process(f->s),
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return attach_add(f->s, (struct link){.fd = fd, .closes_slowly = true});
}

/* These targets have got a link. */
static void note_linked(struct file_targets *f, uint32_t first, uint32_t n)
{
	struct link *l = &f->s->links.items[f->s->links.n - 1];
	bool is_counted = !f->everywhere && !f->s->plan->progs[f->prog].prefaults;

	l->n = n;
	for (uint32_t i = first; is_counted && i < first + n; i++) {
		l->n_stepped += f->targets[i].is_stepped;
		if (f->targets[i].is_stepped)
			step_watch_add(f->s, f->prog, &f->targets[i]);
	}
}

static int multi_some(void *ctx, uint32_t first, uint32_t n)
{
	struct file_targets *f = ctx;
	uint64_t *words = calloc(3 * (size_t)n, sizeof(*words));
	struct link_lists l = {words, words + n, words + 2 * (size_t)n};
	int err = words ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < n; i++) {
		l.offsets[i] = f->targets[first + i].offset + f->file.offset;
		l.cookies[i] = f->targets[first + i].cookie;
		l.ref_ctrs[i] = semaphore_of(f, &f->targets[first + i]);
	}
	if (!err && session_stopped(f->s))
		err = -EINTR;
	if (!err)
		err = multi_link(f, n, &l);
	if (!err)
		note_linked(f, first, n);
	free(words);
	return err;
}

/* ---- perf events --------------------------------------------------------------------------- */

/* The link keeps the event alive, so the descriptor of the event can be closed. */
static int link_event(struct file_targets *f, int event, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int fd = bpf_link_create(attach_fd(f->s, f->prog), event, BPF_PERF_EVENT, &opts);

	if (fd >= 0 && ioctl(event, PERF_EVENT_IOC_ENABLE, 0)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return attach_add(f->s, (struct link){.fd = fd, .closes_slowly = true});
}

/* Kernels before 5.15 have no links of perf events, and no cookies; one function needs none. */
static int set_program(struct file_targets *f, int event)
{
	int fd;

	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, attach_fd(f->s, f->prog)) ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	fd = fcntl(event, F_DUPFD_CLOEXEC, 0);
	return attach_add(f->s, (struct link){.fd = fd, .is_perf = true, .closes_slowly = true});
}

/* The only process whose code is changed; -1: all of them. A semaphore tells a program that it is
 * traced, so it must not be set in others. */
static int process_of(const struct file_targets *f)
{
	bool is_usdt = prog_kind_is(f->s->plan->progs[f->prog].kind, PK_USDT);

	return is_usdt && only_process(f->s) ? (int)only_process(f->s) : -1;
}

static int perf_one(struct file_targets *f, const struct plan_target *t)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (uint32_t)f->type,
		.config = (is_return(f) ? 1ull << f->return_bit : 0) | semaphore_of(f, t)
									       << REF_CTR_SHIFT,
		.uprobe_path = (uintptr_t)f->file.archive,
		.probe_offset = t->offset + f->file.offset,
	};
	int pid = process_of(f), cpu = pid < 0 ? 0 : -1, err;
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	err = link_event(f, fd, t->cookie);
	if (err == -EINVAL && !t->cookie)
		err = set_program(f, fd);
	close(fd);
	return err;
}

static int perf_item(void *ctx, uint32_t item)
{
	struct file_targets *f = ctx;
	int err = perf_one(f, &f->targets[item]);

	if (!err)
		note_linked(f, item, 1);
	return err;
}

static int by_perf(struct file_targets *f, struct attach_refused *refused)
{
	f->type = uprobe_device("type");
	f->return_bit = uprobe_device("format/retprobe");
	if (f->type < 0 || f->return_bit < 0)
		return -ENOENT;
	return attach_one_by_one(f->s, f->prog, "this kernel has no uprobe_multi links (6.6)",
				 perf_item, f, f->n, refused);
}

/* ---- refused functions --------------------------------------------------------------------- */

static const char *symbol_of(const void *ctx, uint32_t item)
{
	const struct file_targets *f = ctx;

	return f->targets[item].symbol;
}

/* Why some are refused that the kernel would accept, or NULL. */
static const char *why_harmful(const struct file_targets *f)
{
	return f->n_harmful ? "a probe on a nop of 5 bytes inside a function would corrupt the "
			      "program: this kernel replaces the nop by a call, which overwrites "
			      "what the function keeps below its stack pointer"
			    : NULL;
}

/* All functions were refused: an error, unless `missing_probes` allows it. */
static int report_none_left(const struct file_targets *f, int err)
{
	bool is_warning = f->s->plan->config.missing_probes == MISSING_WARN;
	const char *why = f->n + f->n_refused > 1
				  ? "all begin with instructions that the kernel cannot probe"
				  : "it begins with an instruction that the kernel cannot probe";

	if (!attach_is_instruction(err))
		return err;
	if (f->s->plan->config.missing_probes == MISSING_IGNORE ||
	    (is_warning && !f->s->plan->progs[f->prog].n_probes))
		return 0;
	attach_report(f->s,
		      (struct attach_report){f->prog, is_warning ? LOG_WARNING : LOG_ERROR, true},
		      "probe '%s': cannot attach: %s%s", session_prog_name(f->s, f->prog),
		      why_harmful(f) ?: why, is_warning ? ". Skipping" : "");
	return is_warning ? 0 : ATTACH_ERR_REPORTED;
}

/* ---- files --------------------------------------------------------------------------------- */

/* The cookie says which instruction is probed, so that the program knows what that costs. */
static void note_target(const struct file_targets *f, int file, struct plan_target *t)
{
	uint8_t code[16]; /* not of a mapping, where another tracer's breakpoint can be */
	ssize_t n;

	n = pread(file, code, sizeof(code), (off_t)(t->offset + f->file.offset));
	if (n <= 0)
		return;
	t->cookie |= f->s->tracer_time->attach(f->s, f->prog, code, (size_t)n);
}

static void note_targets(const struct file_targets *f, struct plan_target *targets)
{
	int file;

	if (!f->s->tracer_time || prog_kind_is(f->s->plan->progs[f->prog].kind, PK_USDT))
		return;
	file = open(f->file.archive, O_RDONLY | O_CLOEXEC);
	for (uint32_t i = 0; file >= 0 && i < f->n; i++)
		note_target(f, file, &targets[i]);
	if (file >= 0)
		close(file);
}

/* Does the kernel accept this function? The file is mapped, so it looks at the instruction. */
static int try_one(void *ctx, uint32_t item)
{
	struct file_targets *f = ctx;
	uint32_t before = f->s->links.n;
	int err;

	f->everywhere = true;
	err = multi_some(f, item, 1);
	f->everywhere = false;
	while (f->s->links.n > before)
		close(f->s->links.items[--f->s->links.n].fd);
	return err;
}

static int add_refused(const struct file_targets *f, struct attach_refused *refused)
{
	for (uint32_t i = 0; i < f->n_refused; i++)
		if (vec_push(refused, f->n + i))
			return -ENOMEM;
	refused->of += f->n_refused;
	refused->why = why_harmful(f);
	if (f->n_refused)
		refused->err = -EOPNOTSUPP;
	return f->n || !f->n_refused ? 0 : -EOPNOTSUPP;
}

static int attach_sorted(struct file_targets *f)
{
	struct attach_refused refused = {0};
	int err = !f->n ? 0
		  : kernel_has(f->s->kernel, CAP_UPROBE_MULTI)
			  ? attach_bisect(multi_some, f, f->n, FIRST_BATCH, &refused)
			  : by_perf(f, &refused);

	err = err ?: add_refused(f, &refused);
	attach_left_out(f->s, f->prog, &refused, symbol_of, f);
	if (err && refused.n == f->n + f->n_refused)
		err = report_none_left(f, err);
	vec_free(&refused);
	return err;
}

static int attach_file(struct file_targets *f)
{
	bool can_try = kernel_has(f->s->kernel, CAP_UPROBE_MULTI);
	struct checked_file c;
	int err = zip_member_find(f->targets->path, &f->file);

	if (err)
		return err;
	attach_warn_wide(f->s, f->prog, f->file.archive, f->n);
	err = check_file(&c, &f->file, f->targets, f->n, can_try ? try_one : NULL, f);
	if (!err) {
		f->n = c.n;
		f->n_refused = c.n_refused;
		f->n_harmful = c.n_harmful;
		f->targets = c.targets;
		note_targets(f, c.targets);
		err = attach_sorted(f);
	}
	check_end(&c);
	return err;
}

/* Where a call ends by a jump to another function, `delta` is shorter than its caller waits. */
static void report_jumps(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	bool is_span = g->n_probes && s->plan->probes[g->probes[0]].state.kind;
	uint32_t n = 0;

	for (uint32_t i = 0; is_span && i < g->n_targets; i++)
		n += g->targets[i].is_jump;
	if (n)
		log_verbose("%s: %u of %u places where calls end are jumps to other functions, "
			    "whose time is not in 'delta'",
			    session_prog_name(s, prog), n, g->n_targets);
}

int att_user_function(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	uint32_t n = 0;
	int err = 0;

	report_jumps(s, prog);
	for (uint32_t first = 0; first < g->n_targets && !err; first += n) {
		struct file_targets f = {.s = s, .prog = prog, .targets = &g->targets[first]};

		n = 1;
		while (first + n < g->n_targets &&
		       strcmp(g->targets[first].path, g->targets[first + n].path) == 0)
			n++;
		f.n = n;
		err = attach_file(&f);
	}
	return err;
}
