/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that runs a program, as programs see it: a struct task_struct with the fields that
 * this process knows of itself and of its parent. Fields without a value are 0, and pointers among
 * them point to nothing.
 */
#include "runtime/interp/interp_impl.h"
#include "parser/base/text.h"
#include "runtime/base/io.h"
#include <bpf/btf.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each place has a thread, its parent and its leader. */
enum { ROLE_SELF, ROLE_PARENT, ROLE_LEADER, ROLES, PLACES = 2 };

enum {
	TASK_SPACE = TASK_FIRST + TASK_KINDS * TASK_KIND_BYTES, /* of a thread */
	TASK_CREDS = PLACES * ROLES * TASK_SPACE,
	TASK_CRED_BYTES = 8,
	TASK_CGROUPS = TASK_CREDS + PLACES * ROLES * TASK_CRED_BYTES,
	TASK_CGROUP_BYTES = 24,
	TASK_MEMORY = TASK_CGROUPS + PLACES * ROLES * TASK_CGROUP_BYTES,
	TASK_MEMORY_BYTES = 64, /* struct mm_struct, struct xol_area */
};

_Static_assert(TASK_MEMORY + TASK_MEMORY_BYTES <= TASK_BYTES, "there is space for all");
_Static_assert(TASK_SPACE <= INT16_MAX, "instructions reach them");

static bool is_task(const char *name)
{
	static const char task[] = "task_struct";
	size_t n = sizeof(task) - 1;

	return strncmp(name, task, n) == 0 && (!name[n] || strncmp(name + n, "___", 3) == 0);
}

/* The declarations are numbered in the order of their types. */
uint32_t task_kind_offset(const struct btf *btf, uint32_t type)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);

		if (!btf_is_struct(t) || !is_task(btf__name_by_offset(btf, t->name_off) ?: ""))
			continue;
		if (i == type)
			return TASK_FIRST + (n < TASK_KINDS ? n * TASK_KIND_BYTES : 0);
		n++;
	}
	return 0;
}

/* ---- fields ------------------------------------------------------------------------------- */

/* Fields of struct task_struct that have a value. */
enum field {
	FIELD_PID,
	FIELD_TGID,
	FIELD_PARENT,
	FIELD_LEADER,
	FIELD_CRED,
	FIELD_CGROUPS,
	FIELD_FLAGS,
	FIELD_EXEC_ID,
	FIELD_STATE,
	FIELD_EXIT_STATE,
	FIELD_ON_CPU,
	FIELD_CPU,
	FIELD_INFO,
	FIELD_COMM,
	FIELD_MEMORY,
	FIELD_COUNT,
};

/* The field of that name, or -1. */
static int field_of(const char *name)
{
	static const struct {
		const char *name;
		enum field field;
	} fields[] = {
		{"pid", FIELD_PID},
		{"tgid", FIELD_TGID},
		{"real_parent", FIELD_PARENT},
		{"parent", FIELD_PARENT},
		{"group_leader", FIELD_LEADER},
		{"cred", FIELD_CRED},
		{"real_cred", FIELD_CRED},
		{"cgroups", FIELD_CGROUPS},
		{"flags", FIELD_FLAGS},
		{"exit_state", FIELD_EXIT_STATE},
		{"self_exec_id", FIELD_EXEC_ID},
		{"__state", FIELD_STATE},
		{"on_cpu", FIELD_ON_CPU},
		{"cpu", FIELD_CPU},
		{"thread_info", FIELD_INFO},
		{"comm", FIELD_COMM},
		{"mm", FIELD_MEMORY},
	};

	__auto_type row = TEXT_ROW(fields, name, name, strlen(name));

	return row ? (int)row->field : -1;
}

/* Add the fields of a struct, which begins at `first` and has at most that many bytes. */
static int add_slots(struct slots *out, const struct btf *btf, uint32_t type, uint32_t first,
		     uint32_t most, int (*find)(const char *name))
{
	const struct btf_type *s = btf__type_by_id(btf, type);
	const struct btf_member *m = btf_members(s);

	for (uint32_t i = 0; i < btf_vlen(s); i++) {
		uint32_t offset = btf_member_bit_offset(s, i) / 8;
		int64_t n = btf__resolve_size(btf, m[i].type);
		int field = find(btf__name_by_offset(btf, m[i].name_off) ?: "");

		if (field >= 0 && n > 0 && offset + n <= most &&
		    vec_push(out,
			     (struct thread_slot){first + offset, (uint32_t)n, (uint8_t)field}))
			return -ENOMEM;
	}
	return 0;
}

static int find_slots(struct interp *p, const struct btf *btf)
{
	uint32_t n_kinds = 0;
	int err = 0;

	for (uint32_t i = 1; i < btf__type_cnt(btf) && !err; i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);

		if (!btf_is_struct(t) || !is_task(btf__name_by_offset(btf, t->name_off) ?: ""))
			continue;
		err = ++n_kinds > TASK_KINDS
			      ? -E2BIG
			      : add_slots(&p->slots, btf, i, task_kind_offset(btf, i),
					  TASK_KIND_BYTES, field_of);
	}
	return err;
}

/* ---- values ------------------------------------------------------------------------------- */

static void put(struct interp *p, uint64_t at, size_t n, const void *value)
{
	const struct region *r = &p->regions[REGION_TASK];

	memcpy(r->at + at, value, n);
	memset((uint8_t *)(uintptr_t)r->known + at, value ? 1 : 0, n);
}

static uint64_t place_of(enum interp_place place, uint32_t role)
{
	return (uint64_t)(place * ROLES + role) * TASK_SPACE;
}

/* Structs of one member each, as bpf_helpers/bpf.h declares them: css_set and cgroup, which point
 * to the next one, and kernfs_node with the id. */
static void put_cgroup(struct interp *p, uint64_t at, uint64_t id)
{
	const uint64_t words[] = {interp_address(REGION_TASK, at + 8),
				  interp_address(REGION_TASK, at + 16), id};

	put(p, at, sizeof(words), words);
}

/* A thread that is written, and those that it points to. */
struct writing {
	const struct thread_facts *t; /* NULL: nothing of it is known */
	uint64_t at, cred, cgroup, parent, leader;
	bool has_parent;
};

/* struct thread_info of bpf_helpers/bpf.h */
struct thread_info {
	uint64_t flags;
	uint32_t status, cpu;
};

static bool is_known(const struct writing *w, enum field field)
{
	switch (field) {
	case FIELD_PARENT: return w->has_parent;
	case FIELD_CRED: return w->t->has_user;
	case FIELD_CGROUPS: return w->t->has_cgroup;
	case FIELD_EXEC_ID:
	case FIELD_STATE:
	case FIELD_ON_CPU:
	case FIELD_CPU:
	case FIELD_INFO: return w->t->has_state;
	default: return true;
	}
}

static void put_thread(struct interp *p, const struct writing *w)
{
	const struct thread_facts *t = w->t;
	const struct region *r = &p->regions[REGION_TASK];
	struct thread_info info = {.cpu = t ? t->cpu : 0};
	uint64_t values[FIELD_COUNT] = {
		[FIELD_PID] = t ? t->pid : 0,
		[FIELD_TGID] = t ? t->tgid : 0,
		[FIELD_PARENT] = interp_address(REGION_TASK, w->parent),
		[FIELD_LEADER] = interp_address(REGION_TASK, w->leader),
		[FIELD_CRED] = interp_address(REGION_TASK, w->cred),
		[FIELD_CGROUPS] = interp_address(REGION_TASK, w->cgroup),
		[FIELD_MEMORY] = interp_return_trampoline(),
		[FIELD_STATE] = t ? t->state : 0,
		[FIELD_EXIT_STATE] = t ? t->exit_state : 0,
		[FIELD_ON_CPU] = t && t->is_on_cpu,
		[FIELD_CPU] = t ? t->cpu : 0,
	};

	for (size_t i = 0; i < p->slots.n; i++) {
		const struct thread_slot *s = &p->slots.items[i];

		if (!t || !is_known(w, s->field))
			memset((uint8_t *)(uintptr_t)r->known + w->at + s->at, 0, s->bytes);
		else if (s->field == FIELD_COMM)
			put(p, w->at + s->at, MIN(s->bytes, sizeof(t->comm)), t->comm);
		else if (s->field == FIELD_INFO)
			put(p, w->at + s->at, MIN(s->bytes, sizeof(info)), &info);
		else
			put(p, w->at + s->at, MIN(s->bytes, sizeof(values[0])), &values[s->field]);
	}
	if (t && t->has_user)
		put(p, w->cred, TASK_CRED_BYTES, (const uint32_t[]){t->uid, t->gid});
	if (t && t->has_cgroup)
		put_cgroup(p, w->cgroup, t->cgroup);
}

void interp_set_thread(struct interp *p, enum interp_place place, const struct thread_facts *t,
		       const struct thread_facts *parent, const struct thread_facts *leader)
{
	const struct thread_facts *all[ROLES] = {t, parent, leader};

	for (uint32_t i = 0; i < ROLES; i++) {
		struct writing w = {
			.t = all[i],
			.at = place_of(place, i),
			.cred = TASK_CREDS + (place * ROLES + i) * TASK_CRED_BYTES,
			.cgroup = TASK_CGROUPS + (place * ROLES + i) * TASK_CGROUP_BYTES,
			.parent = place_of(place, ROLE_PARENT),
			.leader = place_of(place, i == ROLE_SELF && leader ? ROLE_LEADER : i),
			.has_parent = i != ROLE_PARENT && parent,
		};

		put_thread(p, &w);
	}
	if (place == PLACE_CURRENT)
		p->current = *t;
	else
		p->other_tid = t->pid;
}

uint64_t interp_return_trampoline(void)
{
	return interp_address(REGION_TASK, TASK_MEMORY);
}

static void put_memory(struct interp *p)
{
	const uint64_t address = interp_return_trampoline();

	for (uint32_t i = 0; i < TASK_MEMORY_BYTES; i += sizeof(address))
		put(p, TASK_MEMORY + i, sizeof(address), &address);
}

uint64_t interp_thread(enum interp_place place)
{
	return interp_address(REGION_TASK, place_of(place, ROLE_SELF));
}

const uint32_t *interp_thread_number(const struct interp *p, uint64_t address)
{
	const uint32_t *tid = address == interp_thread(PLACE_CURRENT) ? &p->current.pid
			      : address == interp_thread(PLACE_OTHER) ? &p->other_tid
								      : NULL;

	return tid && *tid ? tid : NULL;
}

static void read_comm(char comm[TASK_COMM], uint32_t pid)
{
	io_read_proc(pid, "comm", comm, TASK_COMM, 0);
	comm[strcspn(comm, "\n")] = '\0';
}

/* Fields of struct pt_regs, as bpf_helpers/syscall.bpf.c declares it. */
static int find_registers(struct interp *p, const struct btf *btf)
{
	int type = btf__find_by_name_kind(btf, "pt_regs", BTF_KIND_STRUCT);

	return type <= 0 ? 0
			 : add_slots(&p->registers, btf, (uint32_t)type, 0, INTERP_REGISTER_BYTES,
				     interp_register_field);
}

int interp_make_task(struct interp *p, const struct btf *btf)
{
	uint8_t *known = calloc(1, TASK_BYTES);
	int err = known ? 0 : -ENOMEM;

	p->regions[REGION_TASK].known = known;
	p->own = (struct thread_facts){.pid = (uint32_t)syscall(SYS_gettid),
				       .tgid = (uint32_t)getpid(),
				       .uid = getuid(),
				       .gid = getgid(),
				       .has_user = true};
	p->parent = p->own;
	p->parent.pid = p->parent.tgid = (uint32_t)getppid();
	read_comm(p->own.comm, p->own.tgid);
	read_comm(p->parent.comm, p->parent.tgid);
	if (!err && btf)
		err = find_slots(p, btf) ?: find_registers(p, btf);
	if (!err)
		interp_set_thread(p, PLACE_CURRENT, &p->own, &p->parent, NULL);
	if (!err)
		put_memory(p);
	return err;
}
