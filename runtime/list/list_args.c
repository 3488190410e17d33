/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -lv: what a probe is given, below its name, from format files and BTF; and -l of types. Where
 * neither says anything, the name stands alone.
 */
#define _GNU_SOURCE
#include "parser/lang/kernel.h"
#include "runtime/kernel/btf_text.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/list/list_impl.h"
#include <fnmatch.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

struct btf_text *list_types(struct listing *l)
{
	const struct btf_raw *btf;

	if (!l->has_types && (btf = kernel_btf(l->kernel)))
		l->types = btf_text_new(btf);
	l->has_types = true;
	return l->types;
}

void list_field(const struct tp_field *f, const char *name, FILE *out)
{
	if (f->declared)
		fprintf(out, "    %s\n", f->declared);
	else
		fprintf(out, "    %s%s%s\n", f->type_text, *name ? " " : "", name);
}

void fld_tracepoint(struct listing *l, const char *name, FILE *out)
{
	const char *colon = strchr(name, ':');
	char *category = colon ? strndup(name, (size_t)(colon - name)) : NULL;
	const struct tp_format *f = NULL;

	if (category && l->kernel->tracepoint(l->kernel, category, colon + 1, &f))
		f = NULL;
	for (uint32_t i = 0; f && i < f->n_fields; i++)
		list_field(&f->fields[i], f->fields[i].name, out);
	free(category);
}

void fld_kprobe(struct listing *l, const char *name, FILE *out)
{
	struct list_function f = list_function(l, name);

	if (f.id)
		btf_text_params(f.types, f.id, 0, true, out);
}

void fld_result(struct listing *l, const char *name, FILE *out)
{
	struct list_function f = list_function(l, name);

	if (f.id)
		btf_text_result(f.types, f.id, out);
}

struct program_fields {
	const char *name;
	FILE *out;
};

static void print_of_program(const struct typed_function *f, void *ctx)
{
	const struct program_fields *p = ctx;
	char name[512];

	snprintf(name, sizeof(name), "bpf:%u:%s", f->prog_id, f->name);
	for (uint32_t i = 0; i < f->n_params && strcmp(name, p->name) == 0; i++)
		list_field(&f->params[i], f->params[i].name, p->out);
}

void fld_function(struct listing *l, const char *name, FILE *out)
{
	struct program_fields of_program = {name, out};
	struct list_function f;

	if (strncmp(name, "bpf:", 4) == 0) {
		l->kernel->each_bpf_function(l->kernel, print_of_program, &of_program);
		return;
	}
	f = list_function(l, name);
	if (f.id)
		btf_text_params(f.types, f.id, 0, false, out);
}

void fld_function_result(struct listing *l, const char *name, FILE *out)
{
	fld_function(l, name, out);
	fld_result(l, name, out);
}

/* Its type has no names; the function that calls its probes has, after its own first parameter. */
void fld_raw_tracepoint(struct listing *l, const char *name, FILE *out)
{
	const char *colon = strrchr(name, ':');
	int n = colon ? (int)(colon + 1 - name) : 0;
	struct list_function f;
	char function[512];

	snprintf(function, sizeof(function), "%.*s__traceiter_%s", n, name, name + n);
	f = list_function(l, function);
	if (f.id)
		btf_text_params(f.types, f.id, 1, false, out);
}

/* The first member, `meta`, is every iterator's. */
void fld_iterator(struct listing *l, const char *name, FILE *out)
{
	char type[256];
	uint32_t id;

	snprintf(type, sizeof(type), "bpf_iter__%s", name);
	id = list_types(l) ? btf_text_type(l->types, type, BTF_KIND_STRUCT) : 0;
	if (id)
		btf_text_members(l->types, id, 1, out);
}

/* ---- types --------------------------------------------------------------------------------- */

static const struct type_word {
	const char *word; /* and the blank behind it */
	uint32_t kinds[2];
} type_words[] = {
	{"struct ", {BTF_KIND_STRUCT}},
	{"union ", {BTF_KIND_UNION}},
	{"enum ", {BTF_KIND_ENUM, BTF_KIND_ENUM64}},
};

static const struct type_word *find_type_word(const char *line)
{
	for (size_t i = 0; i < sizeof(type_words) / sizeof(*type_words); i++)
		if (strncmp(line, type_words[i].word, strlen(type_words[i].word)) == 0)
			return &type_words[i];
	return NULL;
}

struct type_pattern {
	struct listing *l;
	const char *word, *pattern;
};

static void take_type(const char *name, void *ctx)
{
	const struct type_pattern *p = ctx;
	char *line = NULL;

	if (p->l->near)
		return list_near_compare(p->l, p->word, p->pattern, name, false);
	if (fnmatch(p->pattern, name, 0) != 0)
		return;
	if (asprintf(&line, "%s%s", p->word, name) < 0)
		line = NULL;
	list_keep(p->l, line);
}

bool list_is_type(const char *line)
{
	return find_type_word(line);
}

void list_type_names(struct listing *l, const char *word)
{
	const struct type_word *w = find_type_word(word);
	struct type_pattern p = {.l = l, .word = w->word};

	p.pattern = word + strlen(w->word);
	p.pattern += strspn(p.pattern, " ");
	if (!list_types(l))
		return list_refuse(l, "types are in /sys/kernel/btf/vmlinux, which cannot be read");
	for (int i = 0; i < 2 && w->kinds[i]; i++)
		btf_text_each(l->types, w->kinds[i], take_type, &p);
}

void list_type_definition(struct listing *l, const char *line, FILE *out)
{
	const struct type_word *w = find_type_word(line);
	uint32_t id = 0;

	for (int i = 0; i < 2 && w->kinds[i] && !id; i++)
		id = btf_text_type(l->types, line + strlen(w->word), w->kinds[i]);
	fputs("vmlinux: ", out);
	btf_text_definition(l->types, id, out);
}
