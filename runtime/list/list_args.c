/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -lv of kernel probes: arguments and fields, from format files and BTF. If neither has them,
 * nothing is printed below the name.
 */
#include "runtime/btf/btf_text.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/list/list_impl.h"
#include <linux/btf.h>
#include <stdlib.h>

/* As the format file has it: char comm[16]; but __data_loc char[] name. */
void list_field(const struct tp_field *f, const char *name, FILE *out)
{
	size_t len = strcspn(f->type_text ? f->type_text : "", "[");

	if (f->declared)
		fprintf(out, "    %s\n", f->declared);
	else if (f->is_data_loc)
		fprintf(out, "    %s %s\n", f->type_text, name);
	else
		fprintf(out, "    %.*s%s%s%s\n", (int)len, f->type_text, *name ? " " : "", name,
			f->type_text + len);
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
	uint32_t id;
	const struct btf_types *types = kernel_btf_function(l->kernel, name, &id);

	if (id)
		btf_text_params(types, id, 0, true, out);
}

void fld_result(struct listing *l, const char *name, FILE *out)
{
	uint32_t id;
	const struct btf_types *types = kernel_btf_function(l->kernel, name, &id);

	if (id)
		btf_text_result(types, id, out);
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
	const struct btf_types *types;
	uint32_t id;

	if (strncmp(name, "bpf:", 4) == 0) {
		l->kernel->each_bpf_function(l->kernel, print_of_program, &of_program);
		return;
	}
	types = kernel_btf_function(l->kernel, name, &id);
	if (id)
		btf_text_params(types, id, 0, false, out);
}

void fld_function_result(struct listing *l, const char *name, FILE *out)
{
	fld_function(l, name, out);
	fld_result(l, name, out);
}

/* The tracepoint's BTF type has no parameter names. The function that calls its probes has, after
 * its own first parameter. */
void fld_raw_tracepoint(struct listing *l, const char *name, FILE *out)
{
	const char *colon = strrchr(name, ':');
	int n = colon ? (int)(colon + 1 - name) : 0;
	const struct btf_types *types;
	char function[512];
	uint32_t id;

	snprintf(function, sizeof(function), "%.*s__traceiter_%s", n, name, name + n);
	types = kernel_btf_function(l->kernel, function, &id);
	if (id)
		btf_text_params(types, id, 1, false, out);
}

/* Skip the first member, `meta`, which all iterators have. */
void fld_iterator(struct listing *l, const char *name, FILE *out)
{
	char type[256];
	int id;

	snprintf(type, sizeof(type), "bpf_iter__%s", name);
	id = kernel_btf_id(l->kernel, type, BTF_KIND_STRUCT);
	if (id > 0)
		btf_text_members(kernel_btf_types(l->kernel), (uint32_t)id, 1, out);
}
