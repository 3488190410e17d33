/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a facts file line by line. facts_file.c describes the lines.
 */
#define _GNU_SOURCE
#include "runtime/kernel/facts_impl.h"
#include "runtime/base/log.h"
#include "runtime/kernel/tracefs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 16 };

/* The current line and the rest of the file. */
struct reader {
	struct facts *k;
	const char *path;
	char *line, *rest; /* line is split into words; lines of a format are not */
	uint32_t line_number;
	char *words[WORDS_MAX + 1]; /* one more than any directive takes */
	uint32_t n_words;
};

static int bad_line(const struct reader *r, const char *what)
{
	log_error("%s:%u: %s", r->path, r->line_number, what);
	return -1;
}

/* A kernel with a tracepoint has tracepoints, and so on. */
static void imply_capability(struct facts *k, enum fact_kind kind)
{
	static const struct {
		enum fact_kind kind;
		enum capability_id id;
	} rows[] = {
		{FACT_TRACEPOINT, CAP_TRACEPOINTS},
		{FACT_RAW, CAP_RAW_TRACEPOINTS},
		{FACT_ITERATOR, CAP_ITERATORS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].kind == kind)
			k->capabilities[rows[i].id] = CAPABILITY_YES;
}

static int add_fact(const struct reader *r, const struct fact *fact)
{
	struct facts *k = r->k;

	if (vec_push(&k->facts, *fact))
		return bad_line(r, "out of memory");
	imply_capability(k, fact->kind);
	return 0;
}

static int add_name(const struct reader *r, enum fact_kind kind, const char *name)
{
	return add_fact(r, &(struct fact){.kind = kind, .name = name});
}

/* In a format file the first word ends with a colon, which no directive does. */
static bool is_format_line(const char *line)
{
	static const char *const starts[] = {"name:", "ID:", "format:", "field:", "print fmt:"};

	line += strspn(line, " \t\r");
	if (*line == '\n' || *line == '\0' || *line == '#')
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(line, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Skip the lines of a format, up to the next directive; returns their length. */
static size_t take_format(struct reader *r, uint32_t *n_lines)
{
	char *start = r->rest;

	for (*n_lines = 0; *r->rest && is_format_line(r->rest); ++*n_lines) {
		r->rest += strcspn(r->rest, "\n");
		r->rest += *r->rest == '\n';
	}
	return r->rest - start;
}

static int read_tracepoint(struct reader *r)
{
	bool is_raw = r->n_words == 3 && !strcmp(r->words[2], "raw");
	char *category = r->words[1], *event = category ? strchr(category, ':') : NULL;
	const char *text = r->rest;
	struct fact fact = {.kind = FACT_TRACEPOINT};
	uint32_t n_lines;
	size_t len;
	int err;

	if (!event || event == category || !event[1] || (r->n_words != 2 && !is_raw))
		return bad_line(r, "write tracepoint CATEGORY:EVENT [raw]");
	*event++ = '\0';
	len = take_format(r, &n_lines);
	err = tracefs_format_parse(category, event, text, len, &fact.format);
	if (err == -EINVAL)
		return bad_line(r,
				"no format follows: paste the tracepoint's tracefs file 'format'");
	if (err)
		return bad_line(r, strerror(-err));
	if (add_fact(r, &fact)) {
		free(fact.format);
		return -1;
	}
	r->line_number += n_lines;
	return is_raw ? add_name(r, FACT_RAW, event) : 0;
}

/* Lines of a word and a name. */
static int read_name(struct reader *r)
{
	static const struct {
		const char *word;
		enum fact_kind kind;
	} rows[] = {{"raw", FACT_RAW},	       {"function", FACT_FUNCTION},
		    {"mapped", FACT_MAPPED},   {"kfunc", FACT_KFUNC},
		    {"version", FACT_VERSION}, {"recorded", FACT_RECORDED}};
	char what[64];
	size_t i = 0;

	while (strcmp(rows[i].word, r->words[0]) != 0)
		i++;
	snprintf(what, sizeof(what), "write %s NAME", rows[i].word);
	return r->n_words == 2 ? add_name(r, rows[i].kind, r->words[1]) : bad_line(r, what);
}

static bool read_number(const char *word, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(word, &end, 0);
	return !errno && word[0] >= '0' && word[0] <= '9' && !*end;
}

static int read_symbol(struct reader *r)
{
	struct fact fact = {.kind = FACT_SYMBOL};
	struct user_symbol *s = &fact.symbol;

	*s = (struct user_symbol){.path = r->words[1], .symbol = r->words[2]};
	if (r->n_words == 7)
		fact.exits = strcmp(r->words[6], "jump") ? EXITS_ALL : EXITS_JUMPS;
	if (r->n_words < 6 || r->n_words > 7 || !read_number(r->words[3], &s->address) ||
	    !read_number(r->words[4], &s->offset) || !read_number(r->words[5], &s->size))
		return bad_line(r, "write symbol PATH NAME ADDRESS OFFSET SIZE [exits|jump]");
	return add_fact(r, &fact);
}

static int read_go(struct reader *r)
{
	struct fact fact = {.kind = FACT_GO, .name = r->words[1], .other = "go1.19"};

	if (r->n_words < 2 || r->n_words > 3)
		return bad_line(r, "write go PATH VERSION");
	if (r->n_words == 3)
		fact.other = r->words[2];
	return add_fact(r, &fact);
}

static int read_loads(struct reader *r)
{
	if (r->n_words != 3)
		return bad_line(r, "write loads PATH LIBRARY");
	return add_fact(r, &(struct fact){.kind = FACT_LOADS,
					  .name = r->words[1],
					  .other = r->words[2]});
}

static int read_source(struct reader *r)
{
	struct fact fact = {.kind = FACT_SOURCE, .other = r->words[2]};
	char *end = "x";

	fact.symbol.path = r->words[1];
	fact.symbol.symbol = r->words[4];
	if (r->n_words == 6)
		fact.line = (uint32_t)strtoul(r->words[3], &end, 10);
	if (*end == ':')
		fact.column = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end || !read_number(r->words[5], &fact.symbol.offset))
		return bad_line(r, "write source PATH FILE LINE[:COLUMN] SYMBOL OFFSET");
	return add_fact(r, &fact);
}

/* Of a type of C: "struct.sock*". */
static void set_from_type(struct facts *k, struct tp_field *f)
{
	const struct type *to = f->type;

	f->type_text = type_str(k->arena, f->type);
	f->size = f->type->kind == TY_STRUCT ? 0 : f->type->size;
	f->is_signed = f->type->is_signed;
	for (; to->kind == TY_POINTER; to = to->to)
		f->to.levels++;
	f->to.text = type_str(k->arena, to);
	f->to.size = to->kind == TY_INT ? to->size : 0;
	f->to.is_signed = to->is_signed;
}

static bool set_type(struct facts *k, struct tp_field *f, const char *word)
{
	static const struct {
		const char *word, *text;
		uint32_t size;
		bool is_signed;
		struct tp_pointee to;
		bool is_float;
	} types[] = {
		{"void", "void", 0, false},
		{"struct", "struct thing", 0, false},
		{"ptr", "void *", 8, false, {1, 0, false, "void"}},
		{"text", "const char *", 8, false, {1, 1, true, "const char"}},
		{"texts", "char **", 8, false, {2, 1, true, "char"}},
		{"numbers", "int *", 8, false, {1, 4, true, "int"}},
		{"things", "struct thing *", 8, false, {1, 0, false, "struct thing"}},
		{"int8", "char", 1, true},
		{"uint8", "unsigned char", 1, false},
		{"int16", "short", 2, true},
		{"uint16", "unsigned short", 2, false},
		{"int32", "int", 4, true},
		{"uint32", "unsigned int", 4, false},
		{"int64", "long", 8, true},
		{"uint64", "unsigned long", 8, false},
		{"double", "double", 0, false, {0}, true},
		{"lost", "int", 4, true},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].word, word)) {
			f->type_text = types[i].text;
			f->size = types[i].size;
			f->is_signed = types[i].is_signed;
			f->to = types[i].to;
			f->is_float = types[i].is_float;
			return true;
		}
	f->type = facts_type(k, word);
	if (f->type)
		set_from_type(k, f);
	return f->type;
}

static bool set_params(struct reader *r, uint32_t first, struct typed_function *f)
{
	bool is_user = !strcmp(r->words[0], "arguments");
	uint32_t at = 0;

	for (uint32_t i = first; i < r->n_words; i++) {
		char *colon = strchr(r->words[i], ':'), *word;
		struct tp_field *p = &f->params[f->n_params];

		if (!colon)
			return false;
		*colon = '\0';
		if ((word = strchr(colon + 1, '@'))) {
			*word++ = '\0';
			at = 8 * (uint32_t)strtoul(word, NULL, 10);
		}
		*p = (struct tp_field){.name = colon + 1, .offset = at};
		if (!set_type(r->k, p, r->words[i]))
			return false;
		if (!strcmp(r->words[i], "lost"))
			p->offset = TYPED_NO_PLACE;
		else if (p->size || !is_user)
			at += 8;
		f->n_params++;
	}
	return true;
}

static int read_typed(struct reader *r)
{
	bool is_raw = !strcmp(r->words[0], "typed-raw");
	bool is_user = !strcmp(r->words[0], "arguments");
	struct fact fact = {.kind = is_raw    ? FACT_TYPED_RAW
				    : is_user ? FACT_ARGUMENTS
					      : FACT_TYPED};
	struct typed_function *f = calloc(1, sizeof(*f));
	uint32_t first = is_raw ? 3 : 4;
	char *id;

	if (f)
		f->params = calloc(WORDS_MAX, sizeof(*f->params));
	if (!f || !f->params || r->n_words < first || r->n_words > WORDS_MAX ||
	    !set_type(r->k, &f->result, is_raw ? "void" : r->words[3]) ||
	    !set_params(r, first, f)) {
		facts_free_typed(f);
		return bad_line(
			r, is_user ? "write arguments PATH SYMBOL RESULT TYPE:PARAM …"
				   : "write typed MODULE NAME RESULT TYPE:PARAM …, or typed-raw "
				     "MODULE NAME TYPE:PARAM …");
	}
	f->module = r->words[1];
	f->name = r->words[2];
	id = is_user ? NULL : strchr(r->words[1], ':');
	if (id) {
		*id = '\0';
		f->prog_id = (uint32_t)strtoul(id + 1, NULL, 10);
	}
	fact.typed = f;
	if (!add_fact(r, &fact))
		return 0;
	facts_free_typed(f);
	return -1;
}

static bool read_iter_field(char *word, uint32_t i, struct iter_field *f)
{
	char *type = strchr(word, ':');
	unsigned long bits = type ? strtoul(type + 2, NULL, 10) : 0;

	if (!type)
		return false;
	*type++ = '\0';
	*f = (struct iter_field){.name = word,
				 .offset = 8 * i,
				 .size = (uint32_t)bits / 8,
				 .is_signed = *type == 's',
				 .is_pointer = !strcmp(type, "pointer") || strchr(type, '*')};
	if (f->is_pointer)
		f->size = 8;
	if (strncmp(type, "struct.", 7) == 0) {
		type[6] = ' ';
		*strchrnul(type, '*') = '\0';
		f->to = type;
	}
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

static int read_iterator(struct reader *r)
{
	struct fact fact = {.kind = FACT_ITERATOR};
	struct kernel_iter *iter = &fact.iter;
	bool ok = r->n_words > 2 && r->n_words <= WORDS_MAX;
	int err;

	iter->fields = calloc(WORDS_MAX, sizeof(*iter->fields));
	iter->name = r->words[1];
	for (uint32_t i = 2; ok && iter->fields && i < r->n_words; i++)
		ok = read_iter_field(r->words[i], i - 2, &iter->fields[iter->n_fields++]);
	err = !iter->fields ? bad_line(r, "out of memory")
	      : !ok ? bad_line(r, "write iterator NAME FIELD:TYPE…, the types pointer, u32, s64 …")
		    : add_fact(r, &fact);
	if (err)
		free(iter->fields);
	return err;
}

static int read_usdt(struct reader *r)
{
	struct fact fact = {.kind = FACT_USDT};
	struct usdt_note *n = &fact.note;
	char *colon = r->words[2] ? strchr(r->words[2], ':') : NULL;

	if (r->n_words != 6 || !colon || !read_number(r->words[3], &n->address) ||
	    !read_number(r->words[4], &n->semaphore))
		return bad_line(r, "write usdt PATH PROVIDER:NAME ADDRESS SEMAPHORE ARGUMENTS");
	*colon = '\0';
	for (char *c = r->words[5]; *c; c++)
		if (*c == ';')
			*c = ' ';
	n->path = r->words[1];
	n->provider = r->words[2];
	n->name = colon + 1;
	n->offset = n->address;
	n->args = strcmp(r->words[5], "-") ? r->words[5] : "";
	return add_fact(r, &fact);
}

static int read_object(struct reader *r)
{
	struct fact fact = {.kind = FACT_OBJECT};

	fact.symbol = (struct user_symbol){.path = r->words[1], .symbol = r->words[2]};
	if (r->n_words != 4 || !read_number(r->words[3], &fact.symbol.address))
		return bad_line(r, "write object PATH NAME ADDRESS");
	return add_fact(r, &fact);
}

/* The address of a symbol of the kernel, or the ID of a cgroup. */
static int read_numbered(struct reader *r)
{
	bool is_cgroup = strcmp(r->words[0], "cgroup") == 0;
	struct fact fact = {.kind = is_cgroup ? FACT_CGROUP : FACT_ADDRESS};

	fact.symbol.symbol = r->words[1];
	if (r->n_words != 3 || !read_number(r->words[2], &fact.symbol.address))
		return bad_line(r,
				is_cgroup ? "write cgroup PATH ID" : "write address NAME ADDRESS");
	return add_fact(r, &fact);
}

static int read_capability(struct reader *r)
{
	bool is_unknown = r->n_words == 3 && !strcmp(r->words[2], "unknown");

	if (r->n_words != 2 && !is_unknown)
		return bad_line(r, "write capability NAME [unknown]");
	for (uint32_t i = 0; i < CAP_COUNT; i++) {
		if (!strcasecmp(r->words[1], capability_rows[i].id)) {
			r->k->capabilities[i] = is_unknown ? CAPABILITY_UNKNOWN : CAPABILITY_YES;
			return 0;
		}
	}
	return bad_line(r, "unknown capability: `sonde --info -f json` has the names");
}

static int read_cpus(struct reader *r)
{
	uint64_t n;

	if (r->n_words != 2 || !read_number(r->words[1], &n) || n < 1 || n > 8192)
		return bad_line(r, "write cpus N, 1 to 8192");
	r->k->n_cpus = (uint32_t)n;
	return 0;
}

static const struct {
	const char *word;
	int (*read)(struct reader *r);
} directives[] = {
	{"tracepoint", read_tracepoint},
	{"raw", read_name},
	{"symbol", read_symbol},
	{"function", read_name},
	{"capability", read_capability},
	{"cpus", read_cpus},
	{"go", read_go},
	{"loads", read_loads},
	{"source", read_source},
	{"typed", read_typed},
	{"typed-raw", read_typed},
	{"arguments", read_typed},
	{"iterator", read_iterator},
	{"usdt", read_usdt},
	{"object", read_object},
	{"mapped", read_name},
	{"address", read_numbered},
	{"cgroup", read_numbered},
	{"kfunc", read_name},
	{"version", read_name},
	{"recorded", read_name},
};

static int read_directive(struct reader *r)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
		if (!strcmp(r->words[0], directives[i].word))
			return directives[i].read(r);
	if (facts_read_alias(r->k, r->words, r->n_words, &wrong) ||
	    facts_read_type(r->k, r->words, r->n_words, &wrong))
		return wrong ? bad_line(r, wrong) : 0;
	return bad_line(
		r,
		"a line starts with tracepoint, raw, symbol, usdt, object, mapped, alias, function, typed, typed-raw, arguments, iterator, address, cgroup, kfunc, capability, cpus, version, recorded, struct, union, member, enum, value, typedef or #");
}

/* Take the next line off the rest. False at the end of the file. */
static bool next_line(struct reader *r)
{
	char *end, *save = NULL, *word;

	if (!*r->rest)
		return false;
	r->line = r->rest;
	end = r->line + strcspn(r->line, "\n");
	r->rest = end + (*end == '\n');
	*end = '\0';
	r->line_number++;
	memset(r->words, 0, sizeof(r->words));
	r->n_words = 0;
	for (word = strtok_r(r->line, " \t\r", &save); word && r->n_words <= WORDS_MAX;
	     word = strtok_r(NULL, " \t\r", &save))
		r->words[r->n_words++] = word;
	return true;
}

int facts_read(struct facts *k, const char *path)
{
	struct reader r = {.k = k, .path = path, .rest = k->text};
	int err = 0;

	while (!err && next_line(&r))
		if (r.n_words && r.words[0][0] != '#')
			err = read_directive(&r);
	return err;
}
