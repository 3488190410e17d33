/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uaddr(): the address of a symbol of the probed program. Where the file is loaded follows from the
 * address of the instruction that the probe is on. At a return that is not known, so a uretprobe
 * has the address from the call's entry.
 */
#include "parser/attach/probe_user.h"
#include "parser/sema/sema_type.h"

static const struct type *no_symbol(struct sema *s, const struct expr *name, const char *path,
				    int err)
{
	const char *near;

	sema_error(s, name->span, "unknown-symbol",
		   err == -ESRCH ? "%s has no symbol '%s'" : "%s cannot be read for '%s'", path,
		   name->string.text);
	near = s->report ? user_near_variable(s->kernel, s->arena, path, name->string.text) : NULL;
	if (near)
		return sema_hint(s, "did you mean \"%s\"?", near);
	return err == -ESRCH ? sema_hint(s, "nm %s lists its symbols", path) : &type_error;
}

/* The difference between the address and the file offset of the probed code. */
static int code_shift(struct sema *s, const struct attach_point *p, const struct attach_target *t,
		      uint64_t *out)
{
	struct user_symbol f;
	int err;

	if (point_has(p, ARM_USDT)) {
		*out = t->address - t->offset;
		return 0;
	}
	err = s->kernel->user_symbol(s->kernel, t->path, t->symbol, &f);
	if (!err)
		*out = f.address - f.offset;
	return err;
}

/* The locations must be of one file, and differ in their place in the page: the load address is a
 * whole number of pages, so that tells which one it is. */
static bool can_tell_apart(const struct attach_target *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			if ((t[i].offset - t[j].offset) % UADDR_PAGE == 0)
				return false;
	return true;
}

static bool is_one_file(const struct attach_target *t, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (strcmp(t[i].path, t[0].path) != 0)
			return false;
	return true;
}

static const struct type *too_many(struct sema *s, const struct expr *e, const char *why)
{
	sema_error(s, e->span, "uaddr-places", "uaddr needs the place of the program: %s", why);
	return sema_hint(s, "write a probe for each function");
}

/* Signed, of the symbol's size; of 8 bytes where that is no integer's. */
static const struct type *pointer_to(struct sema *s, const struct user_object *v)
{
	bool is_size = v->size == 1 || v->size == 2 || v->size == 4;

	return type_pointer(s->arena, type_int(is_size ? (uint32_t)v->size : 8, true), SPACE_USER);
}

static const struct type *at_point(struct sema *s, struct expr *e, const struct attach_point *p)
{
	const struct expr *name = e->call.args[0];
	struct user_object v = {0};
	uint32_t n;
	const struct attach_target *t = probe_functions(p, &n);
	int err;

	if ((!point_has(p, ARM_USER) && !point_has(p, ARM_USDT)) || !n) {
		sema_error(s, e->call.name_span, "wrong-probe",
			   "'uaddr' is not available in %s probes",
			   probe_title(s->probe->points[0].id));
		return sema_hint(s, "it is available in: uprobe, uretprobe, usdt");
	}
	if (!is_one_file(t, n))
		return too_many(s, e, "the probe is on several files");
	err = s->kernel->user_object(s->kernel, t->path, name->string.text, &v);
	if (err)
		return no_symbol(s, name, t->path, err);
	e->call.known[0] = v.address;
	e->call.known[1] = UADDR_FIXED;
	if (!v.is_movable)
		return pointer_to(s, &v);
	if (n > LIMIT_UADDR_PLACES || !can_tell_apart(t, n))
		return too_many(s, e, "the probe is on too many functions to tell which one runs");
	if (code_shift(s, p, t, &e->call.known[1]))
		return too_many(s, e, "the probe is outside of all functions");
	return pointer_to(s, &v);
}

const struct type *chk_uaddr(struct sema *s, struct expr *e)
{
	const struct type *t = NULL;

	if (s->probe->n_points && point_has(&s->probe->points[0], ARM_USER) &&
	    probe_is_return(&s->probe->points[0])) {
		sema_wrap(s, e, "entry");
		return sema_type_expr(s, e);
	}
	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const uint64_t before[2] = {e->call.known[0], e->call.known[1]};
		const struct type *here = at_point(s, e, &s->probe->points[i]);

		if (here->kind == TY_ERROR)
			return here;
		if (i && (e->call.known[0] != before[0] || e->call.known[1] != before[1] ||
			  !type_equal(t, here)))
			return too_many(s, e, "the probe is on several files");
		t = here;
	}
	return t ? t : &type_error;
}
