/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates the verifier log to plain words, with a table of the verifier's messages. The script
 * line is the last one named in the log (from the line information in the object's BTF): "; TEXT @
 * FILE:LINE", before 6.9 just "; TEXT", which is then searched in the script. Lines of bpf_helpers/
 * are skipped, so that the line is that of their caller.
 */
#include "runtime/load/verifier_log.h"
#include "parser/base/text.h"
#include "parser/lang/bpf_import.h"
#include "parser/base/source.h"
#include "runtime/kernel/helper_name.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT "this is a defect of sonde: please report it with the output of -v"

static const struct {
	const char *says, *words, *help, *example, *in_c;
	bool is_late;
} cases[] = {
#define CASE(...) {__VA_ARGS__},
#define LATE(...) {__VA_ARGS__, .is_late = true},
#include "runtime/load/verifier_cases.def"
};

/* What a register holds, as the log spells it; the first match counts. */
static const struct {
	const char *begins, *words;
} states[] = {
#define STATE(...) {__VA_ARGS__},
#include "runtime/load/verifier_states.def"
};

/* Statistics, which follow the last message. */
static bool is_statistic(const struct text_line *l)
{
	return l->len == 0 || text_line_begins(l, "cur state: ") ||
	       text_line_begins(l, "old state: ") || text_line_begins(l, "processed ") ||
	       text_line_begins(l, "verification time") || text_line_begins(l, "stack depth") ||
	       text_line_begins(l, "-- ") || text_line_begins(l, "insns ");
}

/* ---- the script's line --------------------------------------------------------------------- */

static struct text_line trim(struct text_line l)
{
	while (l.len && strchr(" \t\r", *l.at))
		l.at++, l.len--;
	while (l.len && strchr(" \t\r", l.at[l.len - 1]))
		l.len--;
	return l;
}

/* The line of the script with this text, if there is exactly one; else 0. */
static uint32_t line_of_text(const struct source *s, struct text_line sought)
{
	uint32_t found = 0;

	if (!sought.len)
		return 0;
	for (uint32_t i = 1; i <= s->n_lines; i++) {
		uint32_t len;
		const char *text = source_line(s, i, &len);
		struct text_line l = trim((struct text_line){text, len});

		if (l.len != sought.len || memcmp(l.at, sought.at, l.len) != 0)
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/* "FILE:LINE" of "; TEXT @ FILE:LINE"; NULL: there is none. */
static const char *place_in(const struct text_line *l)
{
	for (size_t i = l->len; i-- > 4;) /* behind "; " and a text, or a blank */
		if (l->at[i - 2] == ' ' && l->at[i - 1] == '@' && l->at[i] == ' ')
			return l->at + i + 1;
	return NULL;
}

/* The line number of the place if it is in the file; else 0. */
static uint32_t line_in_file(const struct text_line *l, const char *place, const char *path)
{
	const char *name = text_base_name(path);
	size_t n = strlen(name);

	if ((size_t)(l->at + l->len - place) <= n + 1 || memcmp(place, name, n) != 0 ||
	    place[n] != ':')
		return 0;
	return (uint32_t)strtoul(place + n + 1, NULL, 10);
}

/* Note the line of the script or of an imported file in "; TEXT @ FILE:LINE" or "; TEXT". Lines of
 * sonde's own files change nothing. */
static void note_line(struct verifier_message *v, const struct text_line *l,
		      const struct source *source, const struct bpf_import *imports, uint32_t n)
{
	const char *at = place_in(l);
	size_t text_len = (at ? (size_t)(at - l->at) - 3 : l->len) - 2;
	struct text_line text = trim((struct text_line){l->at + 2, text_len});
	uint32_t line = at ? line_in_file(l, at, source->name) : line_of_text(source, text);

	v->has_places |= at != NULL;
	if (line && line <= source->n_lines) {
		v->line = line;
		v->import = NULL;
		v->import_line = 0;
	}
	for (uint32_t i = 0; at && i < n; i++) {
		line = line_in_file(l, at, imports[i].name);
		if (!line)
			continue;
		v->import = &imports[i];
		v->import_line = line;
		v->import_text = text.at;
		v->import_text_len = text.len;
		return;
	}
}

/* ---- all ----------------------------------------------------------------------------------- */

static void find_words(struct verifier_message *v)
{
	for (size_t i = 0; v->reason && i < sizeof(cases) / sizeof(*cases); i++)
		if (memmem(v->reason, v->reason_len, cases[i].says, strlen(cases[i].says))) {
			v->words = cases[i].words;
			v->help = cases[i].help;
			v->help_in_c = cases[i].in_c ?: cases[i].help;
			v->is_late = cases[i].is_late;
			v->example = cases[i].example;
			return;
		}
}

/* The register that the message begins with or names: "R0 invalid mem access", "… stack R2 off". */
static bool find_register(struct verifier_message *v)
{
	const char *end = v->reason ? v->reason + v->reason_len : NULL;

	for (const char *p = v->reason; p < end; p++) {
		size_t digits = *p == 'R' ? strspn(p + 1, "0123456789") : 0;

		if (!digits || digits > 2 || (p > v->reason && p[-1] != ' ') ||
		    (p + 1 + digits < end && p[1 + digits] != ' '))
			continue;
		snprintf(v->reg, sizeof(v->reg), "%.*s", (int)digits + 1, p);
		return true;
	}
	return false;
}

/* What a state means, "scalar()"; NULL: unknown. */
static const char *state_words(const char *state)
{
	__auto_type known =
		FIND_ROW(states, strncmp(state, item->begins, strlen(item->begins)) == 0);

	if (known)
		return known->words;
	return *state == '-' || isdigit((unsigned char)*state) ? "a known number" : NULL;
}

/* The bytes of the state at `at`, which ends at a blank that is not in parentheses. */
static size_t state_bytes(const char *at, const char *end)
{
	const char *p = at;

	for (int depth = 0; p < end && *p != '\n' && (depth || *p != ' '); p++)
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
	return (size_t)(p - at);
}

/* "R0=STATE" or "R0_w=STATE", the last before the message. */
static void find_state(struct verifier_message *v, const char *begin)
{
	size_t n = strlen(v->reg);

	for (const char *p = v->reason; p > begin && !v->state; p--) {
		const char *at = p + n;

		if (strncmp(p, v->reg, n) != 0 || (p[-1] != ' ' && p[-1] != '\n'))
			continue;
		while (isalpha((unsigned char)*at) || *at == '_')
			at++;
		if (*at != '=')
			continue;
		v->state = at + 1;
		v->state_len = state_bytes(v->state, v->reason);
	}
	v->state_words = v->state ? state_words(v->state) : NULL;
}

/* "unknown func bpf_loop#181", "cannot use helper bpf_loop#181", "invalid func unknown#181": by
 * number where the kernel has no name for it. */
static void find_helper(struct verifier_message *v)
{
	const char *hash = v->reason ? memchr(v->reason, '#', v->reason_len) : NULL;
	const char *known, *begin;

	if (!hash || hash + 1 == v->reason + v->reason_len || !isdigit((unsigned char)hash[1]))
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

/* libbpf: prog 'NAME': -- BEGIN PROG LOAD LOG --; without a log: prog 'NAME': BPF program load
 * failed */
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

/* The log itself, from `begin` to `end`. */
static void read_messages(struct verifier_message *v, const char *begin, const char *end,
			  const struct source *source, const struct bpf_import *imports,
			  uint32_t n_imports)
{
	const char *p = begin;
	struct text_line l;

	while (text_next_line(&p, end, &l)) {
		if (text_line_begins(&l, "Verification failed"))
			break; /* since 7.x: the same in more words */
		if (text_line_begins(&l, "; ")) {
			note_line(v, &l, source, imports, n_imports);
		} else if (!is_statistic(&l) && !text_line_begins(&l, "libbpf:")) {
			v->reason = l.at;
			v->reason_len = l.len;
		}
	}
	find_words(v);
	find_helper(v);
	if (find_register(v))
		find_state(v, begin);
}

void verifier_log_read(struct verifier_message *v, const char *log, const struct source *source,
		       const struct bpf_import *imports, uint32_t n_imports)
{
	const char *begin = strstr(log, "-- BEGIN PROG LOAD LOG --"), *end, *p;
	const char *named = begin ? begin : strstr(log, "BPF program load failed");

	*v = (struct verifier_message){.line = 0};
	if (named)
		find_program(v, named, log);
	if (!begin)
		return;
	end = strstr(begin, "-- END PROG LOAD LOG --");
	if (!end)
		end = begin + strlen(begin);
	p = begin + strcspn(begin, "\n");
	p += *p == '\n';
	read_messages(v, p, end, source, imports, n_imports);
}
