/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a formatted script before it is used (fmt.h): it must have the tree of the original, and
 * formatting it again must not change it.
 */
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"
#include "parser/syntax/ast_dump.h"
#include "parser/syntax/fmt.h"
#include <stdlib.h>
#include <string.h>

struct text {
	char *data;
	size_t len;
};

static FILE *open_text(struct text *t)
{
	FILE *f = open_memstream(&t->data, &t->len);

	if (!f)
		arena_out_of_memory();
	return f;
}

static void close_text(FILE *f)
{
	if (fclose(f))
		arena_out_of_memory();
}

static struct text format(struct arena *a, const struct source *s)
{
	struct text t = {0};
	FILE *f = open_text(&t);

	fmt_script(a, s, f);
	close_text(f);
	return t;
}

/* The tree as text. Whether a body was written in '<' and '>' does not matter. */
static struct text tree(struct program *p)
{
	struct text t = {0};
	FILE *f = open_text(&t);

	for (uint32_t i = 0; i < p->n_probes; i++)
		p->probes[i]->is_angle = false;
	ast_dump(p, false, f);
	close_text(f);
	return t;
}

static bool is_same(const struct text *x, const struct text *y)
{
	return x->len == y->len && memcmp(x->data, y->data, x->len) == 0;
}

/* True if `t` is the same script as `p` and in canonical form. */
static bool is_faithful(struct arena *a, struct program *p, const struct text *t)
{
	struct source *s = source_from_text(a, "formatted", t->data, t->len);
	struct diags d = {.arena = a, .source = s};
	struct program *again = s ? parse(a, s, &d) : NULL;
	struct text x, y, z;
	bool is_right;

	if (!again || d.n_errors)
		return false;
	x = tree(p);
	y = tree(again);
	z = format(a, s);
	is_right = is_same(&x, &y) && is_same(t, &z);
	free(x.data);
	free(y.data);
	free(z.data);
	return is_right;
}

char *fmt_checked(struct arena *a, struct program *p, const struct source *s, size_t *len)
{
	struct text t = format(a, s);

	*len = t.len;
	if (is_faithful(a, p, &t))
		return t.data;
	free(t.data);
	return NULL;
}
