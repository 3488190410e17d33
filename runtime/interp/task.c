/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that runs a program, as programs see it: a struct task_struct with the fields that
 * this process knows of itself and of its parent. Fields without a value are 0, and what they point
 * to is not there.
 */
#define _GNU_SOURCE
#include "runtime/interp/interp_impl.h"
#include "runtime/interp/task_kinds.h"
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TASK_OWN = 0,
	TASK_PARENT = TASK_FIRST + TASK_KINDS * TASK_KIND_BYTES, /* the parent is there */
	TASK_CRED = TASK_PARENT + TASK_PARENT,
};

static bool is_task(const char *name)
{
	static const char task[] = "task_struct";
	size_t n = sizeof(task) - 1;

	return strncmp(name, task, n) == 0 && (!name[n] || strncmp(name + n, "___", 3) == 0);
}

/* Declarations are counted in the order of their types. */
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
	FIELD_NONE,
	FIELD_PID,
	FIELD_TGID,
	FIELD_PARENT,
	FIELD_LEADER,
	FIELD_CRED,
	FIELD_ZERO,
	FIELD_COMM,
};

static enum field field_of(const char *name)
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
		{"flags", FIELD_ZERO},
		{"exit_state", FIELD_ZERO},
		{"comm", FIELD_COMM},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strcmp(fields[i].name, name) == 0)
			return fields[i].field;
	return FIELD_NONE;
}

/* The fields of one declaration. */
static int add_slots(struct interp *p, const struct btf *btf, uint32_t type)
{
	const struct btf_type *s = btf__type_by_id(btf, type);
	const struct btf_member *m = btf_members(s);
	uint32_t first = task_kind_offset(btf, type);
	struct thread_slot *slots =
		reallocarray(p->slots, p->n_slots + btf_vlen(s) + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	p->slots = slots;
	for (uint32_t i = 0; i < btf_vlen(s); i++) {
		enum field field = field_of(btf__name_by_offset(btf, m[i].name_off) ?: "");
		uint32_t offset = btf_member_bit_offset(s, i) / 8;
		int64_t n = btf__resolve_size(btf, m[i].type);

		if (!field || n <= 0 || offset + n > TASK_KIND_BYTES ||
		    (n > 8 && field != FIELD_COMM))
			continue;
		slots[p->n_slots++] =
			(struct thread_slot){first + offset,
					     (uint32_t)(n < TASK_COMM ? n : TASK_COMM),
					     (uint8_t)field};
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
		err = ++n_kinds > TASK_KINDS ? -E2BIG : add_slots(p, btf, i);
	}
	return err;
}

_Static_assert(TASK_CRED + 8 <= TASK_BYTES, "there is space for all");
_Static_assert(TASK_PARENT <= INT16_MAX, "instructions reach them");

/* ---- values ------------------------------------------------------------------------------- */

static void put(struct interp *p, uint64_t at, size_t n, const void *value)
{
	const struct region *r = &p->regions[REGION_TASK];

	memcpy(r->at + at, value, n);
	memset((uint8_t *)(uintptr_t)r->known + at, value ? 1 : 0, n);
}

/* Write all fields of the thread at `at`, or without `t` that they are not known. */
static void put_thread(struct interp *p, uint32_t at, const struct thread_facts *t, bool has_parent)
{
	const struct region *r = &p->regions[REGION_TASK];
	uint64_t parent = interp_address(REGION_TASK, TASK_PARENT);
	uint64_t values[] = {
		[FIELD_PID] = t ? t->pid : 0,
		[FIELD_TGID] = t ? t->tgid : 0,
		[FIELD_PARENT] = parent,
		[FIELD_LEADER] = interp_address(REGION_TASK, at),
		[FIELD_CRED] = interp_address(REGION_TASK, TASK_CRED),
		[FIELD_ZERO] = 0,
	};

	for (uint32_t i = 0; i < p->n_slots; i++) {
		const struct thread_slot *s = &p->slots[i];

		if (!t || (s->field == FIELD_PARENT && !has_parent))
			memset((uint8_t *)(uintptr_t)r->known + at + s->at, 0, s->bytes);
		else
			put(p, at + s->at, s->bytes,
			    s->field == FIELD_COMM ? (const void *)t->comm : &values[s->field]);
	}
}

void interp_set_thread(struct interp *p, const struct thread_facts *t,
		       const struct thread_facts *parent)
{
	/* struct cred of bpf_helpers/bpf.h: the user, then the group */
	const uint32_t ids[] = {t->uid, t->gid};

	put(p, TASK_CRED, sizeof(ids), ids);
	put_thread(p, TASK_OWN, t, parent != NULL);
	put_thread(p, TASK_PARENT, parent, parent != NULL);
	p->pid = t->tgid;
	p->tid = t->pid;
}

static void read_comm(char comm[TASK_COMM], uint32_t pid)
{
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(comm, TASK_COMM, f))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(f);
}

int interp_make_task(struct interp *p, const void *types, size_t len)
{
	struct btf *btf = types ? btf__new(types, (uint32_t)len) : NULL;
	uint8_t *known = calloc(1, TASK_BYTES);
	int err = known ? 0 : -ENOMEM;

	p->regions[REGION_TASK].known = known;
	p->task = interp_address(REGION_TASK, TASK_OWN);
	p->own = (struct thread_facts){.pid = (uint32_t)syscall(SYS_gettid),
				       .tgid = (uint32_t)getpid(),
				       .uid = getuid(),
				       .gid = getgid()};
	p->parent = p->own;
	p->parent.pid = p->parent.tgid = (uint32_t)getppid();
	read_comm(p->own.comm, p->own.tgid);
	read_comm(p->parent.comm, p->parent.tgid);
	if (!err && btf)
		err = find_slots(p, btf);
	btf__free(btf);
	if (!err)
		interp_set_thread(p, &p->own, &p->parent);
	return err;
}
