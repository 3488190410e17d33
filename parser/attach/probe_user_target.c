/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets of uprobe and uretprobe: the first instruction of a function, or each of its return
 * instructions where the kernel must not replace return addresses.
 */
#include "parser/attach/probe_user.h"
#include "parser/base/arena.h"
#include <errno.h>
#include <string.h>

struct returns {
	struct attach_target *list, like;
	struct arena *arena;
	uint64_t start;
	uint32_t n;
};

static void add_return(uint64_t offset, void *ctx)
{
	struct returns *w = ctx;
	struct attach_target t = w->like;

	t.offset = w->start + offset;
	t.is_entry = false;
	arena_push(w->arena, w->list, w->n, t);
}

/* The return instructions are not known: an error for a single function; a function of a pattern is
 * left out. */
static int no_returns(struct user_matching *m, const char *function, int err)
{
	struct diags *d = m->r->diags;

	if (m->is_pattern && err != -ENOSYS) {
		m->n_left_out++;
		return 0;
	}
	diag_error(d, m->p->span, "no-return-place",
		   "the return instructions of %s are not known: %s", function,
		   err == -ENOSYS ? "the library libZydis is not installed"
		   : err < 0	  ? "not all of it is code"
		   : err	  ? "it also ends with a jump to another function"
				  : "it has none");
	if (m->p->user.is_go)
		return diag_hint(d, "Go moves its stacks, so no return address can be replaced "
				    "there; uprobe works");
	return diag_hint(
		d,
		"an exception that finds a replaced return address terminates the program, so probes are on the return instructions; --unsafe replaces the address anyway");
}

/* Probe the return instructions, which changes nothing on the stack. */
static int add_returns(struct user_matching *m, const struct user_symbol *f,
		       struct attach_target target)
{
	struct kernel *k = m->r->kernel;
	struct returns w = {.like = target, .arena = m->r->arena, .start = f->offset};
	int err = k->each_user_return ? k->each_user_return(k, f, add_return, &w) : -ENOSYS;

	m->p->user.is_at_returns = true;
	if (err || !w.n)
		return no_returns(m, target.function, err);
	arena_push(m->r->arena, m->p->user.entries, m->p->user.n_entries, target);
	for (uint32_t i = 0; i < w.n; i++)
		arena_push(m->r->arena, m->p->targets, m->p->n_targets, w.list[i]);
	return 0;
}

/* The kernel's return probes replace return addresses on the stack. Go moves its stacks, and the
 * unwinders of C++ and Rust terminate the program when they find such an address. */
static bool needs_returns(struct user_matching *m, const char *path)
{
	struct kernel *k = m->r->kernel;

	if (!probe_is_return(m->p))
		return false;
	m->p->user.is_go = m->p->user.is_go || (k->user_is_go && k->user_is_go(k, path));
	return m->p->user.is_at_returns || m->p->user.is_go ||
	       (!k->any_place && k->user_unwinds && k->user_unwinds(k, path));
}

/* One BPF program cannot do both. */
static int mixed_returns(struct user_matching *m, const char *path)
{
	diag_error(m->r->diags, m->p->span, "no-return-place",
		   "%s is of Go, C++ or Rust, %s is not: their return probes differ", path,
		   m->p->targets[0].path);
	return diag_hint(m->r->diags, "write a probe for each");
}

/* In a listing, the demangled name is shown only if the pattern matches it and not the symbol
 * (NULL). There is no pattern for an address. */
static const char *name_of(const struct user_matching *m, const struct user_symbol *f)
{
	if (m->r->lists && !m->is_demangled &&
	    (!m->pattern || pattern_matches(m->pattern, f->symbol)))
		return NULL;
	return user_name(m->r, f->symbol);
}

int user_add_function(struct user_matching *m, const struct user_symbol *f, uint64_t offset)
{
	struct arena *a = m->r->arena;
	const char *name = name_of(m, f);
	struct attach_target t = {.symbol = arena_strdup(a, f->symbol),
				  .path = f->path,
				  .offset = f->offset + offset,
				  .size = f->size,
				  .is_entry = offset == 0};

	t.function = name ? name : t.symbol;
	if (m->p->is_listed) {
		arena_push(a, m->p->targets, m->p->n_targets, t);
		return 0;
	}
	if (needs_returns(m, f->path) && m->p->n_targets && !m->p->user.is_at_returns)
		return mixed_returns(m, f->path);
	if (needs_returns(m, f->path))
		return add_returns(m, f, t);
	arena_push(a, m->p->targets, m->p->n_targets, t);
	return 0;
}

/* Some of the functions that match have no location for a safe return probe. */
void user_warn_left_out(const struct user_matching *m)
{
	diag_warning(
		m->r->diags, m->p->span, "left-out",
		"%u of the functions that match are left out: they also end with jumps to other functions, or have no return instruction",
		m->n_left_out);
}

int user_none_returns(const struct user_matching *m)
{
	return diag_error(
		m->r->diags, m->p->span, "no-return-place",
		"none of the %u functions that match can have a return probe: they end with jumps to other functions, or never return",
		m->n_left_out);
}
