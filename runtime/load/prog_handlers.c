/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section handlers of libbpf: what a program's section name says about its type and target, set
 * just before the program is loaded. libbpf's own handlers would read all of the kernel's BTF (13
 * ms, 39 MiB) for an id; these take it from a scan of the raw section.
 */
#include "runtime/load/prog_handlers.h"
#include "parser/base/text.h"
#include "runtime/base/uapi_new.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/session/session.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By number, from SONDE_KFUNC_FIRST on. */
static const char *const kfuncs[SONDE_KFUNC_COUNT] = {
	[SONDE_KFUNC_SESSION_IS_RETURN - SONDE_KFUNC_FIRST] = "bpf_session_is_return",
	[SONDE_KFUNC_RDONLY_CAST - SONDE_KFUNC_FIRST] = "bpf_rdonly_cast",
	[SONDE_KFUNC_RCU_READ_LOCK - SONDE_KFUNC_FIRST] = "bpf_rcu_read_lock",
	[SONDE_KFUNC_RCU_READ_UNLOCK - SONDE_KFUNC_FIRST] = "bpf_rcu_read_unlock",
};

int prog_handlers_kfunc(struct kernel *k, unsigned i)
{
	return kernel_btf_id(k, kfuncs[i], BTF_KIND_FUNC);
}

static const struct plan_prog *plan_of(const struct session *s, const struct bpf_program *prog)
{
	return TEXT_ITEM(s->plan->progs, s->plan->n_progs, symbol, bpf_program__name(prog));
}

/* Turn a call of SONDE_KFUNC_… into one of the kernel function. Each function is looked up once. */
static int call_kfunc(struct session *s, struct bpf_insn *insn)
{
	uint32_t i = (uint32_t)insn->imm - SONDE_KFUNC_FIRST;

	if (i >= SONDE_KFUNC_COUNT)
		return 0;
	if (s->kfunc_ids[i] <= 0)
		s->kfunc_ids[i] = prog_handlers_kfunc(s->kernel, i);
	if (s->kfunc_ids[i] < 0)
		return s->kfunc_ids[i];
	insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
	insn->imm = s->kfunc_ids[i];
	return 0;
}

/* Some programs call kernel functions. libbpf would resolve them with all of vmlinux's BTF in
 * memory. */
static int prepare_calls(struct session *s, struct bpf_program *prog)
{
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int err = insns ? 0 : -ENOMEM;

	if (!err)
		memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	for (size_t i = 0; !err && i < n; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == 0)
			err = call_kfunc(s, &insns[i]);
	if (!err)
		err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

/* The target is a type in the BTF of the kernel, a module or a BPF program, found when the script
 * was read. The BTF's or program's descriptor must stay open until the program is loaded. */
static int set_target(struct session *s, struct bpf_program *prog, struct bpf_prog_load_opts *opts,
		      const struct typed_function *f)
{
	int err = bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);

	if (!f->btf_id)
		return -ENOSYS; /* it comes from a facts file */
	if (s->attach_to_fd >= 0)
		close(s->attach_to_fd);
	s->attach_to_fd = -1;
	opts->attach_btf_id = f->btf_id;
	if (f->prog_id)
		opts->attach_prog_fd = s->attach_to_fd = bpf_prog_get_fd_by_id(f->prog_id);
	else if (strcmp(f->module, "vmlinux") != 0)
		opts->attach_btf_obj_fd = s->attach_to_fd = kernel_module_btf(f->module);
	else
		return err;
	return s->attach_to_fd < 0 ? -ESRCH : err;
}

/* The target's name in the kernel's BTF is `prefix` and the section name behind the slash. */
static int set_kernel_target(const struct session *s, struct bpf_program *prog,
			     struct bpf_prog_load_opts *opts, const char *prefix, uint32_t kind)
{
	char name[160];
	int id, err;

	snprintf(name, sizeof(name), "%s%s", prefix,
		 strchr(bpf_program__section_name(prog), '/') + 1);
	id = kernel_btf_id(s->kernel, name, kind);
	if (id < 0)
		return id;
	err = bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
	if (!err)
		opts->attach_btf_id = (uint32_t)id;
	return err;
}

/* tp_btf, fentry, fexit: registered as RAW_TRACEPOINT so that libbpf does not read vmlinux's BTF
 * for the id; the type is corrected just before the load. */
static int prepare_typed(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;
	const struct plan_prog *g = plan_of(s, prog);
	int err;

	if (g && g->typed)
		return set_target(s, prog, opts, g->typed);
	err = set_kernel_target(s, prog, opts, "btf_trace_", BTF_KIND_TYPEDEF);
	/* where there is no such function, the verifier does not get to the call */
	if (!err && s->kfunc_ids[SONDE_KFUNC_RDONLY_CAST - SONDE_KFUNC_FIRST] > 0)
		err = prepare_calls(s, prog);
	return err;
}

/* iter: likewise; the kernel has an empty function bpf_iter_NAME for each iterator. */
static int prepare_iter(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	return set_kernel_target((struct session *)cookie, prog, opts, "bpf_iter_", BTF_KIND_FUNC);
}

/* iter.s: they may sleep. */
static int prepare_sleepable_iter(struct bpf_program *prog, struct bpf_prog_load_opts *opts,
				  long cookie)
{
	opts->prog_flags |= BPF_F_SLEEPABLE;
	return prepare_iter(prog, opts, cookie);
}

/* libbpf before 1.3 loads with the type of the options, later ones with that of the program. */
static void set_attach_type(struct bpf_program *prog, struct bpf_prog_load_opts *opts,
			    enum bpf_attach_type type)
{
	opts->expected_attach_type = type;
	bpf_program__set_expected_attach_type(prog, type);
}

/* Do programs on several functions have the function of `g`, too? The kernel runs those at one
 * function in a known order only if they are attached alike. */
static bool is_in_a_pattern(const struct plan *p, const struct plan_prog *g)
{
	const struct plan_target *t = &g->targets[0];

	if (!prog_kind_is(g->kind, PK_KERNEL_FUNCTION) || t->offset || t->address)
		return false;
	for (uint32_t i = 0; i < p->n_progs; i++) {
		const struct plan_prog *h = &p->progs[i];

		if (h->n_targets > 1 && prog_kind_is(h->kind, PK_KERNEL_FUNCTION) &&
		    TEXT_ITEM(h->targets, h->n_targets, symbol, t->symbol))
			return true;
	}
	return false;
}

bool prog_is_kernel_multi(const struct session *s, const struct plan_prog *g)
{
	return (g->n_targets > 1 || (g->n_targets && is_in_a_pattern(s->plan, g))) &&
	       kernel_has(s->kernel, CAP_KPROBE_MULTI);
}

/* kprobe: a program for a kprobe_multi link must be loaded as one. */
static int prepare_kprobe(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;
	const struct plan_prog *g = plan_of(s, prog);

	if (g && prog_is_kernel_multi(s, g))
		set_attach_type(prog, opts, BPF_TRACE_KPROBE_MULTI);
	return 0;
}

/* Sleepable programs can fault in memory of the traced process. Returns whether it calls kernel
 * functions. */
static bool set_sleepable(const struct session *s, const struct bpf_program *prog,
			  struct bpf_prog_load_opts *opts)
{
	const struct plan_prog *g = plan_of(s, prog);

	if (!g || (!g->is_sleepable && !g->prefaults))
		return false;
	opts->prog_flags |= BPF_F_SLEEPABLE;
	return g->is_sleepable;
}

static int prepare_session(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	set_sleepable((struct session *)cookie, prog, opts);
	return prepare_calls((struct session *)cookie, prog);
}

/* uprobe: likewise for uprobe_multi links; may be sleepable. */
static int prepare_uprobe(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;

	if (kernel_has(s->kernel, CAP_UPROBE_MULTI))
		set_attach_type(prog, opts, (enum bpf_attach_type)NEW_BPF_TRACE_UPROBE_MULTI);
	return set_sleepable(s, prog, opts) ? prepare_calls(s, prog) : 0;
}

static const struct {
	const char *section;
	enum bpf_prog_type type;
	int attach; /* of enum bpf_attach_type, or newer */
	libbpf_prog_prepare_load_fn_t prepare;
} handlers[] = {
	{"tp_btf+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_RAW_TP, prepare_typed},
	{"fentry+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_FENTRY, prepare_typed},
	{"fexit+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_FEXIT, prepare_typed},
	{"iter+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_ITER, prepare_iter},
	{"iter.s+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_ITER, prepare_sleepable_iter},
	{"kprobe+", BPF_PROG_TYPE_KPROBE, 0, prepare_kprobe},
	{"kretprobe+", BPF_PROG_TYPE_KPROBE, 0, prepare_kprobe},
	{"kprobe.session+", BPF_PROG_TYPE_KPROBE, NEW_BPF_TRACE_KPROBE_SESSION, prepare_session},
	{"uprobe.session+", BPF_PROG_TYPE_KPROBE, NEW_BPF_TRACE_UPROBE_SESSION, prepare_session},
	{"uprobe+", BPF_PROG_TYPE_KPROBE, 0, prepare_uprobe},
	{"uretprobe+", BPF_PROG_TYPE_KPROBE, 0, prepare_uprobe},
};
enum { N_HANDLERS = sizeof(handlers) / sizeof(*handlers) };

int prog_handlers_register(struct session *s)
{
	for (int i = 0; i < N_HANDLERS; i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)s,
			    .prog_prepare_load_fn = handlers[i].prepare);
		int err = libbpf_register_prog_handler(handlers[i].section, handlers[i].type,
						       (enum bpf_attach_type)handlers[i].attach,
						       &opts);

		if (err < 0)
			return err;
	}
	return 0;
}
