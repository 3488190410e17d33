/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a program with the att_* hook of its kind, and reports what the kernel refuses. Has the
 * hooks of raw and typed tracepoints, whose link is one descriptor (0.15 ms to detach); the others
 * are in attach_*.c.
 */
#include "runtime/attach/attach.h"
#include "parser/base/text.h"
#include "runtime/base/io.h"
#include "runtime/base/limit_hint.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

int attach_fd(const struct session *s, uint32_t prog)
{
	return bpf_program__fd(s->progs[prog]);
}

int attach_add(struct session *s, struct link l)
{
	if (l.fd < 0)
		return -errno;
	if (!vec_push(&s->links, l))
		return 0;
	close(l.fd);
	return -ENOMEM;
}

/* The link's descriptor keeps the program attached. The descriptor of its perf event stays open,
 * too, until this process ends. */
int attach_libbpf_link(struct session *s, struct bpf_link *link)
{
	int fd;

	if (!link)
		return -errno;
	fd = bpf_link__fd(link);
	bpf_link__disconnect(link);
	bpf_link__destroy(link);
	return attach_add(s, (struct link){.fd = fd, .closes_slowly = true});
}

int att_nothing(struct session *s, uint32_t prog)
{
	return 0;
}

/* `event`: NULL for typed programs. */
static int open_raw(struct session *s, uint32_t prog, const char *event, bool closes_slowly)
{
	int fd = bpf_raw_tracepoint_open(event, attach_fd(s, prog));

	return attach_add(s, (struct link){.fd = fd, .closes_slowly = closes_slowly});
}

int att_raw(struct session *s, uint32_t prog)
{
	return open_raw(s, prog, s->plan->progs[prog].event, false);
}

/* Where calls end that never return: see docs/internals/spans.md. */
int att_thread_ends(struct session *s, uint32_t prog)
{
	return open_raw(s, prog, "sched_process_exit", false)
		       ?: open_raw(s, prog, "sched_process_exec", false);
}

int att_typed(struct session *s, uint32_t prog)
{
	return open_raw(s, prog, NULL, false);
}

/* Detaching waits until no task runs on the trampoline. */
int att_trampoline(struct session *s, uint32_t prog)
{
	return open_raw(s, prog, NULL, true);
}

static att_fn *const attachers[] = {
#define PROG_KIND(id, name, section, frames, gen, attach, ...) [PP_##id] = attach,
#include "parser/lang/prog_kinds.def"
};

_Static_assert(sizeof(attachers) / sizeof(*attachers) == PP_KIND_COUNT, "one hook for each kind");

/* Hidden programs cannot be skipped, because the others would measure wrong values without them. An
 * interrupt or lack of memory is no refusal. */
bool attach_can_skip(const struct session *s, const struct plan_prog *g, int err)
{
	return s->plan->config.missing_probes != MISSING_ERROR && (g->n_probes || g->n_starts) &&
	       err != -EINTR && err != -ENOMEM;
}

/* Debian's kernels know a level 3, at which CAP_PERFMON does not open perf events. */
static bool is_paranoid(void)
{
	return (int)io_read_number("/proc/sys/kernel/perf_event_paranoid") > 2;
}

static const char *what_to_try(int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		return geteuid() && is_paranoid()
			       ? "; run as root, or set kernel.perf_event_paranoid to 2"
			       : "; run as root";
	case ENOENT: return "; this kernel does not have it";
	default: return limit_hint(err);
	}
}

enum { ERR_NOTSUPP = 524 }; /* internal to the kernel, so strerror() does not know it */

/* For kernel functions, some error numbers do not mean what strerror() says. */
static const char *why_not(const struct plan_prog *g, int err)
{
	if (!prog_kind_is(g->kind, PK_KERNEL_FUNCTION))
		return strerror(-err);
#ifdef __aarch64__
	if (err == -EINVAL && plan_n_targets(g) == 1 && g->targets->offset & 3)
		err = -EILSEQ; /* as x86-64 says */
#endif
	switch (-err) {
	case ERR_NOTSUPP:
		return "the kernel does not support it here, for example with more than six arguments";
	case EILSEQ: return "no instruction begins at that offset";
	case EADDRNOTAVAIL:
		return "several functions have that name: write MODULE:FUNCTION, or a pattern to probe all "
		       "of them";
	case EINVAL:
	case EBUSY: return "the kernel allows no probe there";
	default: return strerror(-err);
	}
}

/* Report an error, a warning or nothing, as `missing_probes` demands. `why`: the reason in words of
 * the probe type, or NULL. */
static void report_refused(struct session *s, uint32_t prog, int err, const char *why)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	bool can_go = attach_can_skip(s, g, err);

	if (can_go && s->plan->config.missing_probes == MISSING_IGNORE)
		return;
	attach_report(s, (struct attach_report){prog, can_go ? LOG_WARNING : LOG_ERROR, true},
		      "probe '%s': %s%s%s%s", session_prog_name(s, prog),
		      why ? "" : "cannot attach: ", why ? why : why_not(g, err),
		      why ? "" : what_to_try(err), can_go ? ". Skipping" : "");
}

bool attach_is_instruction(int err)
{
#ifdef __aarch64__
	if (err == -EINVAL) /* arch_uprobe_analyze_insn() there */
		return true;
#endif
	return err == -ERR_NOTSUPP || err == -EOPNOTSUPP;
}

enum { NAMES_SHOWN = 5 };

void attach_left_out(struct session *s, uint32_t prog, const struct attach_refused *r,
		     attach_symbol_fn *symbol, const void *ctx)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	bool is_known = attach_is_instruction(r->err) && !prog_kind_is(g->kind, PK_KERNEL_FUNCTION);
	const char *why = r->why     ? r->why
			  : is_known ? "they begin with an instruction that cannot be probed"
				     : NULL;
	char names[1024] = "";

	if (!g->n_probes || !r->n)
		return;
	s->n_refused += r->n;
	if (s->plan->config.missing_probes == MISSING_IGNORE || r->n == r->of)
		return;
	for (uint32_t i = 0; i < r->n && i < NAMES_SHOWN; i++)
		TEXT_LIST(names, sizeof(names), "%s", symbol(ctx, r->items[i]));
	attach_report(s, (struct attach_report){prog, LOG_WARNING, false},
		      "%s: the kernel allows no probe on %zu of %u functions%s%s%s, left out: %s%s",
		      session_prog_name(s, prog), r->n, r->of, why ? " (" : "", why ?: "",
		      why ? ")" : "", names, r->n > NAMES_SHOWN ? ", …" : "");
}

int attach_prog(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	bool is_loaded = bpf_program__autoload(s->progs[prog]); /* else it was refused */
	int err = is_loaded ? attachers[g->kind](s, prog) : 0;
	const char *why = !err				   ? NULL
			  : prog_kind_is(g->kind, PK_ITER) ? attach_iter_refusal(err)
							   : attach_event_refusal(s, g, err);

	if (err && err != ATTACH_ERR_REPORTED && err != -EINTR && !g->prefaults)
		report_refused(s, prog, err, why);
	return err;
}
