/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --info: collects facts about the kernel, the machine and this process, section by section, and
 * passes each row to a writer (info_out.c). Capabilities are the rows of
 * parser/lang/capabilities.def; helpers and map types are those that codegen/ and bpf_helpers/ use.
 */
#include "runtime/list/info.h"
#include "parser/base/limits.h"
#include "parser/lang/probe.h"
#include "runtime/list/info_out.h"
#include "runtime/base/io.h"
#include "runtime/kernel/floor.h"
#include "runtime/kernel/kernel_facts.h"
#include <bpf/libbpf.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>

/* The first line of a file; false when it cannot be read. */
static bool read_line(const char *path, char *line, size_t size)
{
	bool is_there = io_read_file(path, line, size, 0) > 0;

	line[strcspn(line, "\n")] = '\0';
	return is_there;
}

/* ---- kernel, machine, process -------------------------------------------------------------- */

static void put_versions(struct info_out *o, const struct info_build *build)
{
	char libbpf[32];

	info_section(o, "versions", "versions");
	info_text(o, "sonde", build->sonde);
	info_text(o, "LLVM", build->llvm);
	snprintf(libbpf, sizeof(libbpf), "%s", libbpf_version_string());
	info_text(o, "libbpf", libbpf + (*libbpf == 'v'));
}

static const char *tracefs_state(struct kernel *k)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	struct statfs fs;

	for (size_t i = 0; i < 2; i++)
		if (statfs(places[i], &fs) == 0 && (unsigned long)fs.f_type == TRACEFS_MAGIC)
			return places[i];
	return kernel_tracefs(k) >= 0 ? "not mounted, sonde uses a mount of its own"
				      : "not mounted, and this process may not mount it";
}

/* "none [integrity] confidentiality": the word in brackets. */
static void put_lockdown(struct info_out *o)
{
	char line[128], *open, *close;

	if (!read_line("/sys/kernel/security/lockdown", line, sizeof(line))) {
		info_text(o, "lockdown",
			  "not shown (securityfs is not mounted, or has no such file)");
		return;
	}
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	info_text(o, "lockdown", close ? open + 1 : line);
}

static void put_kernel(struct info_out *o, struct kernel *k)
{
	struct utsname name;

	info_section(o, "kernel", "kernel and machine");
	if (uname(&name) == 0) {
		info_text(o, "release", name.release);
		info_text(o, "version", name.version);
		info_text(o, "machine", name.machine);
	}
	info_number(o, "CPUs online", sysconf(_SC_NPROCESSORS_ONLN));
	info_number(o, "CPUs possible", k->n_cpus(k));
	info_text(o, "tracefs", tracefs_state(k));
	put_lockdown(o);
}

static void put_process(struct info_out *o)
{
	static const struct {
		const char *name, *purpose;
		unsigned int cap;
	} caps[] = {
		{"CAP_BPF", "loads programs", CAP_BPF},
		{"CAP_PERFMON", "attaches them, reads memory", CAP_PERFMON},
		{"CAP_SYS_ADMIN", "all of that; tracefs of one's own", CAP_SYS_ADMIN},
		{"CAP_SYS_PTRACE", "symbols of other users' processes", CAP_SYS_PTRACE},
		{"CAP_SYSLOG", "kernel addresses in /proc/kallsyms", CAP_SYSLOG},
		{"CAP_SYS_RESOURCE", "raises limits", CAP_SYS_RESOURCE},
	};
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	info_section(o, "process", "this process");
	info_number(o, "uid", geteuid());
	if (syscall(SYS_capget, &head, data))
		return;
	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++) {
		bool has = data[caps[i].cap / 32].effective & 1u << caps[i].cap % 32;

		info_state(o, caps[i].name, caps[i].name, has ? CAPABILITY_YES : CAPABILITY_NO,
			   caps[i].purpose);
	}
}

/* ---- capabilities ------------------------------------------------------------------- */

static void put_capabilities(struct info_out *o, const enum capability_state *states)
{
	char why[160];

	info_section(o, "features", "what the kernel has");
	for (int i = 0; i < CAP_COUNT; i++) {
		const struct capability_row *n = &capability_rows[i];

		snprintf(why, sizeof(why), "%s, kernel %s: %s", n->from, n->since, n->purpose);
		info_state(o, n->id, n->name, states[i], states[i] == CAPABILITY_YES ? NULL : why);
	}
}

static void put_probe(struct info_out *o, const struct probe_row *row,
		      const enum capability_state *states, bool runs_nothing)
{
	const struct capability_row *c = &capability_rows[row->capability];
	char why[160];

	if (runs_nothing)
		return info_state(o, row->name, row->name, CAPABILITY_NO,
				  "the kernel lacks what every script needs");
	if (row->capability == CAP_NONE)
		return info_state(o, row->name, row->name, CAPABILITY_YES, NULL);
	snprintf(why, sizeof(why), "no %s (%s)", c->name, c->from);
	info_state(o, row->name, row->name, states[row->capability],
		   states[row->capability] == CAPABILITY_NO ? why : NULL);
}

static void put_probes(struct info_out *o, struct kernel *k, const enum capability_state *states)
{
	char lacks[512];
	bool runs_nothing = floor_lacks(k, lacks, sizeof(lacks)) > 0;

	info_section(o, "probes", "probe types");
	for (int i = 0; i < PROBE_COUNT; i++)
		put_probe(o, &probe_rows[i], states, runs_nothing);
}

/* ---- helpers, maps ------------------------------------------------------------------------- */

#define HELPER(name) {#name, BPF_FUNC_##name}
#define MAP(name) {#name, BPF_MAP_TYPE_##name}

/* `answer` is libbpf's: 1, 0 or -errno. */
static void put_answer(struct info_out *o, const char *name, int answer)
{
	bool is_no = answer == 0 && geteuid() == 0;

	info_state(o, name, name,
		   answer > 0 ? CAPABILITY_YES
		   : is_no    ? CAPABILITY_NO
			      : CAPABILITY_UNKNOWN,
		   NULL);
}

static void put_helpers(struct info_out *o)
{
	static const struct {
		const char *name;
		enum bpf_func_id id;
	} helpers[] = {
		HELPER(map_lookup_elem),      HELPER(map_update_elem),
		HELPER(map_delete_elem),      HELPER(map_lookup_percpu_elem),
		HELPER(for_each_map_elem),    HELPER(loop),
		HELPER(probe_read_kernel),    HELPER(probe_read_kernel_str),
		HELPER(probe_read_user),      HELPER(probe_read_user_str),
		HELPER(ktime_get_ns),	      HELPER(ktime_get_boot_ns),
		HELPER(get_smp_processor_id), HELPER(get_current_pid_tgid),
		HELPER(get_current_uid_gid),  HELPER(get_current_comm),
		HELPER(get_current_task_btf), HELPER(get_current_cgroup_id),
		HELPER(get_prandom_u32),      HELPER(get_stack),
		HELPER(get_task_stack),	      HELPER(get_attach_cookie),
		HELPER(get_func_ip),	      HELPER(task_storage_get),
		HELPER(task_storage_delete),  HELPER(ringbuf_output),
	};

	info_section(o, "helpers", "BPF helpers that sonde calls");
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++)
		put_answer(o, helpers[i].name,
			   libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, helpers[i].id, NULL));
}

static void put_maps(struct info_out *o)
{
	static const struct {
		const char *name;
		enum bpf_map_type type;
	} maps[] = {MAP(HASH), MAP(ARRAY), MAP(PERCPU_ARRAY), MAP(RINGBUF), MAP(TASK_STORAGE)};

	info_section(o, "maps", "BPF map types that sonde uses");
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		put_answer(o, maps[i].name, libbpf_probe_bpf_map_type(maps[i].type, NULL));
}

/* ---- limits -------------------------------------------------------------------------------- */

static void put_rlimit(struct info_out *o, const char *key, int which)
{
	struct rlimit limit;

	if (getrlimit(which, &limit))
		return;
	if (limit.rlim_max == RLIM_INFINITY)
		info_text(o, key, "unlimited");
	else
		info_number(o, key, (int64_t)limit.rlim_max);
}

static void put_limits(struct info_out *o)
{
	static const char *const settings[] = {
		"kernel/perf_event_max_stack",	    "kernel/perf_event_max_sample_rate",
		"kernel/perf_event_paranoid",	    "kernel/kptr_restrict",
		"kernel/unprivileged_bpf_disabled", "net/core/bpf_jit_enable",
	};
	enum { URETPROBE_DEPTH = 64 }; /* MAX_URETPROBE_DEPTH; the kernel does not export it */
	char path[128], line[64];

	info_section(o, "limits", "limits");
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(path, sizeof(path), "/proc/sys/%s", settings[i]);
		if (read_line(path, line, sizeof(line)))
			info_number(o, strrchr(settings[i], '/') + 1, strtoll(line, NULL, 10));
	}
	put_rlimit(o, "locked memory (bytes)", RLIMIT_MEMLOCK);
	put_rlimit(o, "open files", RLIMIT_NOFILE);
	info_number(o, "uretprobe nesting", URETPROBE_DEPTH);
	info_number(o, "attach points a script", LIMIT_PROBES);
	info_number(o, "functions a pattern", LIMIT_TARGETS);
	info_number(o, "maps a script", LIMIT_MAPS);
}

void info_print(struct kernel *k, const struct info_build *build, bool as_json, FILE *out)
{
	struct info_out o;
	enum capability_state states[CAP_COUNT];

	libbpf_set_print(NULL);
	for (int i = 0; i < CAP_COUNT; i++)
		states[i] = kernel_capability(k, (enum capability_id)i);
	info_begin(&o, out, as_json);
	put_versions(&o, build);
	put_kernel(&o, k);
	put_process(&o);
	put_probes(&o, k, states);
	put_capabilities(&o, states);
	put_helpers(&o);
	put_maps(&o);
	put_limits(&o);
	info_end(&o);
}
