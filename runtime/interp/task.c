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
	TASK_COMM = 16,
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

/* ---- values ------------------------------------------------------------------------------- */

struct thread {
	uint32_t pid, tgid, uid, gid;
	uint64_t at, parent, leader, cred;
	char comm[TASK_COMM];
};

/* The thread's memory, and which bytes of it have a value. */
struct image {
	uint8_t *bytes, *known;
};

static void put(const struct image *im, uint64_t at, size_t n, const void *value)
{
	memcpy(im->bytes + at, value, n);
	memset(im->known + at, 1, n);
}

static void put_field(const struct image *im, uint64_t at, uint32_t n, const char *name,
		      const struct thread *t)
{
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{"pid", t->pid},
		{"tgid", t->tgid},
		{"real_parent", t->parent},
		{"parent", t->parent},
		{"group_leader", t->leader},
		{"cred", t->cred},
		{"real_cred", t->cred},
		{"flags", 0},
		{"exit_state", 0},
	};

	if (strcmp(name, "comm") == 0)
		put(im, at, n < TASK_COMM ? n : TASK_COMM, t->comm);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strcmp(fields[i].name, name) == 0 && n <= sizeof(fields[i].value))
			put(im, at, n, &fields[i].value);
}

static void fill(const struct btf *btf, uint32_t type, const struct image *im,
		 const struct thread *t)
{
	const struct btf_type *s = btf__type_by_id(btf, type);
	const struct btf_member *m = btf_members(s);

	for (uint32_t i = 0; i < btf_vlen(s); i++) {
		uint32_t offset = btf_member_bit_offset(s, i) / 8;
		int64_t n = btf__resolve_size(btf, m[i].type);

		if (n > 0 && offset + n <= TASK_KIND_BYTES)
			put_field(im, (uint32_t)t->at + task_kind_offset(btf, type) + offset,
				  (uint32_t)n, btf__name_by_offset(btf, m[i].name_off) ?: "", t);
	}
}

_Static_assert(TASK_CRED + 8 <= TASK_BYTES, "there is space for all");
_Static_assert(TASK_PARENT <= INT16_MAX, "instructions reach them");

static uint32_t count_kinds(const struct btf *btf)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);

		n += btf_is_struct(t) && is_task(btf__name_by_offset(btf, t->name_off) ?: "");
	}
	return n;
}

static void fill_all(const struct btf *btf, const struct image *im, const struct thread *t)
{
	for (uint32_t i = 1; i < btf__type_cnt(btf); i++) {
		const struct btf_type *s = btf__type_by_id(btf, i);

		if (btf_is_struct(s) && is_task(btf__name_by_offset(btf, s->name_off) ?: ""))
			fill(btf, i, im, t);
	}
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

/* struct cred of bpf_helpers/bpf.h: the user, then the group. */
static void make_cred(const struct image *im)
{
	const uint32_t ids[] = {getuid(), getgid()};

	put(im, TASK_CRED, sizeof(ids), ids);
}

int interp_make_task(struct interp *p, const void *types, size_t len)
{
	struct region *r = &p->regions[REGION_TASK];
	struct image im = {.bytes = r->at, .known = calloc(1, TASK_BYTES)};
	struct btf *btf = types ? btf__new(types, (uint32_t)len) : NULL;
	struct thread own = {.pid = (uint32_t)syscall(SYS_gettid), .tgid = (uint32_t)getpid()};
	struct thread parent = {.pid = (uint32_t)getppid(), .tgid = (uint32_t)getppid()};

	p->task = own.at = own.leader = interp_address(REGION_TASK, TASK_OWN);
	parent.at = parent.leader = parent.parent = own.parent =
		interp_address(REGION_TASK, TASK_PARENT);
	own.cred = parent.cred = interp_address(REGION_TASK, TASK_CRED);
	p->pid = own.tgid;
	p->tid = own.pid;
	read_comm(own.comm, own.tgid);
	read_comm(parent.comm, parent.tgid);
	r->known = im.known;
	if (!im.known || (btf && count_kinds(btf) > TASK_KINDS)) {
		btf__free(btf);
		return im.known ? -E2BIG : -ENOMEM;
	}
	make_cred(&im);
	if (btf) {
		fill_all(btf, &im, &own);
		fill_all(btf, &im, &parent);
	}
	btf__free(btf);
	return 0;
}
