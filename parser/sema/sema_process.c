/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of builtins.def for clocks, registers and the script's options.
 */
#include "parser/lang/register.h"
#include "parser/sema/sema_type.h"

/* A time keeps its clock, which strftime() must know. */
const struct type *chk_nsecs(struct sema *s, struct expr *e)
{
	return e->name.word
		       ? type_tagged(s->arena, false, (enum type_clock)e->name.word, SPACE_NONE)
		       : sema_word(false);
}

const struct type *chk_strftime(struct sema *s, struct expr *e)
{
	struct type *t = arena_new_of(s->arena, struct type);
	const struct expr *fmt = e->call.args[0], *time = e->call.args[1];
	enum type_clock clock = time->type->clock;
	__int128 ns;

	if (clock == NSECS_MONOTONIC) {
		sema_error(s, time->span, "time-clock",
			   "strftime cannot tell the time of day from nsecs(monotonic)");
		return sema_hint(s, "write nsecs, or nsecs(tai)");
	}
	if (constant_number(time, &ns) && ns < 0)
		return sema_error(s, time->span, "arg-type",
				  "strftime needs a time that is not negative");
	*t = (struct type){.kind = TY_TIMESTAMP,
			   .size = 8,
			   .align = 8,
			   .clock = clock,
			   .format = fmt->string.text};
	return t;
}

/* ---- registers --------------------------------------------------------------------------- */

/* The program that runs for calls that are still open is given none. */
static const struct type *no_registers(struct sema *s, const struct expr *e)
{
	sema_error(s, e->span, "span-memory",
		   "the registers of a call that is still open when tracing ends are not known");
	return sema_hint(s, "leave out open_spans = count");
}

static void hint_register(struct sema *s, const char *name)
{
	struct nearest near;
	size_t len;

	nearest_init(&near, name);
	for (const char *at = register_names; *at; at += len + 1) {
		len = strcspn(at, " ");
		nearest_offer(&near, arena_strndup(s->arena, at, len));
	}
	if (near.best)
		sema_hint(s, "did you mean \"%s\"?", near.best);
	else
		sema_hint(s, "there are: %.*s", (int)strlen(register_names) - 1, register_names);
}

const struct type *chk_reg(struct sema *s, struct expr *e)
{
	const struct expr *name = e->call.args[0];

	if (sema_is_open_end(s))
		return no_registers(s, e);
	if (register_offset(name->string.text) >= 0)
		return memory_given(s, sema_word(false));
	sema_error(s, name->span, "unknown-register",
		   "'%s' is not a valid register on this architecture (%s)", name->string.text,
		   register_architecture);
	hint_register(s, name->string.text);
	return sema_word(false);
}

const struct type *chk_usermode(struct sema *s, struct expr *e)
{
	return sema_is_open_end(s) ? no_registers(s, e) : type_int(1, false);
}

const struct type *chk_context(struct sema *s, struct expr *e)
{
	if (s->kernel->recording)
		return sema_no_typed(s, e, "context");
	if (!sema_is_open_end(s))
		return type_string(s->arena, 16);
	sema_error(s, e->span, "span-memory",
		   "the context of a span that is still open when tracing ends is not known");
	return sema_hint(s, "leave out open_spans = count");
}

/* ---- config ------------------------------------------------------------------------------ */

static struct expr *config_value(struct sema *s, struct span at, const struct config_row *row)
{
	const struct config *c = &s->program->config;
	const char *word;
	uint64_t value;

	if (row->kind == CONFIG_INT || row->kind == CONFIG_BOOL) {
		memcpy(&value, (const char *)c + row->offset, sizeof(value));
		return row->kind == CONFIG_INT ? ast_int(s->arena, at, value)
					       : ast_bool(s->arena, at, value);
	}
	if (row->kind == CONFIG_TEXT)
		memcpy(&word, (const char *)c + row->offset, sizeof(word));
	else
		word = config_word(s->arena, c, row->name);
	return ast_string(s->arena, at, word, (uint32_t)strlen(word));
}

/* A record of literals: what is in force after `config = { … }` and the environment. */
const struct type *chk_config(struct sema *s, struct expr *e)
{
	struct expr **items = arena_alloc(s->arena, n_config_rows * sizeof(struct expr *));
	const char **names = arena_alloc(s->arena, n_config_rows * sizeof(*names));
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_config_rows; i++) {
		if (config_rows[i].kind > CONFIG_TEXT)
			continue;
		items[n] = config_value(s, e->span, &config_rows[i]);
		names[n++] = config_rows[i].name;
	}
	return sema_become(s, e, ast_record(s->arena, e->span, items, names, NULL, n));
}
