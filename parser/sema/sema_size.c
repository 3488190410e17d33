/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Size limits, a part of pass 3: keys, bodies, and the number of attach points.
 */
#include "parser/sema/sema.h"

static uint32_t key_bytes(const struct map *m)
{
	uint32_t size = 4;

	for (uint32_t i = 0; i < m->n_keys; i++)
		if (m->key_types[i])
			size += m->key_types[i]->size + 7;
	return size;
}

static void check_maps(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_maps; i++) {
		const struct map *m = s->program->maps[i];

		if (key_bytes(m) <= LIMIT_KEY_BYTES)
			continue;
		diag_error(s->diags, m->first, "limit-key",
			   "the key of %s takes more than %d bytes", m->name, LIMIT_KEY_BYTES);
		diag_hint(s->diags, "read shorter strings: str(x, 64)");
	}
}

static void check_probe_count(struct sema *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		n += s->program->probes[i]->n_points;
		if (n > LIMIT_PROBES) {
			diag_error(s->diags, s->program->probes[i]->span, "limit-probes",
				   "more than %d attach points in one script", LIMIT_PROBES);
			return;
		}
	}
}

struct length {
	struct sema *s;
	uint32_t n;
};

/* Reports the first expression above the limit. */
static void measure(struct expr *e, void *ctx)
{
	struct length *l = ctx;

	l->n += e->kind == EX_CALL || e->kind == EX_MAP || e->kind == EX_NAME;
	if (l->n == LIMIT_BODY + 1) {
		diag_error(l->s->diags, e->span, "limit-body",
			   "this probe is too long: more than %d calls, maps and builtins in it",
			   LIMIT_BODY);
		diag_hint(l->s->diags, "spread them over several probes, or write a loop");
		l->n++;
	}
	ast_each_child(e, measure, ctx);
}

/* Each takes about 50 instructions and 3 branches; the verifier follows at most 8192 branches. */
static void check_length(struct sema *s, struct probe *p)
{
	struct length l = {.s = s};

	ast_each_in_probe(p, measure, &l);
}

void sema_check_sizes(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++)
		check_length(s, s->program->probes[i]);
	check_maps(s);
	check_probe_count(s);
}
