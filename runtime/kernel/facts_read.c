/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a text file of facts, one a line:
 *	tracepoint CATEGORY:EVENT [raw]		with the lines of its tracefs format file below it
 *	raw NAME				a raw tracepoint with BTF types
 *	symbol PATH NAME ADDRESS OFFSET SIZE [exits|jump]
 *		a function in an ELF file; in recordings: its return probes were on the
 *		instructions by which it is left, one of which is a jump
 *	go PATH [VERSION]			the file was built by the Go compiler (go1.19)
 *	loads PATH LIBRARY			a library that a program loads, by its path
 *	source PATH FILE LINE[:COLUMN] SYMBOL OFFSET	where the code of a source line begins
 *	arguments PATH SYMBOL RESULT TYPE:PARAM …
 *		a function's prototype in debug information; double and struct take no word of
 *		the arguments; the location of a `lost` one is unknown; TYPE:PARAM@WORD if
 *		it is not the word behind the one before
 *	usdt PATH PROVIDER:NAME ADDRESS SEMAPHORE ARGUMENTS
 *		a location of a USDT probe; its address is also its file offset; the arguments
 *		as in the note, but separated by ';', or - for none
 *	object PATH NAME ADDRESS		a variable in an ELF file
 *	mapped PATH				a file that processes run
 *	alias PATH NAME				a link to it, or a name that scripts have for it
 *	function NAME				a function of the kernel
 *	address NAME ADDRESS			a symbol of the kernel
 *	cgroup PATH ID				a cgroup's directory
 *	kfunc NAME				a kernel function that programs may call
 *	typed MODULE NAME RESULT TYPE:PARAM …	what BTF says of it; bpf:ID: of a program's
 *	typed-raw MODULE NAME TYPE:PARAM …	a raw tracepoint's (types: set_type)
 *	iterator NAME FIELD:TYPE…		TYPE: pointer, struct.X*, u32, s64 …; from offset 0
 *	struct TAG SIZE [TYPEDEF]		of BTF, or union; the tag #N: it has none
 *	member OFFSET[:BIT:BITS] TYPE [NAME]	of the struct or union above
 *	enum TAG TYPE				TYPE: int32, uint32 …
 *	value NAME NUMBER			of the enum above
 *	typedef NAME TYPE			TYPE: as int32, string[16], struct.sock*, uint64[4]
 *	capability NAME [unknown]		an id of parser/lang/capabilities.def
 *	cpus N					possible CPUs; default 1
 *	recorded PROBE				a probe whose events a recording has: as written,
 *		or TYPE:PATH:SYMBOL of functions, usdt:PATH:PROVIDER:NAME
 *	version MAJOR.MINOR.PATCH		of Linux; default: unknown
 * Blank lines and lines that start with '#' are skipped; paths are compared as they are written.
 * All of it is read at the start, so that a bad line is reported before anything else happens.
 * Readers of lines return false if the line is wrong.
 */
#include "parser/base/find.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/kernel/facts_impl.h"
#include "runtime/kernel/tracefs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* In a format file the first word ends with a colon, which no directive does. */
static bool is_format_line(const char *line)
{
	static const char *const starts[] = {"name:", "ID:", "format:", "field:", "print fmt:"};

	line += strspn(line, " \t\r");
	if (*line == '\n' || *line == '\0' || *line == '#')
		return true;
	return TEXT_PREFIX(starts, line);
}

/* Skip the lines of a format, up to the next line of facts. */
static void skip_format(struct facts_reader *r)
{
	for (; *r->rest && is_format_line(r->rest); r->line_number++) {
		r->rest += strcspn(r->rest, "\n");
		r->rest += *r->rest == '\n';
	}
}

static bool is_word(const struct facts_reader *r, uint32_t i, const char *word)
{
	return r->words[i] && strcmp(r->words[i], word) == 0;
}

static bool read_tracepoint(struct facts_reader *r, struct fact *f)
{
	struct facts *k = r->k;
	char *event = strchr(r->words[1], ':'), *text = r->rest;
	uint32_t line = r->line_number;
	int err;

	if (!event || event == f->name || !event[1] || (r->words[2] && !is_word(r, 2, "raw")))
		return false;
	*event++ = '\0';
	skip_format(r);
	err = tracefs_format_parse(k->arena, f->name, event, text, (size_t)(r->rest - text),
				   &f->format);
	if (err) {
		r->line_number = line;
		r->wrong = err == -EINVAL
				   ? "no format follows: paste the tracepoint's tracefs file "
				     "'format'"
				   : strerror(-err);
		return false;
	}
	if (r->words[2]) {
		arena_push(k->arena, k->facts, k->n_facts,
			   ((struct fact){.kind = FACT_RAW, .name = event}));
		k->capabilities[CAP_RAW_TRACEPOINTS] = CAPABILITY_YES;
	}
	return true;
}

static bool read_number(const char *word, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(word, &end, 0);
	return !errno && word[0] >= '0' && word[0] <= '9' && !*end;
}

static bool read_symbol(struct facts_reader *r, struct fact *f)
{
	struct user_symbol *s = &f->symbol;

	*s = (struct user_symbol){.path = f->name, .symbol = r->words[2]};
	if (r->words[6])
		f->exits = is_word(r, 6, "jump") ? EXITS_JUMPS : EXITS_ALL;
	return read_number(r->words[3], &s->address) && read_number(r->words[4], &s->offset) &&
	       read_number(r->words[5], &s->size);
}

static bool read_object(struct facts_reader *r, struct fact *f)
{
	f->symbol = (struct user_symbol){.path = f->name, .symbol = r->words[2]};
	return read_number(r->words[3], &f->symbol.address);
}

/* The address of a symbol of the kernel, or the ID of a cgroup. */
static bool read_address(struct facts_reader *r, struct fact *f)
{
	return read_number(r->words[2], &f->symbol.address);
}

static bool read_other(struct facts_reader *r, struct fact *f)
{
	f->other = r->words[2] ?: "go1.19";
	return true;
}

static bool read_source(struct facts_reader *r, struct fact *f)
{
	char *end;

	f->other = r->words[2];
	f->symbol = (struct user_symbol){.path = f->name, .symbol = r->words[4]};
	f->line = (uint32_t)strtoul(r->words[3], &end, 10);
	if (*end == ':')
		f->column = (uint32_t)strtoul(end + 1, &end, 10);
	return !*end && read_number(r->words[5], &f->symbol.offset);
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
		{"char", "char", 1, true},
		{"int8", "signed char", 1, true},
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
			f->place = f->is_float ? PLACE_FLOATS : PLACE_NUMBER;
			return true;
		}
	f->type = facts_type(k, word);
	if (f->type)
		set_from_type(k, f);
	return f->type;
}

static bool set_params(struct facts_reader *r, uint32_t i, bool is_user, struct typed_function *f)
{
	uint32_t at = 0;

	f->params = arena_alloc(r->k->arena, FACT_WORDS_MAX * sizeof(*f->params));
	for (; i < r->n_words; i++) {
		char *colon = strchr(r->words[i], ':'), *word;
		struct tp_field *p = &f->params[f->n_params++];

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
		if (is_word(r, i, "lost"))
			p->offset = TYPED_NO_PLACE;
		else if (p->size || !is_user)
			at += 8;
	}
	return true;
}

static bool read_typed(struct facts_reader *r, struct fact *fact)
{
	bool is_raw = fact->kind == FACT_TYPED_RAW, is_user = fact->kind == FACT_ARGUMENTS;
	struct typed_function *f = arena_new_of(r->k->arena, struct typed_function);
	char *id = is_user ? NULL : strchr(r->words[1], ':');

	if (id) {
		*id = '\0';
		f->prog_id = (uint32_t)strtoul(id + 1, NULL, 10);
	}
	f->module = fact->name;
	f->name = r->words[2];
	fact->typed = f;
	return set_type(r->k, &f->result, is_raw ? "void" : r->words[3]) &&
	       set_params(r, is_raw ? 3 : 4, is_user, f);
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

static bool read_iterator(struct facts_reader *r, struct fact *f)
{
	struct iter_field *fields = arena_alloc(r->k->arena, FACT_WORDS_MAX * sizeof(*fields));
	bool ok = true;

	for (uint32_t i = 2; ok && i < r->n_words; i++)
		ok = read_iter_field(r->words[i], i - 2, &fields[i - 2]);
	f->iter =
		(struct kernel_iter){.name = f->name, .fields = fields, .n_fields = r->n_words - 2};
	return ok;
}

static bool read_usdt(struct facts_reader *r, struct fact *f)
{
	struct usdt_note *n = &f->note;
	char *colon = strchr(r->words[2], ':');

	if (!colon || !read_number(r->words[3], &n->address) ||
	    !read_number(r->words[4], &n->semaphore))
		return false;
	*colon = '\0';
	for (char *c = r->words[5]; *c; c++)
		if (*c == ';')
			*c = ' ';
	n->path = f->name;
	n->provider = r->words[2];
	n->name = colon + 1;
	n->offset = n->address;
	n->args = is_word(r, 5, "-") ? "" : r->words[5];
	return true;
}

static bool read_capability(struct facts_reader *r, struct fact *f)
{
	__auto_type row = FIND(capability_rows, CAP_COUNT, strcasecmp(f->name, item->id) == 0);

	if (!row) {
		r->wrong = "unknown capability: `sonde --info -f json` has the names";
		return false;
	}
	r->k->capabilities[row - capability_rows] =
		r->words[2] ? CAPABILITY_UNKNOWN : CAPABILITY_YES;
	return !r->words[2] || is_word(r, 2, "unknown");
}

static bool read_cpus(struct facts_reader *r, struct fact *f)
{
	uint64_t n;

	if (!read_number(f->name, &n) || n < 1 || n > 8192)
		return false;
	r->k->n_cpus = (uint32_t)n;
	return true;
}

/* A kind of line. A kernel with such a fact has the capability. */
static const struct line {
	const char *form;
	uint32_t least, most; /* words */
	enum fact_kind kind;
	enum capability_id implies;
	bool (*read)(struct facts_reader *r, struct fact *f);
} lines[] = {
	{"tracepoint CATEGORY:EVENT [raw]", 2, 3, FACT_TRACEPOINT, CAP_TRACEPOINTS,
	 read_tracepoint},
	{"raw NAME", 2, 2, FACT_RAW, CAP_RAW_TRACEPOINTS, NULL},
	{"symbol PATH NAME ADDRESS OFFSET SIZE [exits|jump]", 6, 7, FACT_SYMBOL, CAP_NONE,
	 read_symbol},
	{"function NAME", 2, 2, FACT_FUNCTION, CAP_NONE, NULL},
	{"capability NAME [unknown]", 2, 3, FACT_NONE, CAP_NONE, read_capability},
	{"cpus N, 1 to 8192", 2, 2, FACT_NONE, CAP_NONE, read_cpus},
	{"go PATH [VERSION]", 2, 3, FACT_GO, CAP_NONE, read_other},
	{"loads PATH LIBRARY", 3, 3, FACT_LOADS, CAP_NONE, read_other},
	{"alias PATH NAME", 3, 3, FACT_ALIAS, CAP_NONE, read_other},
	{"source PATH FILE LINE[:COLUMN] SYMBOL OFFSET", 6, 6, FACT_SOURCE, CAP_NONE, read_source},
	{"typed MODULE NAME RESULT TYPE:PARAM …", 4, FACT_WORDS_MAX, FACT_TYPED, CAP_NONE,
	 read_typed},
	{"typed-raw MODULE NAME TYPE:PARAM …", 3, FACT_WORDS_MAX, FACT_TYPED_RAW, CAP_NONE,
	 read_typed},
	{"arguments PATH SYMBOL RESULT TYPE:PARAM …", 4, FACT_WORDS_MAX, FACT_ARGUMENTS, CAP_NONE,
	 read_typed},
	{"iterator NAME FIELD:TYPE…, the types pointer, u32, s64 …", 3, FACT_WORDS_MAX,
	 FACT_ITERATOR, CAP_ITERATORS, read_iterator},
	{"usdt PATH PROVIDER:NAME ADDRESS SEMAPHORE ARGUMENTS", 6, 6, FACT_USDT, CAP_NONE,
	 read_usdt},
	{"object PATH NAME ADDRESS", 4, 4, FACT_OBJECT, CAP_NONE, read_object},
	{"mapped PATH", 2, 2, FACT_MAPPED, CAP_NONE, NULL},
	{"address NAME ADDRESS", 3, 3, FACT_ADDRESS, CAP_NONE, read_address},
	{"cgroup PATH ID", 3, 3, FACT_CGROUP, CAP_NONE, read_address},
	{"kfunc NAME", 2, 2, FACT_KFUNC, CAP_NONE, NULL},
	{"version MAJOR.MINOR.PATCH", 2, 2, FACT_VERSION, CAP_NONE, NULL},
	{"recorded PROBE", 2, 2, FACT_RECORDED, CAP_NONE, NULL},
	{"local PATH OFFSET NAME TYPE here|gone|early|entry|pieces|static|unknown [REGISTER [NUMBER]]",
	 6, 8, FACT_LOCAL, CAP_NONE, facts_read_local},
	{"struct TAG SIZE [TYPEDEF]", 3, 4, FACT_NONE, CAP_NONE, facts_read_struct},
	{"union TAG SIZE [TYPEDEF]", 3, 4, FACT_NONE, CAP_NONE, facts_read_struct},
	{"member OFFSET[:BIT:BITS] TYPE [NAME], after struct or union", 3, 4, FACT_NONE, CAP_NONE,
	 facts_read_member},
	{"enum TAG TYPE, where TYPE is an integer", 3, 3, FACT_NONE, CAP_NONE, facts_read_enum},
	{"value NAME NUMBER, after enum", 3, 3, FACT_NONE, CAP_NONE, facts_read_value},
	{"typedef NAME TYPE", 3, 3, FACT_NONE, CAP_NONE, facts_read_typedef},
};
enum { N_LINES = sizeof(lines) / sizeof(*lines) };

static int bad_line(const struct facts_reader *r, const char *form)
{
	return log_error("%s:%u: %s%s", r->path, r->line_number, r->wrong ? "" : "write ",
			 r->wrong ?: form);
}

static int unknown_line(const struct facts_reader *r)
{
	char words[512];
	size_t n = 0;

	for (size_t i = 0; i < N_LINES; i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%.*s, ",
				      (int)strcspn(lines[i].form, " "), lines[i].form);
	return log_error("%s:%u: a line starts with %sor #", r->path, r->line_number, words);
}

static int read_words(struct facts_reader *r)
{
	size_t n = strlen(r->words[0]);
	const struct line *l =
		FIND_ROW(lines, !strncmp(item->form, r->words[0], n) && item->form[n] == ' ');
	struct fact fact = {.name = r->words[1]};

	if (!l)
		return unknown_line(r);
	fact.kind = l->kind;
	if (r->n_words < l->least || r->n_words > l->most || (l->read && !l->read(r, &fact)))
		return bad_line(r, l->form);
	if (l->kind)
		arena_push(r->k->arena, r->k->facts, r->k->n_facts, fact);
	if (l->implies != CAP_NONE)
		r->k->capabilities[l->implies] = CAPABILITY_YES;
	return 0;
}

/* Split the next line into words. False at the end of the file. */
static bool next_line(struct facts_reader *r)
{
	char *line = r->rest, *end = line + strcspn(line, "\n"), *save = NULL, *word;

	if (!*line)
		return false;
	r->rest = end + (*end == '\n');
	*end = '\0';
	r->line_number++;
	memset(r->words, 0, sizeof(r->words));
	r->n_words = 0;
	for (word = strtok_r(line, " \t\r", &save); word && r->n_words <= FACT_WORDS_MAX;
	     word = strtok_r(NULL, " \t\r", &save))
		r->words[r->n_words++] = word;
	return true;
}

int facts_read(struct facts *k, const char *path)
{
	struct facts_reader r = {.k = k, .path = path, .rest = k->text};
	int err = 0;

	while (!err && next_line(&r))
		if (r.n_words && r.words[0][0] != '#')
			err = read_words(&r);
	return err;
}
