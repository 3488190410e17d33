/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets of uprobe and uretprobe: the first instruction of a function, or each instruction by
 * which it is left where the kernel must not replace return addresses.
 */
#include "parser/attach/probe_user.h"
#include "parser/base/text.h"

enum { LEFT_OUT_NAMES = 3 };

struct exits {
	struct attach_target *list, function;
	struct arena *arena;
	uint64_t start;
	uint32_t n;
};

static void add_exit(const struct user_exit *x, void *ctx)
{
	struct exits *w = ctx;
	struct attach_target t = w->function;

	t.offset = w->start + x->offset;
	t.is_entry = false;
	t.is_exit = true;
	t.is_jump = x->is_jump;
	t.condition = x->condition;
	if (x->is_jump && !w->function.jumps_to && x->to)
		w->function.jumps_to = arena_strdup(w->arena, x->to);
	w->function.has_jump |= x->is_jump;
	arena_push(w->arena, w->list, w->n, t);
}

static int find_exits(struct user_matching *m, const struct user_symbol *f, struct exits *w,
		      struct user_exits *facts)
{
	struct kernel *k = m->r->kernel;

	w->arena = m->r->arena;
	w->start = f->offset;
	return k->each_user_exit ? k->each_user_exit(k, f, add_exit, w, facts) : -ENOSYS;
}

/* "a, b, c, …" */
static void name_left_out(struct user_matching *m, const char *function)
{
	struct arena *a = m->r->arena;

	if (m->n_left_out++ < LEFT_OUT_NAMES)
		m->left_out = m->left_out ? arena_join(a, m->left_out, ", ", function) : function;
	else if (m->n_left_out == LEFT_OUT_NAMES + 1)
		m->left_out = arena_join(a, m->left_out, ", ", "…");
}

static const char *why_no_exits(struct arena *a, int err, const struct user_exits *facts)
{
	unsigned long long unclear = facts->unclear;

	switch (-err) {
	case 0: return "it has none";
	case ENOSYS: return "the library libZydis is not installed";
	case EOPNOTSUPP: return "sonde can find them in code for x86 and arm64 only";
	case ENOPKG:
		return arena_printf(a,
				    "whether its jump at +%llu is one cannot be told without the "
				    "library libdw, which is not installed",
				    unclear);
	case EDOM: return arena_printf(a, "it is not clear where its jump at +%llu leads", unclear);
	default: return "not all of it is code";
	}
}

static bool is_go(const struct user_matching *m, const char *path)
{
	struct kernel *k = m->r->kernel;

	return k->user_is_go && k->user_is_go(k, path);
}

enum user_abi user_abi(const struct user_matching *m, const struct user_symbol *f)
{
	struct kernel *k = m->r->kernel;

	return k->user_abi ? k->user_abi(k, f) : USER_ABI_C;
}

/* The exits are unknown: report an error for a single function, and leave out a function of a
 * pattern. */
static int no_exits(struct user_matching *m, const struct user_symbol *f, const char *function,
		    int err, const struct user_exits *facts)
{
	struct diags *d = m->r->diags;

	if (m->is_pattern && err != -ENOSYS && err != -EOPNOTSUPP) {
		name_left_out(m, function);
		return 0;
	}
	diag_error(d, m->p->span, "no-return-place",
		   "the return instructions of %s are not known: %s", function,
		   why_no_exits(m->r->arena, err, facts));
	if (is_go(m, f->path))
		return diag_hint(d, "Go moves its stacks, so no return address can be replaced "
				    "there; uprobe works");
	if (m->switches.function && !m->r->kernel->return_instructions)
		return diag_hint(
			d,
			"a program that uses %s (%s) switches stacks, so no return address can be "
			"replaced there; uprobe works",
			m->switches.function, m->switches.file);
	return diag_hint(
		d,
		"an exception that finds a replaced return address terminates the program, so probes are on the return instructions; --unsafe replaces the address anyway");
}

/* True for a function of Go's assembler. Neither its result nor its goroutine can be read. */
static bool is_assembler(const char *symbol)
{
	size_t n = strlen(symbol), k = strlen(GO_ASSEMBLER_SUFFIX);

	return n > k && strcmp(symbol + n - k, GO_ASSEMBLER_SUFFIX) == 0;
}

/* May the kernel replace the return address of a function that only its returns leave, in a program
 * that throws exceptions? A pattern stays one attach point. */
static bool can_replace(const struct user_matching *m, const struct user_symbol *f)
{
	return !m->is_pattern && !m->switches.function && !is_go(m, f->path);
}

/* Probe the exits, which changes nothing on the stack. A listing has the function itself. */
static int add_exits(struct user_matching *m, const struct user_symbol *f,
		     struct attach_target target)
{
	struct exits w = {.function = target};
	struct user_exits facts = {0};
	int err = find_exits(m, f, &w, &facts);

	if (m->is_pattern && !m->p->is_listed && is_assembler(f->symbol)) {
		m->n_assembler++;
		return 0;
	}
	if (err || !w.n)
		return no_exits(m, f, target.function, err, &facts);
	w.function.is_loop = facts.is_loop;
	if (m->p->is_listed) {
		arena_push(m->r->arena, m->p->targets, m->p->n_targets, w.function);
		return 0;
	}
	m->p->user.abi = target.abi;
	if (facts.is_closed && can_replace(m, f)) {
		m->p->user.is_closed = target.is_closed = true;
		arena_push(m->r->arena, m->p->targets, m->p->n_targets, target);
		return 0;
	}
	m->p->user.is_at_returns = true;
	if (m->switches.function)
		m->p->user.switches = m->switches;
	arena_push(m->r->arena, m->p->user.entries, m->p->user.n_entries, w.function);
	for (uint32_t i = 0; i < w.n; i++) {
		w.list[i].has_jump = w.function.has_jump;
		arena_push(m->r->arena, m->p->targets, m->p->n_targets, w.list[i]);
	}
	return 0;
}

/* True if threads that run the file switch stacks; sets m->switches. A library is used by the
 * traced program, or by any process. */
static bool switches_stacks(struct user_matching *m, const char *path)
{
	struct kernel *k = m->r->kernel;
	const char *program = scope_program(k->scope, m->r->arena);
	bool is_library = strstr(path, ".so");

	if (k->return_instructions) {
		m->switches = (struct user_switch){.function = "return_probes = ret"};
		return true;
	}
	if (k->any_place || !k->user_switches)
		return false;
	if (program && k->user_switches(k, program, &m->switches))
		return true;
	return !(is_library && program) && k->user_switches(k, path, &m->switches);
}

/* The kernel's return probes replace return addresses on the stack. Go moves its stacks, and the
 * unwinders of C++ and Rust terminate the program when they find such an address. For each thread
 * the kernel expects returns in the reverse order of the calls; where stacks are switched, a
 * function would return to the caller of another one. */
static bool needs_returns(struct user_matching *m, const char *path)
{
	struct kernel *k = m->r->kernel;

	if (!probe_is_return(m->p))
		return false;
	return is_go(m, path) || switches_stacks(m, path) ||
	       (!k->any_place && k->user_unwinds &&
		(m->is_thrown_through || k->user_unwinds(k, path)));
}

/* In a program that throws exceptions, they can pass through functions of any library, such as
 * qsort(). */
void user_find_throwers(struct user_matching *m)
{
	struct kernel *k = m->r->kernel;
	const char *program, **paths = NULL;
	uint32_t n = 0;

	if (!probe_is_return(m->p) || !k->user_unwinds || k->any_place)
		return;
	program = scope_program(k->scope, m->r->arena);
	if (!program)
		return;
	arena_push(m->r->arena, paths, n, program);
	user_libraries(m->r, program, &paths, &n);
	for (uint32_t i = 0; i < n && !m->is_thrown_through; i++)
		m->is_thrown_through = k->user_unwinds(k, paths[i]);
}

/* Functions that use their return address for more than one return: setjmp() keeps it for
 * longjmp(), dlsym() looks for the caller's library. */
static bool uses_return_address(const char *symbol)
{
	static const char *const names[] = {
#define RETURN_ADDRESS_USER(name) name,
#include "parser/attach/return_address.def"
	};

	static const char inside[] = "GI_"; /* glibc's name for its own calls: __GI___sigsetjmp */

	symbol += strspn(symbol, "_");
	if (strncmp(symbol, inside, strlen(inside)) == 0)
		symbol += strlen(inside) + strspn(symbol + strlen(inside), "_");
	return TEXT_IS_IN(names, symbol, strlen(symbol));
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

/* Where the part begins there is no return address on the stack that could be replaced. */
static int no_calls(struct user_matching *m, const char *part)
{
	struct diags *d = m->r->diags;

	diag_error(d, m->p->span, "no-return",
		   "%s is a part of a function, which is jumped to and not called", part);
	return diag_hint(d, "a probe on the function, the name before .cold, sees its returns");
}

int user_add_function(struct user_matching *m, const struct user_symbol *f, uint64_t offset)
{
	struct arena *a = m->r->arena;
	const char *name = name_of(m, f);
	struct attach_target t = {.symbol = arena_strdup(a, f->symbol),
				  .path = f->path,
				  .offset = f->offset + offset,
				  .size = f->size,
				  .is_entry = offset == 0,
				  .abi = user_abi(m, f)};

	t.function = name ? name : t.symbol;
	if (probe_is_return(m->p) && user_is_cold_part(f->symbol))
		return no_calls(m, t.symbol);
	if (needs_returns(m, f->path))
		return add_exits(m, f, t);
	if (probe_is_return(m->p) && !m->r->kernel->any_place && uses_return_address(f->symbol)) {
		if (!m->is_pattern)
			return add_exits(m, f, t);
		m->n_address_users += !m->p->is_listed;
		return 0;
	}
	m->p->user.abi = t.abi;
	arena_push(a, m->p->targets, m->p->n_targets, t);
	return 0;
}

static void warn_left_out(const struct user_matching *m, uint32_t n, const char *why)
{
	if (n)
		diag_warning(m->r->diags, m->p->span, "left-out",
			     "%u of the functions that match %s left out%s", n,
			     n == 1 ? "is" : "are", why);
}

void user_warn_left_out(const struct user_matching *m)
{
	warn_left_out(m, m->n_left_out,
		      arena_join(m->r->arena,
				 ": sonde cannot find where they return, or they never return",
				 ": ", m->left_out ?: ""));
	warn_left_out(m, m->n_address_users,
		      ": they use their return address, as setjmp and dlsym do");
	warn_left_out(
		m, m->n_assembler,
		": they are written in Go's assembler, so their results and goroutines are not known");
}

int user_none_returns(const struct user_matching *m)
{
	if (m->n_address_users)
		return diag_error(
			m->r->diags, m->p->span, "no-return-place",
			"no function that matches can have a return probe: they use their return address, as setjmp does");
	if (!m->n_left_out)
		return diag_error(
			m->r->diags, m->p->span, "no-return-place",
			"no function that matches can have a return probe: they are written in Go's assembler");
	return diag_error(
		m->r->diags, m->p->span, "no-return-place",
		"no function that matches can have a return probe: sonde cannot find where they return, or they never return: %s",
		m->left_out);
}
