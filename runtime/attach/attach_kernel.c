/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches to kernel functions: one function with a perf event; several with a kprobe_multi link,
 * or with a perf event each where the kernel has no such links. Functions of a pattern that the
 * kernel allows no probe on are skipped and reported.
 *
 * Patterns read /proc/kallsyms: several functions can have the same name, and its addresses are
 * those by which the kernel looks up cookies. (available_filter_functions_addrs has the addresses
 * of the calls into ftrace, which may be behind an endbr64.)
 */
#include "runtime/attach/attach_slow.h"
#include "runtime/base/clock.h"
#include "runtime/symbols/kallsyms.h"
#include "runtime/base/uapi_new.h"
#include "runtime/load/prog_handlers.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- perf events --------------------------------------------------------------------------- */

static struct bpf_link *perf_on(struct session *s, uint32_t prog, const struct plan_target *t,
				const char *symbol)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = t->cookie, .offset = t->offset,
		    .retprobe = prog_kind_is(s->plan->progs[prog].kind, PK_RETURN));

	if (t->address) /* without a name, the offset is the address */
		opts.offset = t->address;
	return bpf_program__attach_kprobe_opts(s->progs[prog], t->address ? NULL : symbol, &opts);
}

/* A function of a module is "module:name"; kernels 6.6 to 6.11 only accept its name here. */
static int one_by_perf(struct session *s, uint32_t prog, const struct plan_target *t)
{
	char name[512];
	int err;

	if (!t->module)
		return attach_libbpf_link(s, perf_on(s, prog, t, t->symbol));
	snprintf(name, sizeof(name), "%s:%s", t->module, t->symbol);
	err = attach_libbpf_link(s, perf_on(s, prog, t, name));
	return err == -ENOENT ? attach_libbpf_link(s, perf_on(s, prog, t, t->symbol)) : err;
}

/* ---- multi links --------------------------------------------------------------------------- */

struct function_site {
	const struct plan_target *target;
	uint64_t address;
};

/* The attach addresses: one for each target, or for each function that has a target's name. */
struct sites {
	struct session *s;
	uint32_t prog;
	VEC(struct function_site);
	bool by_address;
};

static int add_site(struct sites *p, const struct plan_target *t, uint64_t address)
{
	return vec_push(p, (struct function_site){t, address});
}

static int compare_symbol(const void *name, const void *target)
{
	return strcmp(name, ((const struct plan_target *)target)->symbol);
}

/* Is `module`, as kallsyms writes it ("[ext4]"), the one called `name`? */
static bool is_module(const char *module, const char *name)
{
	size_t n = strlen(name);

	return module && !strncmp(module + 1, name, n) && module[n + 1] == ']';
}

static int take_symbol(void *ctx, const struct kallsym *l)
{
	struct sites *p = ctx;
	const struct plan_prog *g = &p->s->plan->progs[p->prog];
	const struct plan_target *t;

	if (!l->address || !kallsym_is_text(l->type))
		return 0;
	t = bsearch(l->name, g->targets, g->n_targets, sizeof(*t), compare_symbol);
	if (!t || (t->module && !is_module(l->module, t->module)))
		return 0;
	return add_site(p, t, l->address);
}

static int find_sites(struct sites *p)
{
	const struct plan_prog *g = &p->s->plan->progs[p->prog];
	int err = kallsyms_each(take_symbol, p);

	if (err != -ENOMEM)
		err = 0; /* without kallsyms, attach by name */
	p->by_address = p->n > 0;
	for (uint32_t i = 0; !err && !p->by_address && i < g->n_targets; i++)
		err = add_site(p, &g->targets[i], 0);
	return err;
}

/* `where`: addresses, or names when !by_address. */
static int multi_link(struct sites *p, uint32_t n, const uint64_t *where, const uint64_t *cookies)
{
	enum plan_prog_kind kind = p->s->plan->progs[p->prog].kind;
	uint32_t at_return = prog_kind_is(kind, PK_RETURN) ? BPF_F_KPROBE_MULTI_RETURN : 0;
	union bpf_attr attr = {
		.link_create.prog_fd = (uint32_t)attach_fd(p->s, p->prog),
		.link_create.attach_type = prog_kind_is(kind, PK_SESSION)
						   ? NEW_BPF_TRACE_KPROBE_SESSION
						   : BPF_TRACE_KPROBE_MULTI,
		.link_create.kprobe_multi.flags = at_return,
		.link_create.kprobe_multi.cnt = n,
		.link_create.kprobe_multi.cookies = (uintptr_t)cookies,
	};
	int fd;

	if (p->by_address)
		attr.link_create.kprobe_multi.addrs = (uintptr_t)where;
	else
		attr.link_create.kprobe_multi.syms = (uintptr_t)where;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr.link_create));
	return attach_add(p->s, (struct link){.fd = fd, .closes_slowly = true});
}

static int multi_some(void *ctx, uint32_t first, uint32_t n)
{
	struct sites *p = ctx;
	uint64_t *where = calloc(2 * (size_t)n, sizeof(*where)), *cookies = where + n;
	int err = !where ? -ENOMEM : session_stopped(p->s) ? -EINTR : 0;

	for (uint32_t i = 0; !err && i < n; i++) {
		const struct function_site *site = &p->items[first + i];

		where[i] = p->by_address ? site->address : (uintptr_t)site->target->symbol;
		cookies[i] = site->target->cookie;
	}
	if (!err)
		err = multi_link(p, n, where, cookies);
	free(where);
	return err;
}

static int perf_item(void *ctx, uint32_t item)
{
	struct sites *p = ctx;

	return one_by_perf(p->s, p->prog, p->items[item].target);
}

/* ---- both ---------------------------------------------------------------------------------- */

static const char *symbol_of(const void *ctx, uint32_t item)
{
	const struct sites *p = ctx;

	return p->items[item].target->symbol;
}

static int by_multi(struct sites *p, struct attach_refused *refused)
{
	uint64_t start = monotonic_ns();
	int err = find_sites(p);

	if (!err && p->s->plan->progs[p->prog].n_targets == 1 && p->n > 1)
		err = -EADDRNOTAVAIL; /* as a perf event answers for a name of several functions */
	err = err ?: attach_bisect(multi_some, p, p->n, 0, refused);
	if (!err)
		log_verbose("%s: %zu functions attached in %.3f s",
			    session_prog_name(p->s, p->prog), p->n - refused->n,
			    1e-9 * (double)(monotonic_ns() - start));
	return err;
}

static int by_perf(struct sites *p, struct attach_refused *refused)
{
	const struct plan_prog *g = &p->s->plan->progs[p->prog];
	int err = 0;

	for (uint32_t i = 0; !err && i < g->n_targets; i++)
		err = add_site(p, &g->targets[i], 0);
	return err
		       ?: attach_one_by_one(
				  p->s, p->prog,
				  "this kernel has no kprobe_multi links (5.18, CONFIG_FPROBE)",
				  perf_item, p, p->n, refused);
}

static int many(struct session *s, uint32_t prog, bool is_multi)
{
	struct sites p = {.s = s, .prog = prog};
	struct attach_refused refused = {0};
	int err = is_multi ? by_multi(&p, &refused) : by_perf(&p, &refused);

	if (!err && s->plan->progs[prog].n_probes)
		s->n_namesakes += (int64_t)p.n - s->plan->progs[prog].n_targets;
	if (!err)
		attach_left_out(s, prog, &refused, symbol_of, &p);
	vec_free(&refused);
	vec_free(&p);
	return err;
}

int att_kernel_function(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];

	bool is_multi = prog_is_kernel_multi(s, g);

	if (g->n_targets == 1 && !is_multi)
		return one_by_perf(s, prog, &g->targets[0]);
	return many(s, prog, is_multi);
}
