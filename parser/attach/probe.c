/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points: from the raw text of a probe's head ("tracepoint:sched:sched_switch") to resolved
 * struct attach_points. The text is expanded by the expand hook of the probe type's row (expand.c,
 * probe_typed.c) and each attach point is resolved by its parse hook (probe_*.c). kernel.h answers
 * what exists; errors suggest the nearest name. No code outside this folder reads the text.
 */
#include "parser/lang/ast.h"
#include "parser/lang/literal.h"
#include "parser/base/nearest.h"
#include "parser/attach/expand.h"
#include "parser/attach/probe_parse.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

const struct probe_row probe_rows[] = {
#define PROBE(id, name_, alias_, form_, context_, traits_, parse_, expand_, span_, listing_, \
	      capability_, fields_, program_, arm_, space_, entry_, doc_, example_)          \
	[PROBE_##id] = {.name = name_,                                                       \
			.alias = alias_,                                                     \
			.form = form_,                                                       \
			.context = context_,                                                 \
			.traits = traits_,                                                   \
			.parse = parse_,                                                     \
			.expand = expand_,                                                   \
			.span = span_,                                                       \
			.listing = listing_,                                                 \
			.capability = capability_,                                           \
			.program = program_,                                                 \
			.arm = arm_,                                                         \
			.space = space_,                                                     \
			.entry = entry_,                                                     \
			.doc = doc_,                                                         \
			.example = example_},
#include "parser/lang/probes.def"
};

_Static_assert(sizeof(probe_rows) / sizeof(*probe_rows) == PROBE_COUNT, "one row for each type");

/* True if the `len` bytes are one of the row's aliases. */
static bool has_alias(const struct probe_row *row, const char *text, size_t len)
{
	for (const char *word = row->alias; word && *word;) {
		size_t n = strcspn(word, " ");

		if (n == len && strncmp(word, text, len) == 0)
			return true;
		word += n + (word[n] == ' ');
	}
	return false;
}

bool probe_type_is(const char *text, size_t len, enum probe_id id)
{
	const struct probe_row *row = &probe_rows[id];

	return (strlen(row->name) == len && strncasecmp(row->name, text, len) == 0) ||
	       has_alias(row, text, len);
}

static bool ends_in_colon(const struct source *s, struct span span)
{
	uint32_t end = s ? span.end - s->base : 0;

	return s && span.end > s->base && end <= s->len && s->text[end - 1] == ':';
}

/* `uprobe:./app` */
static bool names_path(const struct source *s, struct span span)
{
	uint32_t from = s ? span.start - s->base : 0, n = span.end - span.start;

	return s && span.start >= s->base && from + n <= s->len &&
	       memchr(s->text + from, '/', n) != NULL;
}

int probe_by_place(const void *x, const void *y)
{
	const struct attach_target *a = x, *b = y;
	int paths = a->path == b->path ? 0 : strcmp(a->path, b->path);

	return paths ?: (a->offset > b->offset) - (a->offset < b->offset);
}

void probe_each_once(struct attach_target *t, uint32_t *n, int (*order)(const void *, const void *),
		     int (*differ)(const void *, const void *))
{
	uint32_t kept = 0;

	if (*n)
		qsort(t, *n, sizeof(*t), order);
	for (uint32_t i = 0; i < *n; i++)
		if (!kept || differ(&t[kept - 1], &t[i]))
			t[kept++] = t[i];
	*n = kept;
}

int probe_wrong_form(const struct probe_reader *r, const struct attach_point *p)
{
	diag_error(r->diags, p->span, "attach-form", "%s probes are written %s",
		   probe_rows[p->id].name, probe_rows[p->id].form);
	if (ends_in_colon(r->diags->source, p->span))
		diag_hint(r->diags,
			  "nothing follows the last ':'; a shell replaces $1 inside double "
			  "quotes: put the program in single quotes");
	else if (names_path(r->diags->source, p->span))
		diag_hint(r->diags, "the function is missing: 'sonde -l \"%s:*\"' lists them",
			  arena_strndup(r->arena,
					r->diags->source->text +
						(p->span.start - r->diags->source->base),
					p->span.end - p->span.start));
	else if (probe_rows[p->id].example)
		diag_hint(r->diags, "such as %s", probe_rows[p->id].example);
	return -1;
}

int prs_nothing(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	return n == 0 || (n == 1 && strcmp(parts[0], "*") == 0) ? 0 : probe_wrong_form(r, p);
}

/* "sched:sched_switch" without "tracepoint:" is a common mistake. */
static bool is_tracepoint(const struct probe_reader *r, const char *category, const char *event)
{
	const struct tp_format *format;

	return event && r->kernel->tracepoint(r->kernel, category, event, &format) == 0;
}

static bool is_function(const struct probe_reader *r, const char *name)
{
	return r->kernel->kernel_function && r->kernel->kernel_function(r->kernel, name) == 0;
}

static int find_row(const struct probe_reader *r, const char *name, const char *next,
		    struct span span, enum probe_id *out)
{
	struct nearest near;
	const char *event, *foreign;
	char *lower = arena_strndup(r->arena, name, strlen(name));

	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	nearest_init(&near, lower);
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		if (probe_type_is(name, strlen(name), i)) {
			*out = (enum probe_id)i;
			return 0;
		}
		nearest_offer(&near, probe_rows[i].name);
	}
	diag_error(r->diags, span, "unknown-probe", "unknown probe type '%s'", name);
	if (strstr(name, "\xc2\xa0"))
		return diag_hint(r->diags, "a no-break space (U+00A0) is in it: write a space");
	if (is_tracepoint(r, name, next))
		return diag_hint(r->diags, "write tracepoint:%s:%s", name, next);
	foreign = probe_foreign(r, name, next);
	if (foreign)
		return diag_hint(r->diags, "%s", foreign);
	if (near.best)
		return diag_hint(r->diags, "did you mean '%s'?", near.best);
	if (strpbrk(name, "=<>"))
		return diag_hint(r->diags, "a condition stands between slashes: PROBE "
					   "/args.prev_pid == 1/ { … }");
	event = probe_event_called(r, name);
	if (event)
		return diag_hint(r->diags, "write tracepoint:%s", event);
	if (is_tracepoint(r, "syscalls", arena_printf(r->arena, "sys_enter_%s", name)))
		return diag_hint(r->diags, "write tracepoint:syscalls:sys_enter_%s", name);
	if (is_function(r, name))
		return diag_hint(r->diags, "write kprobe:%s, or kretprobe:%s for its return", name,
				 name);
	return diag_hint(r->diags, "'sonde --help probes' lists the probe types");
}

const struct typed_function *probe_typed(const struct attach_point *p)
{
	switch (probe_rows[p->id].arm) {
	case ARM_KERNEL: return p->kernel.typed;
	case ARM_USER: return p->user.typed;
	case ARM_TYPED: return p->typed;
	default: return NULL;
	}
}

struct attach_target *probe_functions(const struct attach_point *p, uint32_t *n)
{
	bool is_at_returns = probe_is_at_returns(p);

	*n = is_at_returns ? p->user.n_entries : p->n_targets;
	return is_at_returns ? p->user.entries : p->targets;
}

bool probe_find_type(const char *text, enum probe_id *id)
{
	size_t n = strcspn(text, ":");

	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (probe_type_is(text, n, (enum probe_id)i)) {
			*id = (enum probe_id)i;
			return true;
		}
	return false;
}

bool probe_text_is_of_kernel(const char *text)
{
	enum probe_id id;

	return probe_find_type(text, &id) && !prog_kind_is(probe_rows[id].program, PK_TRACER);
}

bool probe_find_call(const char *text, enum probe_id *id)
{
	return strchr(text, ':') && probe_find_type(text, id) &&
	       prog_kind_is(probe_rows[*id].program, PK_USER_FUNCTION | PK_KERNEL_FUNCTION);
}

enum { MAX_PARTS = 8 };

/* The bytes that one character of an attach point takes at `c`: 2 for a backslash in quotes and the
 * letter after it, else 1. */
static size_t letter_length(const char *c, bool is_quoted)
{
	return is_quoted && c[0] == '\\' && c[1] ? 2 : 1;
}

/* Store the letter that the backslash at `c` stands for: \xNN is a byte, any other one itself.
 * Returns the last character that belongs to it. */
static const char *escaped_letter(const char *c, char *to)
{
	char digits[3] = "";

	*to = c[1];
	if (c[1] != 'x' || !isxdigit((unsigned char)c[2]) || !isxdigit((unsigned char)c[3]))
		return c + 1;
	memcpy(digits, c + 2, 2);
	*to = (char)strtoul(digits, NULL, 16);
	if (*to)
		return c + 3;
	*to = 'x';
	return c + 1;
}

/* Split at ':' outside double quotes, dropping the quotes and the backslashes in them. After the
 * first part "::" is a part of a name of C++ or Rust. */
static uint32_t split(struct arena *a, const char *text, char **parts)
{
	for (uint32_t n = 0;;) {
		const char *end = probe_end_of_part(text, ':');

		while (n && end[0] && end[1] == ':')
			end = probe_end_of_part(end + 2, ':');
		if (n + 1 == MAX_PARTS)
			end = text + strlen(text);
		parts[n++] = probe_unquoted(a, arena_strndup(a, text, (size_t)(end - text)));
		if (!*end)
			return n;
		text = end + 1;
	}
}

static const char *canonical_name(struct arena *a, const struct attach_point *p, char **parts,
				  uint32_t n)
{
	const char *name = probe_rows[p->id].name;

	for (uint32_t i = 0; i < n; i++)
		name = arena_printf(a, "%s:%s", name, parts[i]);
	return name;
}

int probe_resolve(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *out)
{
	char *parts[MAX_PARTS];
	uint32_t n = split(r->arena, text->text, parts);

	*out = (struct attach_point){.span = text->span};
	if (find_row(r, parts[0], n > 1 ? parts[1] : NULL, text->span, &out->id))
		return -1;
	if (probe_rows[out->id].parse(r, out, parts + 1, n - 1))
		return -1;
	if (!out->name)
		out->name = canonical_name(r->arena, out, parts + 1, n - 1);
	return 0;
}

/* `name` of the attach point with `written` in place of the path; others unchanged. */
static const char *show_path(struct arena *a, const struct attach_point *p, const char *name,
			     const char *path, const char *written)
{
	const char *type = probe_rows[p->id].name;
	size_t at = strlen(type) + 1, len = strlen(path);

	if (!name || strncmp(name, type, at - 1) != 0 || strlen(name) < at + len ||
	    strncmp(name + at, path, len) != 0 || name[at + len] != ':')
		return name;
	return arena_printf(a, "%s:%s%s", type, written, name + at + len);
}

static void show_targets(struct arena *a, struct attach_point *p, struct attach_target *t,
			 uint32_t n, const char *written)
{
	for (uint32_t i = 0; i < n; i++) {
		t[i].name = show_path(a, p, t[i].name, t[i].path, written);
		t[i].shown = written;
	}
}

void probe_show_path(struct arena *a, struct attach_point *p, const char *written)
{
	const char *path = p->n_targets ? p->targets[0].path : NULL;

	if (!path || pattern_is(written))
		return;
	for (uint32_t i = 0; i < p->n_targets; i++)
		p->targets[i].called = written;
	if (!strchr(written, '/'))
		return;
	show_targets(a, p, p->targets, p->n_targets, written);
	if (point_has(p, ARM_USER))
		show_targets(a, p, p->user.entries, p->user.n_entries, written);
	p->name = show_path(a, p, p->name, path, written);
	p->pattern = show_path(a, p, p->pattern, path, written);
}

/* ---- patterns ------------------------------------------------------------------------------ */

char *probe_unquoted(struct arena *a, const char *text)
{
	char *letters = arena_strdup(a, text), *to = letters;
	bool is_quoted = false;

	for (const char *c = text; *c; c++) {
		if (letter_length(c, is_quoted) == 2)
			c = escaped_letter(c, to++);
		else if (*c == '"')
			is_quoted = !is_quoted;
		else
			*to++ = *c;
	}
	*to = '\0';
	return letters;
}

uint64_t probe_number(struct arena *a, const char *text)
{
	bool is_hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	uint64_t n;

	/* of a literal's suffixes, such as 10ms, none has a meaning here */
	if (!is_hex && text[strspn(text, "0123456789_e")])
		return 0;
	return literal_word_number(a, text, &n) ? n : 0;
}

int probe_check_number(const struct probe_reader *r, const struct attach_point *p,
		       const char *requested, const char *what)
{
	if (p->n_targets <= LIMIT_TARGETS || r->lists)
		return 0;
	diag_error(r->diags, p->span, "limit-probes",
		   "%s matches %u %s, the limit for a probe is %d", requested, p->n_targets, what,
		   LIMIT_TARGETS);
	return diag_hint(r->diags, "make the pattern more specific");
}

int probe_read_offset(const struct probe_reader *r, const struct attach_point *p,
		      const char *function, char *plus, uint64_t *out)
{
	const struct probe_row *row = &probe_rows[p->id];
	char *end;

	*plus++ = '\0';
	errno = 0;
	*out = strtoull(plus, &end, 0);
	if (*plus < '0' || *plus > '9' || *end || errno) {
		diag_error(r->diags, p->span, "bad-offset", "'%s' is not an offset", plus);
		return diag_hint(r->diags, "write %s+16 or %s+0x10", function, function);
	}
	if (!probe_is_return(p))
		return 0;
	diag_error(r->diags, p->span, "bad-offset",
		   "%s has no offsets: it fires when the function returns", row->name);
	return diag_hint(r->diags, "write %s:… to probe inside the function",
			 probe_rows[row->entry].name);
}

const char *probe_end_of_part(const char *text, char end)
{
	bool is_quoted = false;

	for (; *text && (is_quoted || *text != end); text += letter_length(text, is_quoted))
		is_quoted ^= *text == '"';
	return text;
}

bool probe_is_named(enum probe_id id)
{
	enum plan_prog_kind kind = probe_rows[id].program;

	if (prog_kind_is(kind, PK_PERIOD))
		return prog_kind_is(kind, PK_SCOPED);
	return prog_kind_is(kind, PK_TYPED) ||
	       (prog_kind_is(kind, PK_EVENT) && !(probe_rows[id].listing & LIST_FORM));
}

/* Expand a text whose probe type is not a pattern. */
static int resolve_type(const struct probe_reader *r, const struct attach_text *text,
			struct attach_point **points, uint32_t *n_points)
{
	struct probe_expansion e = {.r = r, .text = text, .points = points, .n_points = n_points};
	size_t n = strcspn(text->text, ":");

	if (text->text[n])
		e.rest = probe_unquoted(r->arena, text->text + n + 1);
	if (!probe_find_type(text->text, &e.id))
		return exp_one(&e);
	return r->kernel->recording ? recorded_expand(&e) : probe_rows[e.id].expand(&e);
}

/* True if a pattern of types includes this type. Types whose names are in files are included only
 * if the text names a file. */
static bool is_one_of(const struct probe_row *row, const char *pattern, bool is_file)
{
	return row->listing & LIST_ALWAYS && is_file == !!(row->listing & LIST_FILE) &&
	       pattern_matches(pattern, row->name);
}

/* Expand for each type that the pattern matches. Types without such an attach point are skipped
 * silently. */
static int resolve_types(const struct probe_reader *r, const struct attach_text *text,
			 struct attach_point **points, uint32_t *n_points)
{
	const char *rest = strchr(text->text, ':');
	const char *type = arena_strndup(r->arena, text->text, (size_t)(rest - text->text));
	uint32_t before = *n_points, n_types = 0;

	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		struct diags quiet = {.arena = r->arena, .source = r->diags->source};
		struct probe_reader reader = *r;
		struct attach_text one = {.span = text->span};

		reader.diags = &quiet;
		if (!is_one_of(&probe_rows[i], type, strchr(rest, '/')))
			continue;
		n_types++;
		one.text = arena_printf(r->arena, "%s%s", probe_rows[i].name, rest);
		if (!kernel_lacks(r->kernel, probe_rows[i].capability))
			resolve_type(&reader, &one, points, n_points);
	}
	if (*n_points > before)
		return 0;
	diag_error(r->diags, text->span, "no-match",
		   n_types ? "no probe matches '%s'" : "no probe type matches '%s'",
		   n_types ? text->text : type);
	return diag_hint(r->diags, "patterns of types stand for kprobe, fentry, tracepoint, "
				   "rawtracepoint, software, hardware and iter, before a file's "
				   "name for uprobe and usdt");
}

/* Length of NAME= at the start of an attach point, 0 when it has none. */
static size_t name_length(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	return n && text[n] == '=' && (text[0] < '0' || text[0] > '9') ? n + 1 : 0;
}

int probe_resolve_all(const struct probe_reader *r, const struct attach_text *text,
		      struct attach_point **points, uint32_t *n_points)
{
	size_t n = name_length(text->text);
	struct attach_text plain = {.text = text->text + n, .span = text->span};
	const char *wild = strpbrk(plain.text, "*?"), *colon = strchr(plain.text, ':');
	uint32_t first = *n_points;

	if (*text->text && text->text[strlen(text->text) - 1] == ';') {
		diag_error(r->diags, text->span, "attach-form",
			   "a ';' follows the attach point, where its block or a condition is");
		return diag_hint(r->diags, "write %.*s { … }", (int)strlen(text->text) - 1,
				 text->text),
		       -1;
	}
	if (wild && colon && wild < colon ? resolve_types(r, &plain, points, n_points)
					  : resolve_type(r, &plain, points, n_points))
		return -1;
	for (uint32_t i = first; n && i < *n_points; i++) {
		(*points)[i].resolved = (*points)[i].name;
		(*points)[i].name = arena_strndup(r->arena, text->text, n - 1);
		(*points)[i].is_named = true;
	}
	return 0;
}
