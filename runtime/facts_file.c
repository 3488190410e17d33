/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about a kernel out of a text file, one a line:
 *	tracepoint CATEGORY:EVENT [raw]		with the lines of its tracefs format file below it
 *	raw NAME				a raw tracepoint with BTF types
 *	symbol PATH NAME ADDRESS OFFSET SIZE	a function in an ELF file
 *	go PATH					the Go compiler made that file
 *	loads PATH LIBRARY			a library that a program loads, by its path
 *	source PATH FILE LINE SYMBOL OFFSET	where in PATH the code of a source line begins
 *	function NAME				a function of the kernel
 *	typed MODULE NAME RESULT TYPE:PARAM …	what BTF says of it; bpf:ID: of a program's
 *	typed-raw MODULE NAME TYPE:PARAM …	a raw tracepoint's (types: set_type)
 *	feature btf|kprobe|uprobe|uprobe_multi
 *	cpus N					possible CPUs, 1 when nothing is said
 * Blank lines and lines that start with '#' are skipped; paths are compared as they are written.
 * What the file does not say does not exist. All of it is read at the start, so that a bad line is
 * reported before anything else happens; of two equal facts the first counts.
 */
#include "facts_file.h"
#include "demangle.h"
#include "ldcache.h"
#include "log.h"
#include "tracefs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fact_kind {
	FACT_TRACEPOINT,
	FACT_RAW,
	FACT_SYMBOL,
	FACT_FUNCTION,
	FACT_GO,
	FACT_LOADS,
	FACT_SOURCE,
	FACT_TYPED,
	FACT_TYPED_RAW,
};

struct fact {
	enum fact_kind kind;
	union {
		struct tp_format *format;  /* FACT_TRACEPOINT; one block of its own */
		const char *name;	   /* FACT_RAW, FACT_FUNCTION, FACT_GO */
		struct user_symbol symbol; /* FACT_SYMBOL; FACT_SOURCE */
		struct typed_function *typed; /* FACT_TYPED, FACT_TYPED_RAW; two blocks */
	};
	const char *other; /* FACT_LOADS: the library; FACT_SOURCE: the source */
	uint32_t line;
};

struct facts {
	struct kernel k; /* first: a struct kernel * is a struct facts * */
	char *text;	 /* the file; names point into it */
	struct fact *facts;
	uint32_t n_facts, room;
	bool has[KF_COUNT];
	uint32_t n_cpus;
};

static void free_typed(struct typed_function *f)
{
	if (f)
		free(f->params);
	free(f);
}

static const struct facts *facts_of(const struct kernel *k)
{
	return (const struct facts *)k;
}

/* ---- answers ---- */

static int facts_tracepoint(struct kernel *kernel, const char *category, const char *event,
			    const struct tp_format **out)
{
	const struct facts *k = facts_of(kernel);
	const struct tp_format *format;

	for (uint32_t i = 0; i < k->n_facts; i++) {
		format = k->facts[i].format;
		if (k->facts[i].kind == FACT_TRACEPOINT && !strcmp(format->event, event) &&
		    !strcmp(format->category, category)) {
			*out = format;
			return 0;
		}
	}
	return -ENOENT;
}

static int facts_each_tracepoint(struct kernel *kernel, const char *category, kernel_name_fn fn,
				 void *ctx)
{
	const struct facts *k = facts_of(kernel);
	const struct tp_format *format;
	char name[512];

	for (uint32_t i = 0; i < k->n_facts; i++) {
		format = k->facts[i].format;
		if (k->facts[i].kind != FACT_TRACEPOINT ||
		    (category && strcmp(format->category, category)))
			continue;
		snprintf(name, sizeof(name), "%s:%s", format->category, format->event);
		fn(name, ctx);
	}
	return 0;
}

static bool has_name(const struct facts *k, enum fact_kind kind, const char *name)
{
	for (uint32_t i = 0; i < k->n_facts; i++)
		if (k->facts[i].kind == kind && !strcmp(k->facts[i].name, name))
			return true;
	return false;
}

static bool facts_has_raw_tracepoint(struct kernel *kernel, const char *name)
{
	return has_name(facts_of(kernel), FACT_RAW, name);
}

static int facts_kernel_function(struct kernel *kernel, const char *name)
{
	return has_name(facts_of(kernel), FACT_FUNCTION, name) ? 0 : -ENOENT;
}

static int facts_user_symbol(struct kernel *kernel, const char *path, const char *symbol,
			     struct user_symbol *out)
{
	const struct facts *k = facts_of(kernel);
	const char *found = NULL;

	for (uint32_t i = 0; i < k->n_facts; i++) {
		if (k->facts[i].kind != FACT_SYMBOL || strcmp(k->facts[i].symbol.path, path))
			continue;
		found = k->facts[i].symbol.path;
		if (!strcmp(k->facts[i].symbol.symbol, symbol)) {
			*out = k->facts[i].symbol;
			return 0;
		}
	}
	if (!found)
		return -ENOENT;
	out->path = found;
	return -ESRCH;
}

static int facts_each_user_function(struct kernel *kernel, const char *path, user_function_fn fn,
				    void *ctx)
{
	const struct facts *k = facts_of(kernel);
	int err = -ENOENT;

	for (uint32_t i = 0; i < k->n_facts; i++) {
		if (k->facts[i].kind != FACT_SYMBOL || strcmp(k->facts[i].symbol.path, path))
			continue;
		fn(&k->facts[i].symbol, ctx);
		err = 0;
	}
	return err;
}

static bool facts_user_is_go(struct kernel *kernel, const char *path)
{
	return has_name(facts_of(kernel), FACT_GO, path);
}

static int facts_user_library(struct kernel *kernel, const char *path, const char *name,
			      const char **out, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->n_facts; i++) {
		const struct fact *f = &k->facts[i];
		const char *slash;

		if (f->kind != FACT_LOADS || strcmp(f->name, path))
			continue;
		slash = strrchr(f->other, '/');
		*out = f->other;
		if (ldcache_is_library(slash ? slash + 1 : f->other, name))
			return 0;
		fn(f->other, ctx);
	}
	return -ESRCH;
}

static int facts_each_user_line(struct kernel *kernel, const char *path, const char *source,
				uint32_t line, user_function_fn fn, void *ctx, uint32_t *near_line)
{
	const struct facts *k = facts_of(kernel);
	int err = -ENODATA;

	for (uint32_t i = 0; i < k->n_facts; i++) {
		const struct fact *f = &k->facts[i];

		if (f->kind != FACT_SOURCE || strcmp(f->symbol.path, path))
			continue;
		if (strcmp(f->other, source)) {
			err = err == -ENODATA ? -ENOENT : err;
		} else if (f->line != line) {
			*near_line = f->line > line && !*near_line ? f->line : *near_line;
			err = err ? -ESRCH : 0;
		} else {
			fn(&f->symbol, ctx);
			err = 0;
		}
	}
	return err;
}

static bool facts_demangle(struct kernel *kernel, const char *symbol, bool with_parameters,
			   char *out, size_t size)
{
	(void)kernel;
	return demangle(symbol, with_parameters, out, size);
}

static int facts_each_kernel_function(struct kernel *kernel, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->n_facts; i++)
		if (k->facts[i].kind == FACT_FUNCTION)
			fn(k->facts[i].name, ctx);
	return 0;
}

static const struct typed_function *typed_at(const struct facts *k, uint32_t i,
					      enum typed_kind kind)
{
	enum fact_kind wanted = kind == TYPED_FUNCTION ? FACT_TYPED : FACT_TYPED_RAW;

	return k->facts[i].kind == wanted ? k->facts[i].typed : NULL;
}

static int facts_typed(struct kernel *kernel, enum typed_kind kind, const char *module,
		       const char *name, const struct typed_function **out)
{
	const struct facts *k = facts_of(kernel);
	bool has_module = !module;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n_facts; i++) {
		const struct typed_function *f = typed_at(k, i, kind);
		bool in_module = f && (!module || !strcmp(module, f->module));

		has_module |= in_module;
		if (!in_module || f->prog_id || strcmp(f->name, name))
			continue;
		*out = f;
		if (module || !strcmp(f->module, "vmlinux"))
			return 0;
		n++;
	}
	return n == 1 ? 0 : n ? -ENOTUNIQ : has_module ? -ENOENT : -ESRCH;
}

static int facts_each_typed(struct kernel *kernel, enum typed_kind kind, const char *module,
			    kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);
	char text[512];

	for (uint32_t i = 0; i < k->n_facts; i++) {
		const struct typed_function *f = typed_at(k, i, kind);

		if (!f || f->prog_id || (module && strcmp(module, f->module)))
			continue;
		snprintf(text, sizeof(text), "%s [%s]", f->name, f->module);
		fn(strcmp(f->module, "vmlinux") ? text : f->name, ctx);
	}
	return 0;
}

static int facts_each_bpf_function(struct kernel *kernel, typed_function_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->n_facts; i++)
		if (k->facts[i].kind == FACT_TYPED && k->facts[i].typed->prog_id)
			fn(k->facts[i].typed, ctx);
	return 0;
}

static bool facts_has_feature(struct kernel *kernel, enum kernel_feature f)
{
	return (unsigned int)f < KF_COUNT && facts_of(kernel)->has[f];
}

static uint32_t facts_n_cpus(struct kernel *k)
{
	return facts_of(k)->n_cpus ? facts_of(k)->n_cpus : 1;
}

static void facts_close(struct kernel *kernel)
{
	struct facts *k = (struct facts *)kernel;

	for (uint32_t i = 0; i < k->n_facts; i++) {
		if (k->facts[i].kind == FACT_TRACEPOINT)
			free(k->facts[i].format);
		if (k->facts[i].kind == FACT_TYPED || k->facts[i].kind == FACT_TYPED_RAW)
			free_typed(k->facts[i].typed);
	}
	free(k->facts);
	free(k->text);
	free(k);
}

/* ---- the file ---- */

enum { WORDS_MAX = 16 };

/* One line, and what is left of the file behind it. */
struct reader {
	struct facts *k;
	const char *path;
	char *line, *rest; /* line is cut into words; a format's lines stay as they are */
	uint32_t line_number;
	char *words[WORDS_MAX + 1]; /* one more than any directive takes */
	uint32_t n_words;
};

static int bad_line(const struct reader *r, const char *what)
{
	log_error("%s:%u: %s", r->path, r->line_number, what);
	return -1;
}

static int add_fact(const struct reader *r, const struct fact *fact)
{
	struct facts *k = r->k;
	struct fact *more;

	if (k->n_facts == k->room) {
		k->room = k->room ? 2 * k->room : 64;
		more = realloc(k->facts, k->room * sizeof(*more));
		if (!more)
			return bad_line(r, "out of memory");
		k->facts = more;
	}
	k->facts[k->n_facts++] = *fact;
	return 0;
}

static int add_name(const struct reader *r, enum fact_kind kind, const char *name)
{
	return add_fact(r, &(struct fact){.kind = kind, .name = name});
}

/* Directives are known by their first word; a line of a format file ends it with ':'. */
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

/* The lines up to the next directive: a tracepoint's format. */
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
		return bad_line(r, "no format follows: paste the tracepoint's tracefs file 'format'");
	if (err)
		return bad_line(r, strerror(-err));
	if (add_fact(r, &fact)) {
		free(fact.format);
		return -1;
	}
	r->line_number += n_lines;
	return is_raw ? add_name(r, FACT_RAW, event) : 0;
}

static int read_raw(struct reader *r)
{
	return r->n_words == 2 ? add_name(r, FACT_RAW, r->words[1]) : bad_line(r, "write raw NAME");
}

static int read_function(struct reader *r)
{
	return r->n_words == 2 ? add_name(r, FACT_FUNCTION, r->words[1])
			       : bad_line(r, "write function NAME");
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

	s->path = r->words[1];
	s->symbol = r->words[2];
	if (r->n_words != 6 || !read_number(r->words[3], &s->address) ||
	    !read_number(r->words[4], &s->offset) || !read_number(r->words[5], &s->size))
		return bad_line(r, "write symbol PATH NAME ADDRESS OFFSET SIZE, the last three as "
				   "numbers");
	return add_fact(r, &fact);
}

static int read_go(struct reader *r)
{
	return r->n_words == 2 ? add_name(r, FACT_GO, r->words[1]) : bad_line(r, "write go PATH");
}

static int read_loads(struct reader *r)
{
	if (r->n_words != 3)
		return bad_line(r, "write loads PATH LIBRARY");
	return add_fact(r, &(struct fact){.kind = FACT_LOADS, .name = r->words[1],
					  .other = r->words[2]});
}

static int read_source(struct reader *r)
{
	struct fact fact = {.kind = FACT_SOURCE, .other = r->words[2]};
	uint64_t line = 0;

	fact.symbol.path = r->words[1];
	fact.symbol.symbol = r->words[4];
	if (r->n_words != 6 || !read_number(r->words[3], &line) ||
	    !read_number(r->words[5], &fact.symbol.offset))
		return bad_line(r, "write source PATH FILE LINE SYMBOL OFFSET");
	fact.line = (uint32_t)line;
	return add_fact(r, &fact);
}

/* One word's type. */
static bool set_type(struct tp_field *f, const char *word)
{
	static const struct {
		const char *word, *text;
		uint32_t size;
		bool is_signed;
	} types[] = {
		{"void", "void", 0, false},	  {"struct", "struct thing", 0, false},
		{"ptr", "void *", 8, false},	  {"text", "const char *", 8, false},
		{"int8", "char", 1, true},	  {"uint8", "unsigned char", 1, false},
		{"int16", "short", 2, true},	  {"uint16", "unsigned short", 2, false},
		{"int32", "int", 4, true},	  {"uint32", "unsigned int", 4, false},
		{"int64", "long", 8, true},	  {"uint64", "unsigned long", 8, false},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(types[i].word, word))
			continue;
		f->type_text = types[i].text;
		f->size = types[i].size;
		f->is_signed = types[i].is_signed;
		return true;
	}
	return false;
}

static bool set_params(struct reader *r, uint32_t first, struct typed_function *f)
{
	for (uint32_t i = first; i < r->n_words; i++) {
		char *colon = strchr(r->words[i], ':');
		struct tp_field *p = &f->params[f->n_params];

		if (!colon)
			return false;
		*colon = '\0';
		*p = (struct tp_field){.name = colon + 1, .offset = 8 * f->n_params};
		if (!set_type(p, r->words[i]))
			return false;
		f->n_params++;
	}
	return true;
}

static int read_typed(struct reader *r)
{
	bool is_raw = !strcmp(r->words[0], "typed-raw");
	struct fact fact = {.kind = is_raw ? FACT_TYPED_RAW : FACT_TYPED};
	struct typed_function *f = calloc(1, sizeof(*f));
	uint32_t first = is_raw ? 3 : 4;
	char *id;

	if (f)
		f->params = calloc(WORDS_MAX, sizeof(*f->params));
	if (!f || !f->params || r->n_words < first || r->n_words > WORDS_MAX ||
	    !set_type(&f->result, is_raw ? "void" : r->words[3]) || !set_params(r, first, f)) {
		free_typed(f);
		return bad_line(r, "write typed MODULE NAME RESULT TYPE:PARAM …, or typed-raw MODULE NAME "
				   "TYPE:PARAM …");
	}
	f->module = r->words[1];
	f->name = r->words[2];
	id = strchr(r->words[1], ':');
	if (id) {
		*id = '\0';
		f->prog_id = (uint32_t)strtoul(id + 1, NULL, 10);
	}
	fact.typed = f;
	if (!add_fact(r, &fact))
		return 0;
	free_typed(f);
	return -1;
}

static int read_feature(struct reader *r)
{
	static const char *const names[KF_COUNT] = {
		[KF_BTF] = "btf",
		[KF_KPROBE] = "kprobe",
		[KF_UPROBE] = "uprobe",
		[KF_UPROBE_MULTI] = "uprobe_multi",
		[KF_KPROBE_MULTI] = "kprobe_multi",
		[KF_FENTRY] = "fentry",
	};

	for (uint32_t i = 0; r->n_words == 2 && i < KF_COUNT; i++) {
		if (!strcmp(r->words[1], names[i])) {
			r->k->has[i] = true;
			return 0;
		}
	}
	return bad_line(r, "write feature btf, kprobe, uprobe, uprobe_multi, kprobe_multi or fentry");
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
	{"tracepoint", read_tracepoint}, {"raw", read_raw},	    {"symbol", read_symbol},
	{"function", read_function},	 {"feature", read_feature}, {"cpus", read_cpus},
	{"go", read_go},		 {"loads", read_loads},	    {"source", read_source},
	{"typed", read_typed},		 {"typed-raw", read_typed},
};

static int read_directive(struct reader *r)
{
	for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
		if (!strcmp(r->words[0], directives[i].word))
			return directives[i].read(r);
	return bad_line(r, "a line starts with tracepoint, raw, symbol, function, typed, typed-raw, feature, "
			   "cpus or #");
}

/* Cut the next line off the rest. False at the end of the file. */
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

static int read_facts(struct facts *k, const char *path)
{
	struct reader r = {.k = k, .path = path, .rest = k->text};
	int err = 0;

	while (!err && next_line(&r))
		if (r.n_words && r.words[0][0] != '#')
			err = read_directive(&r);
	return err;
}

/* All of the file, as one string. */
static int read_text(const char *path, char **out)
{
	FILE *file = fopen(path, "re");
	size_t room = 0;
	ssize_t n;
	int err = -1;

	if (!file) {
		log_error("cannot read '%s': %s", path, strerror(errno));
		return -1;
	}
	errno = 0;
	n = getdelim(out, &room, '\0', file);
	if (ferror(file) || (n < 0 && errno))
		log_error("cannot read '%s': %s", path, strerror(errno));
	else if (n <= 0)
		log_error("%s: the file is empty", path);
	else if (!feof(file))
		log_error("%s: not a text file", path);
	else
		err = 0;
	fclose(file);
	return err;
}

struct kernel *facts_file_open(const char *path)
{
	struct facts *k = calloc(1, sizeof(*k));

	if (!k) {
		log_error("out of memory");
		return NULL;
	}
	k->k = (struct kernel){
		.tracepoint = facts_tracepoint,
		.each_tracepoint = facts_each_tracepoint,
		.has_raw_tracepoint = facts_has_raw_tracepoint,
		.user_symbol = facts_user_symbol,
		.each_user_function = facts_each_user_function,
		.user_is_go = facts_user_is_go,
		.user_library = facts_user_library,
		.each_user_line = facts_each_user_line,
		.demangle = facts_demangle,
		.each_kernel_function = facts_each_kernel_function,
		.kernel_function = facts_kernel_function,
		.typed = facts_typed,
		.each_typed = facts_each_typed,
		.each_bpf_function = facts_each_bpf_function,
		.has_feature = facts_has_feature,
		.n_cpus = facts_n_cpus,
		.close = facts_close,
	};
	if (!read_text(path, &k->text) && !read_facts(k, path))
		return &k->k;
	facts_close(&k->k);
	return NULL;
}
