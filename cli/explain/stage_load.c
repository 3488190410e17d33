/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages in the kernel: the verifier's work, the maps, the cost of an event. If sonde may not
 * load programs, the text says so.
 */
#include "cli/explain/explain.h"
#include "parser/base/text.h"
#include "cli/options/options.h"
#include "cli/base/file_limit.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"
#include "parser/plan/plan.h"
#include "runtime/explain/loaded.h"
#include "runtime/explain/own_symbol.h"
#include "runtime/kernel/caps.h"
#include "runtime/session/scope.h"
#include "runtime/session/session.h"
#include "runtime/load/load.h"
#include "runtime/session/prep.h"
#include "runtime/run/lifetime.h"

struct explain_load {
	struct session_prep prep;
	struct session session;
	struct loaded loaded;
	bool is_open;
	const char *missing; /* the reason why nothing is loaded; or NULL */
};

/* ---- loading ---- */

static int open_once(struct explain *x, bool keeps_logs)
{
	struct explain_load *l = x->load;
	struct scope_found found = {0};
	int err;

	session_prepare(&l->prep, x->plan, x->kernel, &found, false);
	l->prep.keeps_logs = keeps_logs;
	err = session_open(&l->session, x->plan, x->kernel, &l->prep, x->elf, x->elf_len);
	l->is_open = true;
	return err;
}

static void close_all(struct explain_load *l)
{
	if (!l->is_open)
		return;
	session_close(&l->session);
	session_prep_free(&l->prep);
	l->is_open = false;
}

/* Why the script cannot be loaded here; NULL: it can. */
static const char *obstacle(const struct explain *x)
{
	const char *cap = caps_missing();

	if (x->options->compile.kernel_facts || x->options->compile.facts)
		return "nothing is loaded with --kernel-facts or --facts: they describe another kernel";
	if (cap)
		return arena_printf(x->arena,
				    "this stage loads the programs, which needs %s: run as root",
				    cap);
	if (x->kernel->unchecked)
		return "the kernel's tracepoints cannot be read: run as root";
	return NULL;
}

/* Load, if that was not done before. False: x->load->missing is the reason. */
static bool load(struct explain *x, int *status)
{
	struct explain_load *l = x->load;

	*status = 0;
	if (l)
		return !l->missing;
	l = x->load = arena_new_of(x->arena, struct explain_load);
	*l = (struct explain_load){.missing = obstacle(x)};
	if (l->missing)
		return false;
	*status = explain_compile(x);
	if (*status)
		return false;
	file_limit_raise();
	if (open_once(x, true)) {
		close_all(l);
		if (open_once(x, false)) /* this reports why */
			l->missing = "the kernel refused the script: the reason is above";
		x->has_failed = l->missing;
	}
	if (!l->missing)
		loaded_read(x->arena, &l->session, &l->loaded);
	return !l->missing;
}

void explain_unload(struct explain *x)
{
	if (x->load)
		close_all(x->load);
	x->load = NULL;
}

/* ---- texts ---- */

/* The line of the probe that a program belongs to; 0: the program is hidden. */
static uint32_t line_of(const struct explain *x, uint32_t prog)
{
	const struct plan_prog *g = &x->plan->progs[prog];
	struct place at;

	if (!g->n_probes)
		return 0;
	at = source_place(x->plan->source, x->plan->probes[g->probes[0]].span.start);
	return at.in == x->plan->source ? at.line : 0;
}

static void add_counts(struct explain *x, struct script_lines *t, uint32_t line,
		       const struct verifier_counts *c)
{
	if (!c->is_known) {
		script_lines_add(t, line, "  the kernel gave no counts");
		return;
	}
	script_lines_add(t, line,
			 "  followed        %llu instructions, on all paths together; the limit is "
			 "1000000",
			 (unsigned long long)c->processed);
	script_lines_add(
		t, line,
		"  states          %llu kept to recognize what was seen, at most %llu at once, "
		"%llu at one instruction",
		(unsigned long long)c->states, (unsigned long long)c->peak_states,
		(unsigned long long)c->states_per_insn);
	script_lines_add(t, line, "  stack           %s bytes; the limit is 512", c->stack);
	script_lines_add(t, line, "  time            %llu us", (unsigned long long)c->microseconds);
}

static void add_program(struct explain *x, struct script_lines *t, const struct loaded_program *p)
{
	uint32_t line = line_of(x, p->prog);

	script_lines_add(t, line, "program %s, type %s", p->name, p->type);
	script_lines_add(t, line, "  loaded          %u instructions", p->n_insns);
	add_counts(x, t, line, &p->counts);
	script_lines_add(t, line, "  verified        %u bytes: reads are made safe, calls resolved",
			 p->translated_bytes);
	if (p->machine_bytes)
		script_lines_add(t, line, "  machine code    %u bytes, by the JIT compiler",
				 p->machine_bytes);
	else
		script_lines_add(
			t, line,
			"  machine code    none that this process may see: the kernel interprets "
			"the program, or hides it");
}

int ex_verifier(struct explain *x, struct script_lines *t)
{
	int status;

	if (!load(x, &status)) {
		if (!status)
			script_lines_add(t, 0, "%s", x->load->missing);
		return status;
	}
	for (uint32_t i = 0; i < x->load->loaded.n_programs; i++)
		add_program(x, t, &x->load->loaded.programs[i]);
	return 0;
}

/* The line where a map of the script is first used; 0: it is sonde's own. */
static uint32_t line_of_map(const struct explain *x, const char *name)
{
	const struct plan_map *m = TEXT_ITEM(x->plan->maps, x->plan->n_maps, symbol, name);

	return m ? source_place(x->plan->source, m->span.start).line : 0;
}

static void add_maps(struct explain *x, struct script_lines *t, const struct loaded *l)
{
	for (uint32_t i = 0; i < l->n_maps; i++) {
		const struct loaded_map *m = &l->maps[i];
		uint32_t line = line_of_map(x, m->name);
		char memory[48] = "", entries[48] = "an entry for each thread";

		if (!m->is_of_threads)
			snprintf(entries, sizeof(entries), "at most %u entries", m->max_entries);
		if (m->memory)
			snprintf(memory, sizeof(memory), ", %llu bytes of memory",
				 (unsigned long long)m->memory);
		script_lines_add(t, line, "%-20s %-18s key %u, value %u bytes, %s%s", m->name,
				 m->type, m->key_bytes, m->value_bytes, entries, memory);
		if (own_symbol_purpose(m->name) && !line)
			script_lines_add(t, 0, "                     %s",
					 own_symbol_purpose(m->name));
	}
	if (!l->n_maps)
		script_lines_add(t, 0, "none");
}

int ex_maps(struct explain *x, struct script_lines *t)
{
	struct loaded unloaded;
	int status;

	if (load(x, &status)) {
		add_maps(x, t, &x->load->loaded);
		return 0;
	}
	if (!status && !x->kernel->unchecked)
		status = explain_compile(x);
	if (status)
		return status;
	if (x->elf && loaded_read_object(x->arena, x->elf, x->elf_len, &unloaded) == 0)
		add_maps(x, t, &unloaded);
	script_lines_add(t, 0, "the memory that maps take is unknown: %s", x->load->missing);
	return 0;
}

/* ---- cost ---- */

enum { MEASURED_NS = 300000000 };

static void add_cost(struct explain *x, struct script_lines *t, const struct loaded_program *p)
{
	const struct plan_prog *g = &x->plan->progs[p->prog];
	const char *probe = g->n_probes ? x->plan->probes[g->probes[0]].name : "hidden";
	uint32_t line = line_of(x, p->prog);

	if (!p->runs) {
		script_lines_add(t, line, "%-16s %s: no event in %d ms", p->name, probe,
				 MEASURED_NS / 1000000);
		return;
	}
	script_lines_add(t, line,
			 "%-16s %s: %llu ns an event, %llu events in %d ms: %.3f %% of a CPU",
			 p->name, probe, (unsigned long long)(p->nanoseconds / p->runs),
			 (unsigned long long)p->runs, MEASURED_NS / 1000000,
			 100.0 * (double)p->nanoseconds / MEASURED_NS);
}

int ex_cost(struct explain *x, struct script_lines *t)
{
	struct loaded measured;
	int status;

	if (!load(x, &status)) {
		if (!status)
			script_lines_add(t, 0, "%s", x->load->missing);
		return status;
	}
	if (x->options->compile.unsafe) {
		script_lines_add(t, 0, "not measured: with --unsafe, a run may act on the system");
		return 0;
	}
	if (!loaded_can_measure()) {
		script_lines_add(t, 0,
				 "not measured: the kernel counts the time of programs for "
				 "CAP_SYS_ADMIN only: run as root");
		return 0;
	}
	if (loaded_measure(x->arena, &x->load->session, MEASURED_NS, &measured)) {
		script_lines_add(t, 0, "not measured: the kernel did not attach the programs");
		x->has_failed = true;
		return 0;
	}
	for (uint32_t i = 0; i < measured.n_programs; i++)
		add_cost(x, t, &measured.programs[i]);
	if (x->options->args.command)
		script_lines_add(
			t, 0, "(the command of -c is not started: 'sonde --stats' measures a run)");
	return 0;
}
