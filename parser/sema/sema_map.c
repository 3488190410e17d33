/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of builtins.def for functions on maps and their entries. Pass 1 has made
 * f(@m, key) f(@m[key]).
 */
#include "parser/lang/agg.h"
#include "parser/sema/sema_type.h"

const struct type *chk_clear(struct sema *s, struct expr *e)
{
	const struct expr *m = e->call.args[0];

	if (m->map.n_keys) {
		sema_error(s, m->span, "arg-type", "%s takes the whole map %s, not one entry",
			   e->call.name, m->map.name);
		sema_hint(s, "write %s(%s), or delete(%s[…]) for one entry", e->call.name,
			  m->map.name, m->map.name);
	}
	return &type_void;
}

const struct type *chk_has_key(struct sema *s, struct expr *e)
{
	const struct expr *m = e->call.args[0];

	if (e->call.n_args > 1 || m->map.n_keys == 0) {
		sema_error(s, e->span, "arg-count", "has_key takes a map and a key");
		sema_hint(s, "write has_key(%s, key)", m->map.name);
	}
	return &type_bool;
}

/* delete(@m[k]) and, of a map without keys, delete(@m): pass 1 has rewritten the third form. */
const struct type *chk_delete(struct sema *s, struct expr *e)
{
	const struct expr *m = e->call.args[0];

	if (e->call.n_args > 1) {
		sema_error(s, e->span, "arg-count",
			   "delete takes one key: delete(@m[key]) or delete(@m, key)");
	} else if (m->map.map && m->map.map->n_keys && m->map.n_keys == 0) {
		sema_error(s, e->span, "key-count", "delete needs the key of an entry of %s",
			   m->map.name);
		sema_hint(s, "write delete(%s, key), or clear(%s) for all entries", m->map.name,
			  m->map.name);
	}
	return &type_bool;
}

const struct type *chk_find(struct sema *s, struct expr *e)
{
	const struct expr *m = e->call.args[0];
	struct expr *v = e->call.args[1];

	if (m->map.n_keys == 0 || e->call.n_args != 2) {
		sema_error(s, e->span, "arg-count", "find takes a map, a key and a variable");
		sema_hint(s, "write find(%s, key, $v)", m->map.name);
	} else if (v->kind != EX_VAR) {
		sema_error(s, v->span, "arg-type",
			   "find needs a variable here, to copy the value to");
	} else if (m->type->kind == TY_AGG) {
		sema_error(s, m->span, "agg-copy", "a %s cannot be copied",
			   sema_name_of(s, m->type));
		sema_hint(s, "write has_key(%s, key)", m->map.name);
	} else if (v->var.var) {
		sema_note_width(s, v, sema_width(m));
		sema_assign_var(s, v->var.var, sema_stored(m->type), m);
		v->type = v->var.var->type ? v->var.var->type : &sema_unknown;
	}
	return &type_bool;
}

const struct type *chk_is_scalar(struct sema *s, struct expr *e)
{
	const struct expr *m = e->call.args[0];

	if (m->map.n_keys)
		return sema_error(s, m->span, "arg-type",
				  "is_scalar takes the whole map %s, not one entry", m->map.name);
	if (m->map.map)
		*e = *ast_bool(s->arena, e->span, !m->map.map->n_keys);
	return &type_bool;
}
