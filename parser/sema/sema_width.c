/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How wide an integer was before it was stored. Variables and maps hold 64 bits, but bswap() of a
 * port that was stored must swap its 2 bytes. Widths only grow from round to round.
 */
#include "parser/sema/sema_type.h"

uint32_t sema_width(const struct expr *e)
{
	__int128 v;

	if (e->type->kind != TY_INT || constant_number(e, &v))
		return 0;
	if (e->kind == EX_VAR && e->var.var && !e->var.var->is_declared && !e->var.var->is_loop)
		return e->var.var->width;
	if (e->kind == EX_MAP && e->map.map)
		return e->map.map->width;
	if (e->kind == EX_CALL && e->call.builtin && e->call.builtin->traits & TR_WIDTH &&
	    !constant_number(e->call.args[0], &v))
		return sema_width(e->call.args[0]);
	return e->type->size;
}

static void grow(struct sema *s, uint32_t *width, uint32_t to)
{
	if (to <= *width)
		return;
	*width = to;
	s->changed = true;
}

void sema_note_width(struct sema *s, const struct expr *target, uint32_t width)
{
	if (target->kind == EX_VAR && target->var.var)
		grow(s, &target->var.var->width, width);
	if (target->kind == EX_MAP && target->map.map)
		grow(s, &target->map.map->width, width);
}
