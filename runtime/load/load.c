/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF bytes -> loaded object: sizes the maps, sets the configuration, loads with libbpf, and finds
 * the descriptors. CO-RE is resolved against a cut-out of the kernel's BTF (kernel_btf_cut),
 * because libbpf would read all of it.
 */
#include "runtime/load/load.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/load/link.h"
#include "runtime/load/load_limit.h"
#include "runtime/load/load_report.h"
#include "runtime/session/interpret.h"
#include "runtime/load/precreate.h"
#include "runtime/load/prog_handlers.h"
#include "runtime/session/session.h"
#include "runtime/session/unwind.h"
#include "runtime/session/prep.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int map_fd(const struct session *s, const char *name)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, name);

	return !m ? -1 : s->interp ? interp_map_fd(s->interp, name) : bpf_map__fd(m);
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

/* One that is not per CPU has the slots of all CPUs. */
static void size_scratch(struct session *s)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, "sonde_scratch");
	uint32_t n = (uint32_t)libbpf_num_possible_cpus();

	if (s->source && n < s->kernel->n_cpus(s->kernel))
		n = s->kernel->n_cpus(s->kernel);
	if (m && bpf_map__type(m) == BPF_MAP_TYPE_ARRAY)
		bpf_map__set_max_entries(m, n * SONDE_SCRATCH_SLOTS);
}

/* Nothing uses this map unless kernel stacks are recalled. */
static void leave_out(const struct session *s, const char *name)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, name);

	if (m && !s->plan->needs.recall)
		bpf_map__set_autocreate(m, false);
}

static void size_map(struct session *s, const char *name, uint32_t n)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, name);

	if (m)
		bpf_map__set_max_entries(m, n);
}

static void size_maps(struct session *s, const struct sonde_config *config)
{
	uint32_t n_probes = s->plan->n_probes, trails = config->trails_mask + 1;

	size_map(s, "sonde_losses", (n_probes ? n_probes : 1) * (config->loss_mask + 1));
	size_map(s, "sonde_stacks", s->plan->needs.stack_entries);
	size_map(s, "sonde_unwind_trails", SONDE_SCRATCH_SLOTS + trails);
	size_map(s, "sonde_trails", trails);
	leave_out(s, "sonde_trails");
	leave_out(s, "sonde_recall_run");
	size_scratch(s);
	size_ring(s);
}

/* The map of section ".rodata" or ".bss". */
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
	size_t size = 0;
	void *at;

	if (!m)
		return 0;
	/* constants of imported functions follow */
	at = (void *)(uintptr_t)bpf_map__initial_value(m, &size);
	if (!at || size < sizeof(*config))
		return -EINVAL;
	memcpy(at, config, sizeof(*config));
	return 0;
}

static int map_control(struct session *s)
{
	struct bpf_map *m = internal_map(s, ".bss");
	void *at;

	if (!m)
		return 0;
	at = mmap(NULL, sizeof(struct sonde_control), PROT_READ | PROT_WRITE, MAP_SHARED,
		  map_fd(s, bpf_map__name(m)), 0);
	if (at == MAP_FAILED)
		return -errno;
	s->control = at;
	return 0;
}

struct bpf_object *session_open_object(const struct session_prep *prep, const void *elf, size_t len)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "sonde");

	snprintf(path, sizeof(path), "/proc/self/fd/%d", prep->btf_fd);
	if (prep->btf_fd >= 0)
		opts.btf_custom_path = path;
	return bpf_object__open_mem(elf, len, &opts);
}

static int find_programs(struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		s->progs[i] = bpf_object__find_program_by_name(s->object, s->plan->progs[i].symbol);
		if (!s->progs[i])
			return -ENOENT;
	}
	return 0;
}

/* The functions by which `reason` and `context` are found, as keys of a map. */
static int fill_reasons(int fd)
{
	static const struct {
		char function[SONDE_REASON_NAME];
		uint32_t reason;
	} rows[] = {
#define WAITS_IN(function, reason) {function, SONDE_REASON_##reason},
#define RUNS_IN(function, context) {function, SONDE_CONTEXT_##context},
#include "bpf_helpers/reasons.def"
	};

	_Static_assert(sizeof(rows) / sizeof(*rows) <= SONDE_REASON_NAMES, "the map has space");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (bpf_map_update_elem(fd, rows[i].function, &rows[i].reason, BPF_NOEXIST))
			return -errno;
	return 0;
}

static int find_maps(struct session *s)
{
	int err = 0;

	for (uint32_t i = 0; i < s->plan->n_maps; i++)
		s->map_fds[i] = map_fd(s, s->plan->maps[i].symbol);
	s->losses_fd = map_fd(s, "sonde_losses");
	s->stacks_fd = map_fd(s, "sonde_stacks");
	s->ring_fd = map_fd(s, "sonde_events");
	s->wake_fd = map_fd(s, "sonde_wake");
	s->packets_fd = map_fd(s, "sonde_packets");
	if (s->plan->needs.reason && map_fd(s, "sonde_reasons") >= 0)
		err = fill_reasons(map_fd(s, "sonde_reasons"));
	return err ?: map_control(s);
}

/* Parts that a script can run without. */
struct parts {
	bool reasons; /* functions that find reasons of waits by kernel stacks */
	bool spans;   /* programs for spans that began before tracing, or that do not end */
	bool strings; /* programs that fault in strings for others */
};

/* Imported objects may have programs of their own. */
static void leave_out_programs(const struct session *s, struct parts with)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, s->object) bpf_program__set_autoload(prog, false);
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		const struct plan_prog *g = &s->plan->progs[i];

		bpf_program__set_autoload(s->progs[i],
					  (with.spans || !prog_kind_is(g->kind, PK_OPTIONAL)) &&
						  (with.strings || !g->prefaults));
	}
}

enum { LOG_COUNTS = 4 }; /* BPF_LOG_STATS */

/* Without memory there are no counts. */
static void keep_logs(struct session *s)
{
	s->logs = calloc(s->plan->n_progs + 1, SESSION_LOG_BYTES);
	for (uint32_t i = 0; s->logs && i < s->plan->n_progs; i++)
		if (!bpf_program__set_log_buf(s->progs[i], s->logs + (size_t)i * SESSION_LOG_BYTES,
					      SESSION_LOG_BYTES))
			bpf_program__set_log_level(s->progs[i], LOG_COUNTS);
}

/* `elf` is linked. */
static int open_linked(struct session *s, struct session_prep *prep, struct parts with,
		       const void *elf, size_t len)
{
	int err;

	load_report_clear();
	bpf_object__close(s->object);
	s->object = session_open_object(prep, elf, len);
	err = s->object ? find_programs(s) : -errno;
	if (err) {
		log_error("libbpf cannot read the compiled program: %s%s", strerror(-err),
			  limit_hint(err));
		return err;
	}
	leave_out_programs(s, with);
	if (prep->keeps_logs)
		keep_logs(s);
	size_maps(s, &prep->config);
	precreate_hand_over(prep, s->object);
	session_unwind_hand_over(prep, s->object);
	return set_config(s, &prep->config);
}

/* Link, open and load. *is_refused: the kernel did not load it, which is not reported. */
static int load_with(struct session *s, struct session_prep *prep, struct parts with,
		     const void *elf, size_t len, bool *is_refused)
{
	void *linked = NULL;
	int err =
		session_link(s->plan, prep->config.unwinds, with.reasons, elf, len, &linked, &len);

	if (err) {
		log_error("libbpf cannot link the compiled program: %s%s", strerror(-err),
			  limit_hint(err));
		return err;
	}
	elf = linked ? linked : elf;
	err = open_linked(s, prep, with, elf, len);
	if (!err && prep->is_interpreted) {
		err = interpret_open(s, elf, len);
	} else if (!err) {
		load_limit_begin(s->plan->n_progs);
		err = bpf_object__load(s->object);
		load_limit_end();
		*is_refused = err != 0;
	}
	free(linked);
	return err;
}

/* Leave out the part that was refused. False: it was none of these. If one of the script's programs
 * was refused, the functions that find reasons are left out, since it calls them. */
static bool leave_out_part(const struct session *s, struct parts *with)
{
	uint32_t prog = load_report_refused(s);
	bool *part = &with->reasons;

	if (prog == UINT32_MAX)
		return false;
	if (prog_kind_is(s->plan->progs[prog].kind, PK_OPTIONAL))
		part = &with->spans;
	else if (s->plan->progs[prog].prefaults)
		part = &with->strings;
	if (!*part)
		return false;
	*part = false;
	load_report_log();
	return true;
}

static void warn_left_out(const struct session *s, struct parts with)
{
	if (!with.spans)
		log_warning("the kernel's verifier refused the programs that look at waiting "
			    "threads: spans that began before tracing, or have not ended, are "
			    "missing");
	if (!with.strings)
		log_warning("the kernel's verifier refused the programs that fault in strings: "
			    "those that the traced program has not touched yet are empty");
	if (s->plan->needs.reason && !with.reasons)
		log_warning("the kernel's verifier refused the functions that find reasons by "
			    "kernel stacks: 'reason' comes from the state of the thread only, and "
			    "'context' is always 'thread'");
}

int session_load(struct session *s, struct session_prep *prep, const void *elf, size_t len)
{
	struct parts with = {s->plan->needs.reason, true, true};
	int err = prog_handlers_register(s);
	bool is_refused;

	if (s->plan->needs.dwarf && prep->unwind_error) {
		log_error("ustack(dwarf): cannot create the maps of unwind tables: %s%s",
			  strerror(-prep->unwind_error), limit_hint(prep->unwind_error));
		return prep->unwind_error;
	}
	if (err) {
		log_error("libbpf cannot link the compiled program: %s%s", strerror(-err),
			  limit_hint(err));
		return err;
	}
	do {
		is_refused = false;
		err = load_with(s, prep, with, elf, len, &is_refused);
	} while (is_refused && leave_out_part(s, &with));
	if (is_refused && !prep->keeps_logs) /* else the log has counts only: it is loaded again */
		load_report(s, err);
	if (err)
		return err;
	warn_left_out(s, with);
	err = find_maps(s);
	if (err)
		log_error("cannot prepare the maps of the programs: %s%s", strerror(-err),
			  limit_hint(err));
	return err;
}
