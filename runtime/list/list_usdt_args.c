/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -lv of a USDT probe: a line for each argument, `int32 arg0`, from the operands in the file's
 * notes. Operands may differ between the locations of a probe: all types are printed, and arguments
 * that are not available at all locations are marked.
 */
#include "parser/attach/probe_parse.h"
#include "parser/base/find.h"
#include "parser/lang/usdt_operand.h"
#include "runtime/list/list_impl.h"

enum {
	FORMATS_MOST = 64
}; /* that are compared: further ones differ in registers, rarely in types */

struct note_arguments {
	const char *provider, *name; /* of the probe */
	struct arena *arena;
	struct usdt_format formats[FORMATS_MOST];
	uint32_t n;
};

static void take_format(const struct usdt_note *note, void *ctx)
{
	struct note_arguments *a = ctx;
	struct usdt_format f;

	if (strcmp(note->provider, a->provider) != 0 || strcmp(note->name, a->name) != 0)
		return;
	usdt_format_parse(a->arena, note->args ? note->args : "", USDT_HERE, &f);
	if (a->n < FORMATS_MOST && !FIND(a->formats, a->n, usdt_format_same(item, &f)))
		a->formats[a->n++] = f;
}

static const char *type_text(struct arena *a, const struct usdt_format *f, uint32_t i)
{
	const struct usdt_operand *o = &f->args[i];

	if (i >= f->n)
		return "unreadable";
	if (o->kind == USDT_UNREADABLE)
		return arena_printf(a, "unreadable (%s)", o->text);
	return arena_printf(a, "%sint%u", o->is_signed ? "" : "u", o->size * 8U);
}

/* Print each type that the argument has, once. */
static void print_argument(const struct note_arguments *a, uint32_t i, FILE *out)
{
	const char *types[FORMATS_MOST];
	uint32_t n = 0, n_without = 0;

	for (uint32_t k = 0; k < a->n; k++) {
		const char *type = NULL;

		n_without += i >= a->formats[k].n_noted;
		if (i < a->formats[k].n_noted)
			type = type_text(a->arena, &a->formats[k], i);
		if (type && !FIND(types, n, strcmp(*item, type) == 0))
			types[n++] = type;
	}
	for (uint32_t k = 0; k < n; k++)
		fprintf(out, "%s%s", k ? " or " : "    ", types[k]);
	fprintf(out, " arg%u%s\n", i, n_without ? " (not at all places)" : "");
}

/* `name` is PATH:PROVIDER:NAME. */
void fld_usdt(struct listing *l, const char *name, FILE *out)
{
	char *path = probe_unquoted(l->arena, name), *last = strrchr(path, ':'), *provider;
	struct note_arguments *a = arena_new_of(l->arena, struct note_arguments);
	uint32_t n = 0;

	if (last)
		*last = '\0';
	provider = last ? strrchr(path, ':') : NULL;
	if (!provider)
		return;
	*provider = '\0';
	*a = (struct note_arguments){.provider = provider + 1, .name = last + 1, .arena = l->arena};
	l->kernel->each_usdt(l->kernel, path, take_format, a);
	for (uint32_t i = 0; i < a->n; i++)
		n = a->formats[i].n_noted > n ? a->formats[i].n_noted : n;
	for (uint32_t i = 0; i < n; i++)
		print_argument(a, i, out);
}
