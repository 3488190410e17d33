/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of functions that act on the traced thread: signals, return values, memory.
 */
#include "parser/lang/signal_number.h"
#include "parser/sema/sema_type.h"
#include <strings.h>

/* A function that acts on the thread that runs: at the end of a span off CPU, or of a span that is
 * still open when tracing ends, this is another thread than the one that the probe is about. */
static bool is_on_current(struct sema *s, const struct expr *e)
{
	if (ast_span(s->probe) != SPAN_SWITCH && !sema_is_open_end(s))
		return true;
	sema_error(s, e->span, "span-memory",
		   "%s acts on the current thread, but here the span is another thread's",
		   e->call.name);
	sema_hint(s, "call it in a probe without delta, oncpu and open_spans = count");
	return false;
}

static bool has_capability(struct sema *s, const struct expr *e, enum capability_id id)
{
	const struct capability_row *c = &capability_rows[id];

	if (!kernel_lacks(s->kernel, id))
		return true;
	sema_error(s, e->span, "lacks-capability", "%s needs %s (%s, since Linux %s)", e->call.name,
		   c->name, c->from, c->since);
	sema_hint(s, "'sonde --info' says what this kernel has");
	return false;
}

/* ---- signals ----------------------------------------------------------------------------- */

static void unknown_signal(struct sema *s, const struct expr *e, const char *name)
{
	struct nearest near;

	sema_error(s, e->span, "unknown-signal", "there is no signal '%s'", name);
	nearest_init(&near, strncasecmp(name, "SIG", 3) ? name : name + 3);
	for (int i = 1; i <= SIGNAL_LAST; i++)
		nearest_offer(&near, signal_text(i));
	if (near.best)
		sema_hint(s, "did you mean \"%s\"?", near.best);
	else
		sema_hint(s, "'kill -l' lists the signals");
}

/* A name becomes its number. */
const struct type *chk_signal(struct sema *s, struct expr *e)
{
	struct expr *arg = e->call.args[0];
	__int128 n;

	if (arg->kind == EX_STRING) {
		n = signal_number(arg->string.text);
		if (n)
			*arg = *ast_int(s->arena, arg->span, (uint64_t)n);
		else
			unknown_signal(s, arg, arg->string.text);
		sema_type_expr(s, arg);
	} else if (constant_number(arg, &n)) {
		if (n < 1 || n > SIGNAL_LAST)
			sema_error(s, arg->span, "unknown-signal", "signals are 1 to %d",
				   SIGNAL_LAST);
	} else if (!type_is_integral(arg->type)) {
		sema_wrong_arg(s, e, arg, "a number or the name of a signal", NULL);
	}
	is_on_current(s, e);
	return &type_void;
}

/* ---- return values ------------------------------------------------------------------------ */

const struct type *chk_override(struct sema *s, struct expr *e)
{
	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (point_has(p, ARM_KERNEL) && !probe_is_return(p) && p->n_targets == 1)
			continue;
		sema_error(s, e->call.name_span, "wrong-probe",
			   "'override' is only available in kprobe probes of one function");
		sema_hint(s, "write kprobe:FUNCTION, without a pattern");
		return &type_void;
	}
	has_capability(s, e, CAP_OVERRIDE);
	return &type_void;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* The source is a value, or what a pointer points to. */
const struct type *chk_write_user(struct sema *s, struct expr *e)
{
	const struct expr *from = e->call.args[1], *n = e->call.args[2];
	const struct type *t = from->type;
	bool is_pointer = t->kind == TY_POINTER;
	uint64_t most = is_pointer ? LIMIT_STRING : t->size;

	if (t->kind == TY_ERROR)
		return &type_bool;
	if (!is_pointer && !type_is_integral(t) && t->kind != TY_STRING && t->kind != TY_ARRAY)
		sema_wrong_arg(s, e, from, "a number, string, array or pointer", NULL);
	else if (n->integer.value < 1 || n->integer.value > most)
		sema_error(s, n->span, "write-size", "write_user can write 1 to %llu bytes of %s%s",
			   (unsigned long long)most, is_pointer ? "what this points to: " : "",
			   sema_name_of(s, t));
	else if (is_on_current(s, e))
		has_capability(s, e, CAP_WRITE_USER);
	return &type_bool;
}
