/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -v: what a run has done: programs, what they were attached to, and the time of each stage.
 */
#include "runtime/run/loop_state.h"
#include "parser/base/text.h"
#include "runtime/base/progress.h"
#include "runtime/attach/attach.h"
#include <bpf/bpf.h>

enum { BPF_INSN_BYTES = 8 };

struct linked {
	uint32_t n_links, n_functions, n_stepped;
};

static struct linked links_of(const struct session *s, uint32_t prog)
{
	struct linked sum = {0};

	for (uint32_t i = 0; i < s->links.n; i++) {
		const struct link *l = &s->links.items[i];

		if (l->prog != prog || l->is_watch)
			continue;
		sum.n_links++;
		sum.n_functions += l->n ? l->n : 1;
		sum.n_stepped += l->n_stepped;
	}
	return sum;
}

static uint32_t length_of(const struct session *s, uint32_t prog)
{
	struct bpf_prog_info info;

	return session_prog_info(s, prog, &info) ? info.xlated_prog_len / BPF_INSN_BYTES : 0;
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void report_prog(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	struct linked l = links_of(s, prog);
	bool is_start = !g->n_probes && g->n_starts;
	char functions[96] = "", others[48] = "";

	if (plan_n_targets(g))
		snprintf(functions, sizeof(functions),
			 ", on %u function%s, %u of them single-stepped", l.n_functions,
			 plural(l.n_functions), l.n_stepped);
	if (g->n_probes > 1)
		snprintf(others, sizeof(others), " and %u more probe%s", g->n_probes - 1,
			 plural(g->n_probes - 1));
	log_verbose("program %s: %s%s%s: %u instructions, %u link%s%s", g->symbol,
		    is_start ? "start of " : "", session_prog_name(s, prog), others,
		    length_of(s, prog), l.n_links, plural(l.n_links), functions);
}

/* The compiler is a process of its own, which runs beside `prepare`. */
static bool is_of_compiler(enum stage i)
{
	return i == STAGE_CODEGEN || i == STAGE_LLVM;
}

static void report_stages(bool of_compiler, const char *title)
{
	char text[512] = "";

	for (enum stage i = STAGE_NONE + 1; i < STAGE_COUNT; i++)
		if (progress_name(i) && progress_ns(i) && is_of_compiler(i) == of_compiler)
			TEXT_LIST(text, sizeof(text), "%s %.1f", progress_name(i),
				  1e-6 * (double)progress_ns(i));
	if (*text)
		log_verbose("%s: %s", title, text);
}

void run_report(const struct session *s)
{
	uint32_t n_links = 0, n_progs = s->plan->n_progs;

	if (!log_enabled(LOG_VERBOSE))
		return;
	for (uint32_t i = 0; i < n_progs; i++) {
		report_prog(s, i);
		n_links += links_of(s, i).n_links;
	}
	log_verbose("in all: %u program%s, %u link%s", n_progs, plural(n_progs), n_links,
		    plural(n_links));
	report_stages(false, "time in ms");
	report_stages(true, "compiler, beside 'prepare', in ms");
}
