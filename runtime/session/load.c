/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF bytes -> loaded object: map sizes, configuration, BTF ids, and what the verifier said when it
 * refused. libbpf does the loading; two of its ways are avoided because they read all of the
 * kernel's BTF (13 ms, 39 MiB): CO-RE is resolved against a cut-out (kernel_btf_cut), and typed raw
 * tracepoints get their BTF id from a scan of the raw section (the section handler below).
 */
#define _GNU_SOURCE
#include "runtime/session/attach.h"
#include "runtime/session/precreate.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/ksym_names.h"
#include "runtime/kernel/missing_capability.h"
#include "runtime/base/vec.h"
#include "runtime/base/log.h"
#include "runtime/session/session.h"
#include "runtime/base/uapi_new.h"
#include "runtime/elf/uprobe_place.h"
#include "runtime/symbols/usym.h"
#include "runtime/session/verifier_log.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <link.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- before the object is there ----------------------------------------------------------- */

/* Every struct that bpf_helpers/ reads, or reaches through a pointer. */
static const char
	*const
		core_structs[] =
			{
				"task_struct",
				"cred",
				"thread_info",
				"pt_regs",
				"mm_struct",
				"xol_area",
				"css_set",
				"cgroup",
				"kernfs_node", /* large ones: needs.cgroup */
				"pid",
				"upid",
				"pid_namespace",
				"ns_common", /* where numbers of a namespace are told */
};
enum { N_STRUCTS = 6, N_CGROUP_STRUCTS = 3, N_PID_STRUCTS = 4 };

static int cut_btf(const struct session_prep *prep, const struct plan *plan, struct kernel *k)
{
	uint32_t n = N_STRUCTS;

	if (plan->needs.cgroup || prep->config.cgroup_id)
		n += N_CGROUP_STRUCTS;
	if (prep->config.pid_ns)
		n = N_STRUCTS + N_CGROUP_STRUCTS + N_PID_STRUCTS;
	return kernel_btf_cut(k, core_structs, n);
}

static bool uses_core(const struct plan *plan)
{
	return plan->needs.scope || plan->needs.ustack || plan->needs.task;
}

/* How long these functions are at most. Not more: what follows may be a caller (syscall_trace_enter
 * is 80 bytes behind __bpf_trace_sys_enter in 6.1). */
enum {
	TRACE_RUNS = 12,
	TRACE_RUN_BYTES = 0x200,
	TRACEITER_BYTES = 0xd0,
	BPF_TRACE_BYTES = 0x40,
	PERF_TRACE_BYTES = 0x200,
};

/* How far a function goes is not told: these are short ones, and only a stack's first frames are
 * compared. */
static struct sonde_range range_of(uint64_t address, uint64_t bytes)
{
	return (struct sonde_range){address, address ? address + bytes : 0};
}

static void find_trace_runs(struct sonde_config *config)
{
	char text[TRACE_RUNS][32];
	const char *names[TRACE_RUNS];
	uint64_t at[TRACE_RUNS] = {0}, low = UINT64_MAX, high = 0;

	for (int i = 0; i < TRACE_RUNS; i++) {
		snprintf(text[i], sizeof(text[i]), "bpf_trace_run%d", i + 1);
		names[i] = text[i];
	}
	if (ksyms_addresses(names, at, TRACE_RUNS))
		return;
	for (int i = 0; i < TRACE_RUNS; i++) {
		low = at[i] && at[i] < low ? at[i] : low;
		high = at[i] > high ? at[i] : high;
	}
	if (high)
		config->trace_run = (struct sonde_range){low, high + TRACE_RUN_BYTES};
}

static void find_event_frames(struct sonde_config *config, const struct plan *plan)
{
	char text[SONDE_FRAME_COUNT][160];
	const char *names[SONDE_FRAME_COUNT] = {text[0], text[1]};

	for (uint32_t i = 0; i < plan->n_progs && i < SONDE_MAX_PROGS; i++) {
		uint64_t at[SONDE_FRAME_COUNT] = {0};
		bool perf = plan->progs[i].kind == PP_TRACEPOINT;

		if (!plan->progs[i].event)
			continue;
		snprintf(text[SONDE_FRAME_TRACEITER], sizeof(text[0]), "__traceiter_%s",
			 plan->progs[i].event);
		snprintf(text[SONDE_FRAME_BPF_TRACE], sizeof(text[0]), "%s_%s",
			 perf ? "perf_trace" : "__bpf_trace", plan->progs[i].event);
		if (ksyms_addresses(names, at, SONDE_FRAME_COUNT))
			return;
		config->frames[i][SONDE_FRAME_TRACEITER] =
			range_of(at[SONDE_FRAME_TRACEITER], TRACEITER_BYTES);
		config->frames[i][SONDE_FRAME_BPF_TRACE] =
			range_of(at[SONDE_FRAME_BPF_TRACE],
				 perf ? PERF_TRACE_BYTES : BPF_TRACE_BYTES);
	}
}

/* Libraries are loaded side by side; what is loaded later comes below them. */
enum { UNIMPLEMENTED_LIBRARIES = 256 << 20 };

static int own_code(struct dl_phdr_info *object, size_t size, void *ctx)
{
	struct sonde_config *config = ctx;
	bool is_image = config->own_image.bytes == 0; /* the first is the program */
	struct sonde_code *code = is_image ? &config->own_image : &config->own_libraries;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;

		if (part->p_type != PT_LOAD)
			continue;
		if (code->bytes) {
			end = end > code->start + code->bytes ? end : code->start + code->bytes;
			start = start < code->start ? start : code->start;
		}
		*code = (struct sonde_code){start, end - start};
	}
	return 0;
}

/* All that this process executes: a system call from elsewhere is another's. */
static void find_own_code(struct sonde_config *config)
{
	dl_iterate_phdr(own_code, config);
	if (config->own_libraries.bytes > 0) {
		config->own_libraries.start -= UNIMPLEMENTED_LIBRARIES;
		config->own_libraries.bytes += UNIMPLEMENTED_LIBRARIES;
	}
}

static void set_ring(struct sonde_config *config, const struct ring_layout *layout)
{
	config->ring_bytes = layout->bytes;
	config->ring_limit = layout->limit;
	config->ring_index_mask = layout->segments - 1;
	config->ring_offset_mask = layout->segment_bytes - 8;
}

/* What a call of a SONDE_KFUNC_ number stands for; its number counts from the first. */
static const char *const kfuncs[SONDE_KFUNC_COUNT] = {
	[SONDE_KFUNC_SESSION_IS_RETURN - SONDE_KFUNC_FIRST] = "bpf_session_is_return",
	[SONDE_KFUNC_RCU_READ_LOCK - SONDE_KFUNC_FIRST] = "bpf_rcu_read_lock",
	[SONDE_KFUNC_RCU_READ_UNLOCK - SONDE_KFUNC_FIRST] = "bpf_rcu_read_unlock",
};

/* Those of programs that may sleep, while the compiler works. */
static void find_kfuncs(struct session_prep *prep, const struct plan *plan, struct kernel *k)
{
	bool is_requested = false;

	for (uint32_t i = 0; i < plan->n_progs; i++)
		is_requested |= plan->progs[i].is_sleepable;
	for (uint32_t i = SONDE_KFUNC_RCU_READ_LOCK - SONDE_KFUNC_FIRST;
	     is_requested && i < SONDE_KFUNC_COUNT; i++)
		prep->kfunc_ids[i] = kernel_btf_id(k, kfuncs[i], BTF_KIND_FUNC);
}

void session_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
		     const struct session_scope *scope)
{
	struct timespec now;

	*prep = (struct session_prep){.btf_fd = -1, .scope = *scope};
	prep->config.self_tgid = scope->with_self ? 0 : (uint32_t)getpid();
	prep->config.scope = scope->scope;
	prep->config.scope_tgid = scope->tgid;
	prep->config.pid_ns = scope_pid_namespace();
	prep->config.cgroup_id = scope->cgroup.id;
	prep->config.cgroup_first = scope->cgroup.first_level;
	prep->config.cgroup_last = scope->cgroup.last_level;
	clock_gettime(CLOCK_BOOTTIME, &now);
	prep->config.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	find_own_code(&prep->config);
	if (plan->needs.ring_buffer)
		prep->ring = ring_layout(plan, k->n_cpus(k));
	set_ring(&prep->config, &prep->ring);
	if (plan->needs.cpus)
		prep->config.n_cpus = (uint32_t)libbpf_num_possible_cpus();
	if (uses_core(plan))
		prep->btf_fd = cut_btf(prep, plan, k);
	if (plan->needs.kstack) {
		find_trace_runs(&prep->config);
		find_event_frames(&prep->config, plan);
	}
	find_kfuncs(prep, plan, k);
	uprobe_place(plan);
	precreate_maps(prep, plan);
	precreate_warm_up(prep, k->n_cpus(k));
}

void session_prep_free(struct session_prep *prep)
{
	precreate_free(prep);
	if (prep->btf_fd >= 0)
		close(prep->btf_fd);
}

/* ---- section handlers ---------------------------------------------------------------------- */

static const struct plan_prog *plan_of(const struct session *s, const struct bpf_program *prog)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (strcmp(s->plan->progs[i].symbol, bpf_program__name(prog)) == 0)
			return &s->plan->progs[i];
	return NULL;
}

/* What BTF described when the script was read: a type of the kernel's, a module's or a program's
 * BTF. The descriptor must live until the program is loaded. */
static int set_target(struct session *s, struct bpf_program *prog, struct bpf_prog_load_opts *opts,
		      const struct typed_function *f)
{
	int err = bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);

	if (!f->btf_id)
		return -ENOSYS; /* described by a file */
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

/* fentry, fexit: registered as RAW_TRACEPOINT too, for the same reason as tp_btf. */
static int prepare_typed(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;
	const struct plan_prog *g = plan_of(s, prog);

	return g && g->typed ? set_target(s, prog, opts, g->typed) : -ENOENT;
}

/* The kernel's BTF has it as `prefix` and what the section is named for. */
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

/* tp_btf: registered as RAW_TRACEPOINT so that libbpf does not fetch vmlinux's BTF for the id; the
 * program becomes what it is just before it is loaded. */
static int prepare_tp_btf(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;
	const struct plan_prog *g = plan_of(s, prog);

	if (g && g->typed)
		return set_target(s, prog, opts, g->typed);
	return set_kernel_target(s, prog, opts, "btf_trace_", BTF_KIND_TYPEDEF);
}

/* iter: likewise; the kernel has an (empty) function for each. */
static int prepare_iter(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	return set_kernel_target((struct session *)cookie, prog, opts, "bpf_iter_", BTF_KIND_FUNC);
}

/* kprobes: a program for a kprobe_multi link says so when it is loaded. */
static int prepare_kprobe(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;

	const struct plan_prog *g = plan_of(s, prog);

	if (g && attach_is_kernel_multi(s->kernel, g))
		opts->expected_attach_type = BPF_TRACE_KPROBE_MULTI;
	return 0;
}

/* Looking one up reads a good part of vmlinux's BTF, so each is looked up once. */
static int call_kfunc(struct session *s, struct bpf_insn *insn)
{
	uint32_t i = (uint32_t)insn->imm - SONDE_KFUNC_FIRST;

	if (i >= SONDE_KFUNC_COUNT)
		return 0;
	if (s->kfunc_ids[i] <= 0)
		s->kfunc_ids[i] = kernel_btf_id(s->kernel, kfuncs[i], BTF_KIND_FUNC);
	if (s->kfunc_ids[i] < 0)
		return s->kfunc_ids[i];
	insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
	insn->imm = s->kfunc_ids[i];
	return 0;
}

/* Sessions and programs that may sleep call functions of the kernel's. libbpf would find them, with
 * all of vmlinux's BTF in memory. */
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

static int prepare_kernel_session(struct bpf_program *prog, struct bpf_prog_load_opts *opts,
				  long cookie)
{
	opts->expected_attach_type = (enum bpf_attach_type)NEW_BPF_TRACE_KPROBE_SESSION;
	return prepare_calls((struct session *)cookie, prog);
}

/* Programs that bring in memory of the traced program. */
static bool set_sleepable(const struct session *s, const struct bpf_program *prog,
			  struct bpf_prog_load_opts *opts)
{
	const struct plan_prog *g = plan_of(s, prog);

	if (!g || !g->is_sleepable)
		return false;
	opts->prog_flags |= BPF_F_SLEEPABLE;
	return true;
}

static int prepare_user_session(struct bpf_program *prog, struct bpf_prog_load_opts *opts,
				long cookie)
{
	set_sleepable((struct session *)cookie, prog, opts);
	opts->expected_attach_type = (enum bpf_attach_type)NEW_BPF_TRACE_UPROBE_SESSION;
	return prepare_calls((struct session *)cookie, prog);
}

/* uprobes: as kprobes. */
static int prepare_uprobe(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct session *s = (struct session *)cookie;

	if (kernel_has(s->kernel, CAP_UPROBE_MULTI))
		opts->expected_attach_type = (enum bpf_attach_type)NEW_BPF_TRACE_UPROBE_MULTI;
	return set_sleepable(s, prog, opts) ? prepare_calls(s, prog) : 0;
}

static const struct {
	const char *section;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	libbpf_prog_prepare_load_fn_t prepare;
} handlers[] = {
	{"tp_btf+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_RAW_TP, prepare_tp_btf},
	{"fentry+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_FENTRY, prepare_typed},
	{"fexit+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_FEXIT, prepare_typed},
	{"iter+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_ITER, prepare_iter},
	{"kprobe+", BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)0, prepare_kprobe},
	{"kretprobe+", BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)0, prepare_kprobe},
	{"kprobe.session+", BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)0, prepare_kernel_session},
	{"uprobe.session+", BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)0, prepare_user_session},
	{"uprobe+", BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)0, prepare_uprobe},
	{"uretprobe+", BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)0, prepare_uprobe},
};
enum { N_HANDLERS = sizeof(handlers) / sizeof(*handlers) };

/* ORDER: registered before the object is opened; libbpf's list is global, one session a process. */
static int register_handlers(struct session *s)
{
	for (int i = 0; i < N_HANDLERS; i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)s,
			    .prog_prepare_load_fn = handlers[i].prepare);
		int err = libbpf_register_prog_handler(handlers[i].section, handlers[i].type,
						       handlers[i].attach, &opts);

		if (err < 0)
			return err;
	}
	return 0;
}

/* ---- messages of libbpf -------------------------------------------------------------------- */

/* libbpf prints through one global function; what it says while loading is kept for the report of a
 * failure. A verifier's log may have megabytes, and its end counts. */
static VEC(char) kept;

static int keep_message(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *line = NULL;
	int n;

	if (level == LIBBPF_DEBUG)
		return 0;
	n = vasprintf(&line, fmt, ap);
	if (n < 0)
		return n;
	if (!vec_append(&kept, line, (size_t)n + 1))
		kept.n--; /* the next message begins at the NUL */
	free(line);
	return n;
}

static void forget_messages(void)
{
	vec_free(&kept);
}

enum { LAST_LINES = 12 };

static const char *last_lines(const char *text, int n)
{
	const char *p = text + strlen(text);

	while (p > text && n >= 0)
		n -= *--p == '\n';
	return p > text ? p + 1 : text;
}

/* The user's name for a refused program. */
static const char *refused_probe(const struct session *s, const struct verifier_message *v)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		const struct plan_prog *g = &s->plan->progs[i];

		if (v->program && strlen(g->symbol) == v->program_len &&
		    memcmp(g->symbol, v->program, v->program_len) == 0)
			return attach_name(s, i);
	}
	return "the script";
}

static void report_refusal(const struct session *s, const struct verifier_message *v)
{
	const struct source *source = s->plan->source;
	const char *text;
	uint32_t len;

	if (v->line)
		log_error("%s:%u: the kernel's verifier refused %s: %s", source->name, v->line,
			  refused_probe(s, v), v->words ? v->words : "no known reason");
	else
		log_error("the kernel's verifier refused %s: %s", refused_probe(s, v),
			  v->words ? v->words : "no known reason");
	if (v->line) {
		text = source_line(source, v->line, &len);
		fprintf(stderr, "  %.*s\n", (int)len, text);
	}
	if (v->help)
		fprintf(stderr, "hint: %s%s%s%s\n", v->help, *v->helper ? " (the helper is " : "",
			v->helper, *v->helper ? ")" : "");
}

static void report_files(void)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	log_error(
		"this script's maps and programs need more open files: the limit of open files is %llu "
		"(ulimit -Hn)",
		(unsigned long long)limit.rlim_cur);
}

static void report_load(const struct session *s, int err)
{
	const char *log = kept.items ? kept.items : "";
	const struct capability_row *lacking;
	struct verifier_message v;

	verifier_log_read(&v, log, s->plan->source);
	if ((err == -EPERM || err == -EACCES) && !v.reason) {
		log_error(
			"the kernel does not let this process load BPF programs (%s): run as root, not in "
			"a user namespace, on a kernel that is not locked down",
			strerror(-err));
		return;
	}
	if (err == -ENOSYS) {
		log_error(
			"there is no bpf() here: the kernel lacks CONFIG_BPF_SYSCALL, or a seccomp profile (of "
			"a container) forbids it");
		return;
	}
	if (err == -EMFILE) {
		report_files();
		return;
	}
	lacking = v.reason ? NULL : missing_capability_find(s->plan, s->kernel);
	if (v.reason)
		report_refusal(s, &v);
	else if (lacking)
		log_error(
			"this kernel has no %s (%s, from Linux %s on), which this script needs for %s",
			lacking->name, lacking->from, lacking->since, lacking->purpose);
	else
		log_error("the kernel refused the program: %s", strerror(-err));
	fputs(log_enabled(LOG_VERBOSE) ? log : last_lines(log, LAST_LINES), stderr);
	if (!log_enabled(LOG_VERBOSE))
		fputs("(-v prints the whole log)\n", stderr);
}

/* ---- opening and loading ------------------------------------------------------------------- */

static int map_fd(const struct session *s, const char *name)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, name);

	return m ? bpf_map__fd(m) : -1;
}

static void size_ring(struct session *s)
{
	struct bpf_map *ring = bpf_object__find_map_by_name(s->object, "sonde_events");
	struct bpf_map *wake = bpf_object__find_map_by_name(s->object, "sonde_wake");

	if (wake)
		bpf_map__set_max_entries(wake, (uint32_t)sysconf(_SC_PAGESIZE));
	if (!ring)
		return;
	bpf_map__set_max_entries(ring, s->ring.segments);
	bpf_map__set_value_size(ring, s->ring.element_bytes);
}

static void size_maps(struct session *s)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, "sonde_losses");

	if (m)
		bpf_map__set_max_entries(m, (s->plan->n_probes ? s->plan->n_probes : 1) *
						    SONDE_LOSS_COUNT);
	m = bpf_object__find_map_by_name(s->object, "sonde_stacks");
	if (m)
		bpf_map__set_max_entries(m, s->plan->needs.stack_entries);
	m = bpf_object__find_map_by_name(s->object, "sonde_scratch");
	if (m)
		bpf_map__set_value_size(m, SONDE_SCRATCH_HEAD + s->plan->needs.scratch_bytes);
	size_ring(s);
}

/* The internal map whose name ends so: ".rodata" or ".bss". */
static struct bpf_map *internal_map(const struct session *s, const char *suffix)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, s->object)
	{
		const char *dot = strrchr(bpf_map__name(m), '.');

		if (bpf_map__is_internal(m) && dot && strcmp(dot, suffix) == 0)
			return m;
	}
	return NULL;
}

static int set_config(struct session *s, const struct sonde_config *config)
{
	struct bpf_map *m = internal_map(s, ".rodata");

	return m ? bpf_map__set_initial_value(m, config, sizeof(*config)) : 0;
}

static int map_control(struct session *s)
{
	struct bpf_map *m = internal_map(s, ".bss");
	void *at;

	if (!m)
		return 0;
	at = mmap(NULL, sizeof(struct sonde_control), PROT_READ | PROT_WRITE, MAP_SHARED,
		  bpf_map__fd(m), 0);
	if (at == MAP_FAILED)
		return -errno;
	s->control = at;
	return 0;
}

static int open_object(struct session *s, const struct session_prep *prep, const void *elf,
		       size_t len)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "sonde");

	snprintf(path, sizeof(path), "/proc/self/fd/%d", prep->btf_fd);
	if (prep->btf_fd >= 0)
		opts.btf_custom_path = path;
	s->object = bpf_object__open_mem(elf, len, &opts);
	return s->object ? 0 : -errno;
}

static int find_parts(struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		s->progs[i] = bpf_object__find_program_by_name(s->object, s->plan->progs[i].symbol);
		if (!s->progs[i])
			return -ENOENT;
	}
	for (uint32_t i = 0; i < s->plan->n_maps; i++)
		s->map_fds[i] = map_fd(s, s->plan->maps[i].symbol);
	s->losses_fd = map_fd(s, "sonde_losses");
	s->stacks_fd = map_fd(s, "sonde_stacks");
	s->ring_fd = map_fd(s, "sonde_events");
	s->wake_fd = map_fd(s, "sonde_wake");
	return map_control(s);
}

static int load_object(struct session *s, struct session_prep *prep, const void *elf, size_t len)
{
	int err = register_handlers(s);

	if (!err)
		err = open_object(s, prep, elf, len);
	if (err) {
		log_error("libbpf cannot read the compiled program: %s", strerror(-err));
		return err;
	}
	size_maps(s);
	precreate_hand_over(prep, s->object);
	err = set_config(s, &prep->config);
	if (!err)
		err = bpf_object__load(s->object);
	if (err) {
		report_load(s, err);
		return err;
	}
	return find_parts(s);
}

int session_open(struct session *s, const struct plan *plan, struct kernel *k,
		 struct session_prep *prep, const void *elf, size_t len)
{
	int err;

	*s = (struct session){.plan = plan,
			      .scope = prep->scope,
			      .ring = prep->ring,
			      .kernel = k,
			      .attach_to_fd = -1,
			      .losses_fd = -1,
			      .stacks_fd = -1,
			      .ring_fd = -1,
			      .wake_fd = -1,
			      .stop_fd = -1};
	memcpy(s->kfunc_ids, prep->kfunc_ids, sizeof(s->kfunc_ids));
	s->progs = calloc(plan->n_progs + 1, sizeof(*s->progs));
	s->map_fds = calloc(plan->n_maps + 1, sizeof(*s->map_fds));
	if (!s->progs || !s->map_fds)
		return -ENOMEM;
	libbpf_set_print(keep_message);
	err = load_object(s, prep, elf, len);
	if (!err)
		err = stacks_open(s);
	forget_messages();
	kernel_trim(k);
	return err;
}
