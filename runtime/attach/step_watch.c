/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the hits of uprobes that the kernel single-steps.
 *
 * A program of a few instructions is attached to them besides the script's. It adds 1 to an element
 * of a per-CPU array, whose index is in the cookie. That takes about 50 ns of the 11 us that such a
 * hit takes in a virtual machine; where the script's own probes are cheap, nothing is added.
 */
#include "runtime/attach/step_watch.h"
#include "runtime/base/clock.h"
#include "runtime/attach/attach.h"
#include "runtime/session/prep.h"
#include "runtime/attach/uprobe_program.h"
#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TARGETS_MAX = 16384,
	FIRST_BATCH = 1024,
	RATE_MAX = 1000, /* hits a second that nobody notices */
	HITS_MIN = 1000, /* in a short run */
	SECOND_NS = 1000000000,
};

struct watched {
	const char *path, *symbol;
	const char *why; /* NULL: not known */
	uint64_t offset;
	uint64_t hits;
	uint32_t prog;
	bool is_entry;
};

struct step_watch {
	VEC(struct watched) targets;
	int map, prog;
	uint64_t start_ns, ns;
};

void step_watch_add(struct session *s, uint32_t prog, const struct plan_target *t)
{
	struct watched w = {.path = t->path,
			    .symbol = t->symbol,
			    .why = t->why_stepped,
			    .offset = t->offset,
			    .is_entry = t->is_entry,
			    .prog = prog};

	if (!s->step_watch)
		s->step_watch = calloc(1, sizeof(*s->step_watch));
	if (s->step_watch && s->step_watch->targets.n < TARGETS_MAX)
		(void)!vec_push(&s->step_watch->targets, w); /* without memory: not counted */
}

/* ---- counting ------------------------------------------------------------------------------ */

static int load(struct step_watch *w)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_attach_cookie),
		INSN(BPF_STX | BPF_MEM | BPF_W, 10, 0, -4, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, w->map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 1, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 0, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return uprobe_program_load("sonde_steps", insns, sizeof(insns) / sizeof(*insns),
				   NEW_BPF_TRACE_UPROBE_MULTI);
}

struct file_watch {
	struct session *s;
	uint32_t begin; /* index of its first target */
};

static int link_some(void *ctx, uint32_t first, uint32_t n)
{
	const struct file_watch *f = ctx;
	struct session *s = f->s;
	const struct watched *t = &s->step_watch->targets.items[f->begin + first];
	uint64_t *words = calloc(2 * (size_t)n, sizeof(*words));
	struct new_link_create attr = {
		.prog_fd = (uint32_t)s->step_watch->prog,
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi.path = (uintptr_t)t->path,
		.uprobe_multi.offsets = (uintptr_t)words,
		.uprobe_multi.cookies = (uintptr_t)(words + n),
		.uprobe_multi.cnt = n,
		.uprobe_multi.pid = attach_only_process(s),
	};
	int fd;

	if (!words || session_stopped(s)) {
		free(words);
		return words ? -EINTR : -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		words[i] = t[i].offset;
		words[n + i] = f->begin + first + i;
	}
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	free(words);
	return attach_add(s, (struct link){.fd = fd,
					   .closes_slowly = true,
					   .is_watch = true,
					   .prog = t->prog});
}

static int link_all(struct session *s)
{
	const struct step_watch *w = s->step_watch;
	uint32_t n;
	int err = 0;

	for (uint32_t first = 0; !err && first < w->targets.n; first += n) {
		const struct watched *t = &w->targets.items[first];
		struct file_watch f = {s, first};
		struct attach_refused refused;

		for (n = 1; first + n < w->targets.n; n++)
			if (strcmp(t[n].path, t->path) != 0)
				break;
		err = attach_bisect(link_some, &f, n, FIRST_BATCH, &refused);
		vec_free(&refused);
	}
	return err;
}

COMPARE(by_place, struct watched, strcmp(a->path, b->path) ?: ORDER(a->offset, b->offset))

/* Several programs may be at one place. */
static void once_a_place(struct step_watch *w)
{
	struct watched *t = w->targets.items;
	uint32_t n = 0;

	qsort(t, w->targets.n, sizeof(*t), by_place);
	for (uint32_t i = 0; i < w->targets.n; i++)
		if (!n || by_place(&t[n - 1], &t[i]))
			t[n++] = t[i];
	w->targets.n = n;
}

void step_watch_start(struct session *s)
{
	struct step_watch *w = s->step_watch;
	int err = 0;

	if (!w)
		return;
	once_a_place(w);
	/* its own time would be among that which is subtracted */
	if (!kernel_has(s->kernel, CAP_UPROBE_MULTI) || s->tracer_time)
		return;
	w->prog = -1;
	w->map = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "sonde_steps", sizeof(uint32_t),
				sizeof(uint64_t), (uint32_t)w->targets.n, NULL);
	if (w->map >= 0)
		w->prog = load(w);
	if (w->map < 0 || w->prog < 0)
		err = -errno;
	err = err ?: link_all(s);
	if (err)
		log_verbose("hits of single-stepped functions are not counted: %s", strerror(-err));
	w->start_ns = monotonic_ns();
}

void step_watch_stop(struct session *s)
{
	struct step_watch *w = s->step_watch;
	int n_cpus = libbpf_num_possible_cpus();
	uint64_t *per_cpu = n_cpus > 0 ? calloc((size_t)n_cpus, sizeof(*per_cpu)) : NULL;

	for (uint32_t i = 0; per_cpu && w && w->start_ns && i < w->targets.n; i++)
		if (bpf_map_lookup_elem(w->map, &i, per_cpu) == 0)
			for (int cpu = 0; cpu < n_cpus; cpu++)
				w->targets.items[i].hits += per_cpu[cpu];
	if (w && w->start_ns)
		w->ns = monotonic_ns() - w->start_ns;
	free(per_cpu);
}

/* ---- the warning --------------------------------------------------------------------------- */

static double rate_of(const struct step_watch *w, uint64_t hits)
{
	return (double)hits * SECOND_NS / (double)(w->ns ? w->ns : 1);
}

static bool is_busy(const struct step_watch *w, const struct watched *t)
{
	return t->hits >= HITS_MIN && rate_of(w, t->hits) > RATE_MAX;
}

/* Say which function was hit most, if that was often. */
static void report_rate(const struct step_watch *w)
{
	const struct watched *most = NULL;
	uint32_t n = 0;
	char others[48] = "";

	for (uint32_t i = 0; w->ns && i < w->targets.n; i++) {
		const struct watched *t = &w->targets.items[i];

		n += is_busy(w, t);
		if (is_busy(w, t) && (!most || t->hits > most->hits))
			most = t;
	}
	if (!most)
		return;
	if (n > 1)
		snprintf(others, sizeof(others), ", and %u more places likewise", n - 1);
	log_warning("%s:%s was hit %.0f times a second%s: each hit is single-stepped, which takes "
		    "up to 30 times as long as others (%s); to slow the program down less, probe a "
		    "function that is called less often, or sample with profile:hz:99",
		    most->path, most->symbol, rate_of(w, most->hits), others,
		    most->why ? most->why : "the kernel does not emulate the instruction");
}

/* ---- times of calls ------------------------------------------------------------------------ */

/* Does the program begin or end calls whose time is measured? */
static bool measures_calls(const struct plan *p, uint32_t prog)
{
	const struct plan_prog *g = &p->progs[prog];
	enum span_kind kind = g->n_probes ? p->probes[g->probes[0]].state.kind : SPAN_NO;

	return g->n_starts || kind == SPAN_RETURN || kind == SPAN_GOROUTINE;
}

/* The target whose calls contain most of the tracer's time: an entry, else an exit. *n: how many
 * functions there are. */
static const struct watched *find_call(const struct session *s, uint32_t *n)
{
	const struct step_watch *w = s->step_watch;
	const struct watched *found = NULL, *last = NULL;

	for (uint32_t i = 0; i < w->targets.n; i++) {
		const struct watched *t = &w->targets.items[i];

		if (!measures_calls(s->plan, t->prog) || (w->ns && !t->hits))
			continue;
		*n += !last || strcmp(last->symbol, t->symbol) != 0;
		last = t;
		if (!found || t->is_entry > found->is_entry ||
		    (t->is_entry == found->is_entry && t->hits > found->hits))
			found = t;
	}
	return found;
}

/* Say how much of the times of single-stepped calls may be the tracer's. The single step of an exit
 * is in the times of other calls only, so for exits this is a note. */
static void report_calls(struct session *s)
{
	struct tracer_share share = {0};
	uint32_t n = 0;
	const struct watched *t = find_call(s, &n);
	char others[48] = "", whose[224];

	if (!t || !s->prep->tracer_share || !s->prep->tracer_share(s, t->prog, t->is_entry, &share))
		return;
	if (n > 1)
		snprintf(others, sizeof(others), " and %u more function%s", n - 1,
			 n > 2 ? "s" : "");
	if (s->tracer_time)
		snprintf(whose, sizeof(whose),
			 "each time may be wrong by %llu ns: the %llu ns of tracing that "
			 "--calibrate subtracts vary by that much in nine of ten calls",
			 (unsigned long long)share.range_ns, (unsigned long long)share.floor_ns);
	else
		snprintf(
			whose, sizeof(whose),
			"tracing adds about %llu ns to each time, and %llu ns for each traced call "
			"inside it (measured now); --calibrate subtracts this",
			(unsigned long long)share.floor_ns, (unsigned long long)share.inside_ns);
	log_msg(t->is_entry ? LOG_WARNING : LOG_INFO,
		"%s%s:%s%s: %s; the kernel single-steps a probed instruction (%s)",
		t->is_entry ? "" : "note: ", t->path, t->symbol, others, whose,
		t->why ? t->why : "it does not emulate a return");
}

void step_watch_report(struct session *s)
{
	if (!s->step_watch)
		return;
	report_rate(s->step_watch);
	if (s->plan->needs.times)
		report_calls(s);
}

void step_watch_free(struct step_watch *w)
{
	if (!w)
		return;
	if (w->start_ns && w->map >= 0)
		close(w->map);
	if (w->start_ns && w->prog >= 0)
		close(w->prog);
	vec_free(&w->targets);
	free(w);
}
