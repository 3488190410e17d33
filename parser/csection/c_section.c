/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes a script's C section: preprocessor, definitions, values of macros. Does nothing for a
 * script that has none.
 */
#include "parser/csection/c_section.h"
#include "parser/csection/c_headers.h"
#include "parser/csection/c_parse.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"

static void predefine(struct preprocessor *p, struct kernel *k)
{
	preprocess_define(p, "SONDE", 1);
	if (kernel_has(k, CAP_BTF))
		preprocess_define(p, "BPFTRACE_HAVE_BTF", 1);
#ifdef __aarch64__
	preprocess_define(p, "__aarch64__", 1);
#else
	preprocess_define(p, "__x86_64__", 1);
#endif
	preprocess_define(p, "__LP64__", 1);
	preprocess_define(p, "__bpf__", 1);
}

/* What <linux/version.h> defines: the kernel's version is that of the running one. */
static void define_version(struct preprocessor *p, struct kernel *k)
{
	uint32_t version = k->version ? k->version(k) : 0;
	const char *text = arena_printf(
		p->arena,
		"#define LINUX_VERSION_CODE %u\n"
		"#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))\n",
		version);
	struct source *s = source_from_text(p->arena, "linux/version.h", text, strlen(text));

	if (!version || !s)
		return;
	s->is_hidden = true;
	if (source_add_file(p->arena, p->source, s))
		preprocess_text(p, s);
}

static void include(struct preprocessor *p, const char *path, struct span span)
{
	struct c_include include = {.path = path, .span = span, .is_quoted = true};

	arena_push(p->arena, p->includes, p->n_includes, include);
}

static void include_headers(struct preprocessor *p, struct program *program, struct kernel *k)
{
	if (!k->preprocess_c)
		return;
	c_headers_new(p, program->c_types, k);
	for (uint32_t i = 0; i < program->n_headers; i++)
		include(p, program->headers[i].text, program->headers[i].span);
	for (uint32_t i = 0; i < k->n_include_files; i++)
		include(p, k->include_files[i], (struct span){0});
}

void c_section(struct arena *a, struct program *program, struct kernel *k, struct diags *d)
{
	struct preprocessor *p;
	struct c_parser parser = {.arena = a, .diags = d, .types = program->c_types};

	if (!program->n_c_items && !program->n_headers && !k->n_include_files)
		return;
	p = arena_new_of(a, struct preprocessor);
	*p = (struct preprocessor){.arena = a, .diags = d, .source = program->source};
	include_headers(p, program, k);
	predefine(p, k);
	define_version(p, k);
	preprocess(p, program);
	parser.pre = p;
	parser.tokens = p->out.items;
	c_parse(&parser);
	macro_values_replace(p, program);
}
