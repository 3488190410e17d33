/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde explain --verifier`, see verifier.h. The kernel's log is shown as it is. Notes below an
 * instruction say what the registers that it has changed now hold; a note below the log explains
 * its last message.
 */
#include "cli/explain/verifier.h"
#include "cli/options/option_rows.h"
#include "cli/options/options.h"
#include "cli/base/output_file.h"
#include "parser/base/nearest.h"
#include "runtime/base/log.h"
#include "runtime/explain/insn_text.h"
#include "runtime/explain/rejections.h"
#include "runtime/kernel/caps.h"
#include "runtime/load/verifier_log.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { WIDTH = 90, REGISTERS = 11, INSNS_MOST = 32 };

/* ---- text ---- */

/* Write words, with a new line where one would be too long. */
static void write_wrapped(const char *text, FILE *f)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column && column + 1 + n > WIDTH) {
			fputc('\n', f);
			column = 0;
		}
		column += (size_t)fprintf(f, "%s%.*s", column ? " " : "  ", (int)n, text);
		text += n + (text[n] == ' ');
	}
	fputc('\n', f);
}

static const char *symbol_of(const struct bpf_insn *i)
{
	static const char *const names[] = {
		[REJECTED_HASH] = "values",
		[REJECTED_RING] = "ring",
	};

	return insn_is_wide(i) ? names[i->imm] : NULL;
}

static void write_code(const struct rejected_code *code, FILE *f)
{
	struct bpf_insn insns[INSNS_MOST];

	for (uint32_t i = 0; i < code->n && i < INSNS_MOST; i++) {
		insns[i] = code->insns[i].insn;
		/* a map: do not show its number in the table */
		if (insn_is_wide(&insns[i]))
			insns[i].imm = 0;
	}
	for (uint32_t i = 0; i < code->n && i < INSNS_MOST; i++) {
		const char *says = code->insns[i].says;
		char text[80];

		insn_text(insns, i, code->n, symbol_of(&code->insns[i].insn), text, sizeof(text));
		fprintf(f, "  %2u: %-*s%s%s\n", i, *says ? 36 : 0, text, *says ? " " : "", says);
		i += insn_is_wide(&insns[i]);
	}
}

/* ---- the log ---- */

/* The text that the log last had for each register. */
struct known {
	const char *words[REGISTERS];
};

/* "; R0=map_value(…) R1_w=scalar()": a note for each register that holds something else now. */
static void write_registers(struct known *known, const char *at, const char *end, FILE *f)
{
	while (at < end) {
		const char *state = at;
		unsigned long reg;
		const char *words;
		size_t n;

		if (*at != 'R' || !isdigit((unsigned char)at[1])) {
			at++;
			continue;
		}
		reg = strtoul(at + 1, (char **)(uintptr_t)&state, 10);
		while (isalpha((unsigned char)*state) || *state == '_')
			state++;
		if (*state++ != '=' || reg >= REGISTERS) {
			at++;
			continue;
		}
		n = verifier_state_bytes(state, end);
		words = verifier_state_words(state);
		if (words && reg != BPF_REG_10 && words != known->words[reg])
			fprintf(f, "      r%lu is %.*s: %s\n", reg, (int)n, state, words);
		known->words[reg] = words;
		at = state + n;
	}
}

static bool is_shown(const char *line, size_t n)
{
	return n && strncmp(line, "verification time", 17) != 0 &&
	       strncmp(line, "cur state", 9) != 0 && strncmp(line, "old state", 9) != 0;
}

static void write_log(const char *log, FILE *f)
{
	struct known known = {{NULL}};

	while (*log) {
		size_t n = strcspn(log, "\n");
		const char *states = memchr(log, ';', n);

		if (is_shown(log, n))
			fprintf(f, "  | %.*s\n", (int)n, log);
		if (states)
			write_registers(&known, states, log + n, f);
		log += n + (log[n] == '\n');
	}
}

static void write_meaning(const char *log, FILE *f)
{
	struct verifier_message v;

	verifier_log_read_plain(&v, log);
	if (!v.reason)
		return;
	fprintf(f, "\nwhat it says\n  \"%.*s\"\n", (int)v.reason_len, v.reason);
	if (v.words)
		write_wrapped(v.words, f);
	if (v.state_words)
		fprintf(f, "  %s is %.*s: %s\n", v.reg, (int)v.state_len, v.state, v.state_words);
}

/* ---- one program ---- */

static const char *release(void)
{
	static struct utsname name;

	return uname(&name) ? "" : name.release;
}

/* Load one of the two programs and write the kernel's verdict. Returns 0, or 2 after a message. */
static int write_verdict(const struct rejection *r, bool repaired, FILE *f)
{
	struct rejection_verdict verdict;
	int err = rejection_load(r, repaired, &verdict);

	if (err) {
		log_error("cannot load the program: %s", strerror(-err));
		free(verdict.log);
		return 2;
	}
	if (!verdict.err)
		fprintf(f, "\nLinux %s accepts it\n", release());
	else
		fprintf(f, "\nLinux %s refuses it: %s\n", release(), strerror(-verdict.err));
	if (verdict.err || !repaired) {
		write_log(verdict.log, f);
		write_meaning(verdict.err ? verdict.log : "", f);
	}
	free(verdict.log);
	return 0;
}

static int write_rejection(const struct rejection *r, FILE *f)
{
	const char *missing = caps_missing(), *in_c = verifier_help_in_c(r->name);
	int status = 0;

	fprintf(f, "%s: %s\n\nthe program (%s)\n", r->name, r->title, r->type_name);
	write_code(&r->wrong, f);
	if (missing)
		fprintf(f, "\nto load it and see the kernel's log, sonde needs %s: run as root\n",
			missing);
	else
		status = write_verdict(r, false, f);
	fputs("\nwhy\n", f);
	write_wrapped(r->why, f);
	fputs("\nwhat to do\n", f);
	write_wrapped(r->repair, f);
	if (in_c)
		fprintf(f, "  In C: %s\n", in_c);
	fputs("\nthe repaired program\n", f);
	write_code(&r->right, f);
	return status || missing ? status : write_verdict(r, true, f);
}

/* ---- all ---- */

static void list(FILE *f)
{
	for (uint32_t i = 0; i < n_rejections; i++)
		fprintf(f, "%-24s %s\n", rejections[i].name, rejections[i].title);
}

static int unknown(const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	for (uint32_t i = 0; i < n_rejections; i++)
		nearest_offer(&near, rejections[i].name);
	log_error("--verifier: there is no program '%s'", name);
	if (near.best)
		fprintf(stderr, "hint: did you mean '%s'?\n", near.best);
	else
		fputs("hint: 'sonde explain --verifier' lists them\n", stderr);
	return 1;
}

int verifier_run(const struct options *o)
{
	const struct rejection *r = o->n_params ? rejection_find(o->params[0]) : NULL;
	int status = 0;
	FILE *f;

	if (o->n_params && !r)
		return unknown(o->params[0]);
	f = output_open(o->output);
	if (!f)
		return 2;
	if (r)
		status = write_rejection(r, f);
	else
		list(f);
	return output_close(o->output, f) ?: status;
}
