/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads facts about loaded programs and maps: see loaded.h.
 */
#include "runtime/explain/loaded.h"
#include "runtime/base/clock.h"
#include "parser/base/arena.h"
#include "runtime/session/session.h"
#include "runtime/attach/attach_all.h"
#include "runtime/run/lifetime.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

/* The number after the last occurrence of a word; 0: there is none. */
static uint64_t count_behind(const char *log, const char *word)
{
	const char *at = NULL;

	for (const char *p = log; (p = strstr(p, word)); p++)
		at = p + strlen(word);
	return at ? strtoull(at, NULL, 10) : 0;
}

void verifier_counts_read(struct arena *a, const char *log, struct verifier_counts *c)
{
	const char *stack = strstr(log, "stack depth ");

	*c = (struct verifier_counts){
		.processed = count_behind(log, "processed "),
		.states = count_behind(log, "total_states "),
		.peak_states = count_behind(log, "peak_states "),
		.states_per_insn = count_behind(log, "max_states_per_insn "),
		.microseconds = count_behind(log, "verification time "),
		.stack = "",
	};
	if (stack) {
		stack += strlen("stack depth ");
		c->stack = arena_strndup(a, stack, strspn(stack, "0123456789+"));
	}
	c->is_known = c->processed > 0;
}

/* The memory that the descriptor's file in /proc/self/fdinfo states (memlock). */
static uint64_t memory_of(int fd)
{
	unsigned long long bytes = 0;
	char path[48], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "memlock: %llu", &bytes) != 1)
		;
	if (f)
		fclose(f);
	return bytes;
}

static void read_program(struct arena *a, const struct bpf_program *p, const char *log,
			 uint32_t prog, struct loaded_program *out)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	const char *type = libbpf_bpf_prog_type_str(bpf_program__type(p));
	int fd = bpf_program__fd(p);

	*out = (struct loaded_program){.prog = prog,
				       .name = arena_strdup(a, bpf_program__name(p)),
				       .type = type ? type : "?",
				       .n_insns = (uint32_t)bpf_program__insn_cnt(p)};
	verifier_counts_read(a, log ? log : "", &out->counts);
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return;
	out->translated_bytes = info.xlated_prog_len;
	out->machine_bytes = info.jited_prog_len;
	out->memory = memory_of(fd);
	out->runs = info.run_cnt;
	out->nanoseconds = info.run_time_ns;
}

static void read_maps(struct arena *a, const struct bpf_object *object, struct loaded *out)
{
	const struct bpf_map *m;
	uint32_t n = 0;

	bpf_object__for_each_map(m, object) n++;
	out->maps = arena_alloc(a, (n + 1) * sizeof(*out->maps));
	bpf_object__for_each_map(m, object)
	{
		const char *type = libbpf_bpf_map_type_str(bpf_map__type(m));
		int fd = bpf_map__fd(m);

		out->maps[out->n_maps++] = (struct loaded_map){
			.name = arena_strdup(a, bpf_map__name(m)),
			.type = type ? type : "?",
			.key_bytes = bpf_map__key_size(m),
			.value_bytes = bpf_map__value_size(m),
			.max_entries = bpf_map__max_entries(m),
			.is_of_threads = bpf_map__type(m) == BPF_MAP_TYPE_TASK_STORAGE,
			.memory = fd >= 0 ? memory_of(fd) : 0,
		};
	}
}

void loaded_read(struct arena *a, const struct session *s, struct loaded *out)
{
	*out = (struct loaded){
		.programs = arena_alloc(a, (s->plan->n_progs + 1) * sizeof(*out->programs))};
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (s->progs[i] && bpf_program__fd(s->progs[i]) >= 0)
			read_program(a, s->progs[i], session_log(s, i), i,
				     &out->programs[out->n_programs++]);
	read_maps(a, s->object, out);
}

bool loaded_can_measure(void)
{
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (stats < 0)
		return errno != EPERM;
	close(stats);
	return true;
}

int loaded_measure(struct arena *a, struct session *s, uint64_t ns, struct loaded *out)
{
	struct timespec left = clock_timespec(ns);
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME), err;

	if (stats < 0)
		return -errno;
	err = session_run_begin(s) ?: session_attach(s);
	while (!err && nanosleep(&left, &left) && errno == EINTR)
		;
	session_detach(s);
	loaded_read(a, s, out);
	close(stats);
	return err;
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list ap)
{
	return 0;
}

int loaded_read_object(struct arena *a, const void *elf, size_t len, struct loaded *out)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "sonde");
	libbpf_print_fn_t old = libbpf_set_print(print_nothing);
	struct bpf_object *object = bpf_object__open_mem(elf, len, &opts);
	int err = object ? 0 : -errno;

	libbpf_set_print(old);
	*out = (struct loaded){0};
	if (!object)
		return err;
	read_maps(a, object, out);
	bpf_object__close(object);
	return 0;
}
