/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --test and --bench: runs programs with BPF_PROG_TEST_RUN. A test passes when it returns 0 and
 * does not call exit() with another value; its output is shown when it fails. A benchmark is run
 * with ten times more repetitions each time, until they take a millisecond.
 */
#include "runtime/run/loop_state.h"
#include "runtime/session/interpret.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PACKET_BYTES = 64, MIN_BENCH_NS = 1000000, MAX_RUNS = 10000000 };

struct running {
	struct session *s;
	struct events *events;
	struct out *out;
	void (*drain)(void *ctx);
	void *ctx;
	const char **failed;
	uint32_t n_failed;
};

static int run_once(const struct running *r, uint32_t prog, uint32_t times, uint32_t *value,
		    uint64_t *ns)
{
	char packet[PACKET_BYTES] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = (int)times);
	int err;

	if (r->s->interp)
		return interpret_repeat(r->s, prog, times, value, ns);
	do
		err = bpf_prog_test_run_opts(bpf_program__fd(r->s->progs[prog]), &opts);
	while (err == -EINTR);
	*value = opts.retval;
	*ns = opts.duration;
	return err;
}

/* Reset what exit() has set, which would end the next tests, too. Returns the exit code. */
static uint32_t take_exit(const struct running *r)
{
	struct sonde_control *c = r->s->control;
	uint32_t code = 0;

	if (c && __atomic_exchange_n(&c->exiting, 0, __ATOMIC_SEQ_CST))
		code = __atomic_exchange_n(&c->exit_code, 0, __ATOMIC_SEQ_CST);
	r->events->exited = false;
	return code;
}

/* ---- output of a test --------------------------------------------------------------------- */

struct capture {
	FILE *file;
	struct out *out, *before;
	char *text;
};

static int capture_begin(struct capture *c, struct running *r)
{
	int fd = memfd_create("sonde-test", MFD_CLOEXEC);

	*c = (struct capture){.before = r->events->out, .file = fd >= 0 ? fdopen(fd, "w+") : NULL};
	c->out = c->file ? out_text_new(c->file, NULL, NULL) : NULL;
	if (!c->out)
		return -ENOMEM;
	r->events->out = c->out;
	return 0;
}

static void capture_end(struct capture *c, struct running *r)
{
	off_t n;

	r->events->out = c->before;
	if (!c->out)
		return;
	out_finish(c->out);
	n = lseek(fileno(c->file), 0, SEEK_END);
	c->text = n >= 0 ? calloc(1, (size_t)n + 1) : NULL;
	if (c->text && pread(fileno(c->file), c->text, (size_t)n, 0) < 0)
		c->text[0] = '\0';
}

static void capture_free(struct capture *c)
{
	if (c->out)
		c->out->close(c->out);
	if (c->file)
		fclose(c->file);
	free(c->text);
}

/* ---- one test, one bench ------------------------------------------------------------------- */

static const char *name_of(const struct running *r, uint32_t prog)
{
	return r->s->plan->progs[prog].test;
}

static void note_failed(struct running *r, uint32_t prog)
{
	r->failed[r->n_failed++] = name_of(r, prog);
}

static int run_test(struct running *r, uint32_t prog)
{
	struct view_test t = {.name = name_of(r, prog), .stage = VIEW_TEST_RUN};
	struct capture c;
	uint32_t value = 0, code, n_errorf = r->events->n_errorf;
	int err = r->out->test(r->out, &t);

	if (!err)
		err = capture_begin(&c, r);
	if (err)
		return err;
	err = run_once(r, prog, 1, &value, &t.ns);
	code = take_exit(r);
	r->drain(r->ctx);
	take_exit(r); /* the record of exit() */
	capture_end(&c, r);
	t.stage = VIEW_TEST_RESULT;
	t.passed = !err && value == 0 && code == 0 && r->events->n_errorf == n_errorf;
	t.output = c.text ? c.text : "";
	if (!t.passed)
		note_failed(r, prog);
	if (err)
		log_error("test '%s': cannot run: %s", t.name, strerror(-err));
	err = r->out->test(r->out, &t);
	capture_free(&c);
	return err;
}

static int run_bench(struct running *r, uint32_t prog)
{
	struct view_test t = {.name = name_of(r, prog),
			      .stage = VIEW_TEST_RESULT,
			      .is_bench = true};
	uint32_t value = 0, code = 0, runs = 1, n_errorf = r->events->n_errorf;
	int err;

	for (;; runs *= 10) {
		err = run_once(r, prog, runs, &value, &t.ns);
		code = take_exit(r);
		r->drain(r->ctx);
		take_exit(r);
		if (err || value || code || t.ns * runs >= MIN_BENCH_NS || runs >= MAX_RUNS)
			break;
	}
	t.runs = runs;
	t.passed = !err && code == 0 && r->events->n_errorf == n_errorf;
	t.skipped = t.passed && value != 0;
	if (!t.passed)
		note_failed(r, prog);
	if (err)
		log_error("bench '%s': cannot run: %s", t.name, strerror(-err));
	return r->out->test(r->out, &t);
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool is_one(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_TEST);
}

static int run_all(struct running *r)
{
	const struct plan *p = r->s->plan;
	struct view_test t = {.stage = VIEW_TEST_BEGIN};
	int err;

	for (uint32_t i = 0; i < p->n_progs; i++)
		if (is_one(&p->progs[i])) {
			size_t len = strlen(p->progs[i].test);

			t.n++;
			t.is_bench = p->progs[i].kind == PP_BENCH;
			t.name_width = len > t.name_width ? (uint32_t)len : t.name_width;
		}
	r->failed = calloc(t.n + 1, sizeof(*r->failed));
	if (!r->failed)
		return -ENOMEM;
	err = r->out->test(r->out, &t);
	for (uint32_t i = 0; i < p->n_progs && !err; i++)
		if (is_one(&p->progs[i]))
			err = t.is_bench ? run_bench(r, i) : run_test(r, i);
	t.stage = VIEW_TEST_END;
	t.failed = r->failed;
	t.n_failed = r->n_failed;
	if (!err)
		err = r->out->test(r->out, &t);
	return err;
}

int tests_run(struct session *s, struct events *events, void (*drain)(void *ctx), void *ctx)
{
	struct running r = {
		.s = s, .events = events, .out = events->out, .drain = drain, .ctx = ctx};
	int err = run_all(&r);

	free(r.failed);
	return err ? err : (int)r.n_failed;
}
