/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check hook of `call`. Its value has room for the arguments of any function of the probe;
 * functions without debug information have none.
 */
#include "bpf_helpers/shared.h"
#include "parser/lang/call_value.h"
#include "parser/sema/sema_type.h"

static const struct type *no_call(struct sema *s, const struct expr *e,
				  const struct attach_point *p)
{
	sema_error(s, e->span, "wrong-probe", "'call' is not available in %s", p->name);
	return sema_hint(s, "it is the call of a function of a program: uretprobe:FILE:FUNCTION");
}

/* Make room for the functions of an attach point. True: something is known of one. */
static bool add_functions(struct sema *s, struct attach_point *p, struct call_layout *most)
{
	uint32_t n;
	struct attach_target *t = probe_functions(p, &n);
	bool is_known = false;

	for (uint32_t i = 0; i < n; i++) {
		struct call_layout l;

		user_types_shown(s, p, &t[i]);
		is_known |= t[i].typed != NULL;
		l = call_layout_of(t[i].typed, p->user.abi);
		most->n_results = l.n_results > most->n_results ? l.n_results : most->n_results;
		most->texts |= l.texts;
		most->n_words = l.n_words > most->n_words ? l.n_words : most->n_words;
		most->n_texts = l.n_texts > most->n_texts ? l.n_texts : most->n_texts;
	}
	return is_known;
}

const struct type *chk_call(struct sema *s, struct expr *e)
{
	struct call_layout most = {0};
	bool is_known = false;
	struct type *t;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		struct attach_point *p = &s->probe->points[i];

		if (!point_has(p, ARM_USER) || !probe_is_return(p))
			return no_call(s, e, p);
		is_known |= add_functions(s, p, &most);
	}
	if (!sema_need_span(s, e, "call"))
		return &type_error;
	t = arena_new_of(s->arena, struct type);
	*t = call_type(most, is_known);
	return t;
}
