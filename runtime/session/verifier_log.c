/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates the verifier log to plain words, with a table of the verifier's messages. The script
 * line is the last one named in the log (from the line information in the object's BTF): "; TEXT @
 * FILE:LINE", before 6.9 just "; TEXT", which is then searched in the script. Lines of bpf_helpers/
 * are skipped, so that the line is that of their caller.
 */
#define _GNU_SOURCE
#include "runtime/session/verifier_log.h"
#include "parser/base/text.h"
#include "parser/base/source.h"
#include "runtime/kernel/helper_name.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT "this is a defect of sonde: please report it with the output of -v"

/* The first match counts, so specific messages come first. */
static const struct {
	const char *says, *words, *help;
} cases[] = {
	{"total number of maps per program has reached", "one program uses more than 64 maps",
	 "use keys instead of many maps"},
	{"BPF program is too large", "checking the program takes more than a million steps",
	 "make loops shorter, or split the script"},
	{"is too complex", "the program has more branches than the verifier follows",
	 "use fewer conditions, or split the script"},
	{"Cannot recursively attach",
	 "this kernel attaches no fentry or fexit to another tracing program",
	 "Linux 6.8 does; programs of kprobes, uprobes and perf events work here, too"},
	{"is not traceable", "the kernel does not allow this function to be traced", NULL},
	{"frames is too deep", "loops are nested deeper than this kernel allows",
	 "nest no more than 7 loops, 5 around kstack and ustack(fp), 3 around ustack"},
	{"infinite loop detected", "a loop has no end that the verifier can see",
	 "give the loop a bound"},
	{"back-edge from insn", "this kernel does not allow loops here", NULL},
	{"combined stack size", "the values of a probe exceed the BPF stack of 512 bytes",
	 "use fewer or shorter strings, keys and variables"},
	{"stack depth", "the values of a probe exceed the BPF stack of 512 bytes",
	 "use fewer or shorter strings, keys and variables"},
	{"invalid func unknown", "this kernel lacks a helper function that the script needs",
	 "a newer kernel has it"},
	{"unknown func",
	 "this kernel, or this type of probe, lacks a helper function that the script needs",
	 "a newer kernel may have it"},
	{"cannot use helper", "a function of the script does not work in this type of probe",
	 "move it to another probe"},
	{"helper call is not allowed",
	 "a function of the script does not work in this type of probe",
	 "move it to another probe"},
	{"invalid bpf_context access", "this type of probe does not have that argument", NULL},
	{"doesn't have", "this event has fewer arguments than the script reads", NULL},
	{"dereference of modified ctx ptr", "a probe argument is read at a computed position",
	 REPORT},
	{"null-check it first", "a pointer is used that may be NULL", REPORT},
	{"pointer arithmetic", "the program computes with a pointer in a way the verifier forbids",
	 REPORT},
	{"on pointer prohibited",
	 "the program computes with a pointer in a way the verifier forbids", REPORT},
	{"partial copy of pointer", "a part of a pointer is used as a number", REPORT},
	{"leaks addr", "an address of the kernel would be stored where users can read it", REPORT},
	{"with unbounded min value", "an index may be negative or too large", REPORT},
	{"unbounded memory access", "a length or an index has no upper bound", REPORT},
	{"min value is negative", "an index or a length may be negative", REPORT},
	{"max value is outside", "an index may be beyond the end", REPORT},
	{"pointer be out of bounds", "an address is computed that may be out of bounds", REPORT},
	{"CO-RE relocation", "this kernel's structures lack a field that sonde reads", REPORT},
	{"_or_null'", "a pointer is used that may be NULL", REPORT},
	{"invalid mem access", "memory is read at an address that may not be valid", REPORT},
	{"invalid access to map value", "a map's value is read beyond its end", REPORT},
	{"misaligned", "memory is read at an address that is not aligned", REPORT},
	{"invalid indirect", "memory is read before it was written", REPORT},
	{"memory access", "memory is read that may be out of bounds", REPORT},
	{"from stack", "memory is read before it was written", REPORT},
	{"!read_ok", "memory is read before it was written", REPORT},
	{"unreachable insn", "a part of the program is unreachable", REPORT},
	{"nreleased reference", "a reference is not released", REPORT},
};

/* ---- lines --------------------------------------------------------------------------------- */

struct line {
	const char *text;
	size_t len;
};

/* Get the line at *p and advance. False at the end. */
static bool next_line(const char **p, const char *end, struct line *l)
{
	const char *newline;

	if (*p >= end)
		return false;
	newline = memchr(*p, '\n', (size_t)(end - *p));
	l->text = *p;
	l->len = (size_t)((newline ? newline : end) - *p);
	*p = newline ? newline + 1 : end;
	return true;
}

static bool starts(const struct line *l, const char *with)
{
	return l->len >= strlen(with) && memcmp(l->text, with, strlen(with)) == 0;
}

/* Statistics, which follow the last message. */
static bool is_statistic(const struct line *l)
{
	return l->len == 0 || starts(l, "processed ") || starts(l, "verification time") ||
	       starts(l, "stack depth") || starts(l, "-- ") || starts(l, "insns ");
}

/* ---- the script's line --------------------------------------------------------------------- */

static struct line trim(struct line l)
{
	while (l.len && strchr(" \t\r", *l.text))
		l.text++, l.len--;
	while (l.len && strchr(" \t\r", l.text[l.len - 1]))
		l.len--;
	return l;
}

/* The line of the script with this text, if there is exactly one; else 0. */
static uint32_t line_of_text(const struct source *s, struct line sought)
{
	uint32_t found = 0;

	if (!sought.len)
		return 0;
	for (uint32_t i = 1; i <= s->n_lines; i++) {
		uint32_t len;
		const char *text = source_line(s, i, &len);
		struct line l = trim((struct line){text, len});

		if (l.len != sought.len || memcmp(l.text, sought.text, l.len) != 0)
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/* The line number of "; TEXT @ FILE:LINE"; 0 when it is none or of another file. */
static uint32_t script_line(const struct source *s, const struct line *l)
{
	const char *name = text_base_name(s->name), *at = NULL;
	size_t n = strlen(name);

	if (!starts(l, "; "))
		return 0;
	for (size_t i = l->len; i-- > 3 && !at;)
		if (l->text[i - 2] == ' ' && l->text[i - 1] == '@' && l->text[i] == ' ')
			at = l->text + i + 1;
	if (!at)
		return line_of_text(s, trim((struct line){l->text + 2, l->len - 2}));
	if ((size_t)(l->text + l->len - at) <= n + 1 || memcmp(at, name, n) != 0 || at[n] != ':')
		return 0;
	return (uint32_t)strtoul(at + n + 1, NULL, 10);
}

/* ---- all ----------------------------------------------------------------------------------- */

static void find_words(struct verifier_message *v)
{
	for (size_t i = 0; v->reason && i < sizeof(cases) / sizeof(*cases); i++)
		if (memmem(v->reason, v->reason_len, cases[i].says, strlen(cases[i].says))) {
			v->words = cases[i].words;
			v->help = cases[i].help;
			return;
		}
}

/* "unknown func bpf_loop#181", "cannot use helper bpf_loop#181", "invalid func unknown#181": by
 * number where the kernel has no name for it. */
static void find_helper(struct verifier_message *v)
{
	const char *end = v->reason + v->reason_len, *hash, *begin;
	const char *known;

	hash = v->reason ? memchr(v->reason, '#', v->reason_len) : NULL;
	if (!hash || hash + 1 == end || !isdigit((unsigned char)hash[1]))
		return;
	begin = hash;
	while (begin > v->reason && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
		begin--;
	known = helper_name((uint32_t)strtoul(hash + 1, NULL, 10));
	if (hash - begin > 4 && strncmp(begin, "bpf_", 4) == 0)
		snprintf(v->helper, sizeof(v->helper), "%.*s", (int)(hash - begin), begin);
	else if (known)
		snprintf(v->helper, sizeof(v->helper), "bpf_%s", known);
}

/* libbpf: prog 'NAME': -- BEGIN PROG LOAD LOG -- */
static void find_program(struct verifier_message *v, const char *begin, const char *log)
{
	const char *line = begin, *quote;

	while (line > log && line[-1] != '\n')
		line--;
	quote = memchr(line, '\'', (size_t)(begin - line));
	if (!quote)
		return;
	v->program = quote + 1;
	v->program_len = strcspn(quote + 1, "'\n");
}

void verifier_log_read(struct verifier_message *v, const char *log, const struct source *source)
{
	const char *begin = strstr(log, "-- BEGIN PROG LOAD LOG --"), *end, *p;
	struct line l;

	*v = (struct verifier_message){.line = 0};
	if (!begin)
		return;
	find_program(v, begin, log);
	end = strstr(begin, "-- END PROG LOAD LOG --");
	if (!end)
		end = begin + strlen(begin);
	p = begin + strcspn(begin, "\n");
	p += *p == '\n';
	while (next_line(&p, end, &l)) {
		uint32_t line = script_line(source, &l);

		v->line = line && line <= source->n_lines ? line : v->line;
		if (is_statistic(&l) || starts(&l, "; ") || starts(&l, "libbpf:"))
			continue;
		v->reason = l.text;
		v->reason_len = l.len;
	}
	find_words(v);
	find_helper(v);
}
