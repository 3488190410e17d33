/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -lv of a user function: parameters and result, from debug information.
 */
#include "parser/attach/probe_user.h"
#include "runtime/base/log.h"
#include "runtime/list/list_impl.h"

/* Warn once, about the first file. */
static void report_untyped(struct listing *l, const char *path, int err)
{
	if (l->is_untyped_reported || l->is_quiet)
		return;
	l->is_untyped_reported = true;
	if (err == -ENOSYS)
		log_warning(
			"types are left out: the library libdw, which reads them, is not installed");
	else if (err == -EFBIG)
		log_warning(
			"types are left out: the debug information of %s claims to be many times larger "
			"than the file; decompress it with objcopy --decompress-debug-sections",
			path);
	else if (err == -EPROTONOSUPPORT)
		log_warning("types are left out: the debug information of %s is compressed by "
			    "zstd, which libdw cannot read here; decompress it with objcopy "
			    "--decompress-debug-sections",
			    path);
	else
		log_warning(
			"types are left out: %s has no debug information; build it with -g, or install "
			"its debug symbols",
			path);
}

static const struct typed_function *type_of(struct listing *l, const char *name)
{
	const char *colon = user_path_end(name), *path;
	const struct typed_function *f = NULL;
	int err;

	if (!colon)
		return NULL;
	path = probe_unquoted(l->arena, arena_strndup(l->arena, name, (size_t)(colon - name)));
	err = l->kernel->user_typed ? l->kernel->user_typed(l->kernel, path, l->line->offset, &f)
				    : -ENOSYS;
	if (err && err != -ESRCH && err != -ENOLINK && err != -ENOPKG)
		report_untyped(l, path, err);
	return err ? NULL : f;
}

/* As debug information is shown by bpftrace: `const char* name`, where kernel types have a space
 * before the star. */
static void put_field(struct listing *l, const struct tp_field *f, const char *name, FILE *out)
{
	const char *text = f->declared ? f->declared
				       : arena_printf(l->arena, "%s%s%s", f->type_text,
						      *name ? " " : "", name);

	fputs("    ", out);
	for (const char *c = text; *c; c++)
		if (*c != ' ' || (c[1] != '*' && c[1] != '&'))
			fputc(*c, out);
	fputc('\n', out);
}

static void print_parameters(struct listing *l, const struct typed_function *f, FILE *out)
{
	for (uint32_t i = 0; f && i < f->n_params; i++)
		put_field(l, &f->params[i], f->params[i].name, out);
}

void fld_symbol(struct listing *l, const char *name, FILE *out)
{
	print_parameters(l, type_of(l, name), out);
}

/* Parameters are available as entry(args.NAME), the result as `retval` unless the function ends in
 * jumps to others. */
void fld_symbol_result(struct listing *l, const char *name, FILE *out)
{
	const struct typed_function *f = type_of(l, name);

	print_parameters(l, f, out);
	if (f && f->result.size && l->line->has_jump)
		fprintf(out, "    %s // no retval: it ends in a jump to another function\n",
			f->result.type_text);
	else if (f)
		put_field(l, &f->result, f->result.size ? "retval" : "", out);
}
