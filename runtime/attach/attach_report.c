/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of what the kernel refused. They are kept until all programs have been tried, because
 * programs of user functions are attached from the last one of the script to the first, and people
 * read a script from its start.
 */
#include "runtime/attach/attach.h"
#include "parser/base/escape.h"

static void print_location(const struct session *s, uint32_t prog)
{
	const struct plan_probe *probe = session_first_probe(s, prog);
	struct place from, to;

	if (!probe || probe->span.end <= probe->span.start)
		return;
	from = source_place(s->plan->source, probe->span.start);
	to = source_place(s->plan->source, probe->span.end);
	fputs("  at ", stderr);
	escape_write(ESCAPE_MESSAGE, from.file, stderr);
	if (from.line == to.line)
		fprintf(stderr, ":%u:%u-%u\n", from.line, from.col, to.col);
	else
		fprintf(stderr, ":%u:%u\n", from.line, from.col);
}

static void print_report(const struct session *s, const struct attach_report *r)
{
	log_msg(r->level, "%s", r->text);
	if (r->has_location)
		print_location(s, r->prog);
}

void attach_report(struct session *s, struct attach_report r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&r.text, fmt, args) < 0)
		r.text = NULL;
	va_end(args);
	if (!r.text) {
		log_msg(r.level, "probe '%s': cannot attach", session_prog_name(s, r.prog));
	} else if (vec_push(&s->reports, r)) {
		print_report(s, &r);
		free(r.text);
	}
}

COMPARE(by_program, struct attach_report, ORDER(a->prog, b->prog))

void attach_print_reports(struct session *s)
{
	bool has_error = false;

	if (s->reports.n)
		qsort(s->reports.items, s->reports.n, sizeof(*s->reports.items), by_program);
	for (uint32_t i = 0; i < s->reports.n; i++) {
		struct attach_report *r = &s->reports.items[i];

		if (!has_error)
			print_report(s, r);
		has_error = has_error || r->level == LOG_ERROR;
		free(r->text);
	}
	vec_free(&s->reports);
}
