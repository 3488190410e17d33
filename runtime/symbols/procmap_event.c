/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates mapping tables from the records that maptrack.c reads, and from /proc/PID/maps. See
 * procmap.h.
 */
#include "runtime/symbols/procmap_impl.h"
#include "runtime/base/clock.h"
#include "runtime/base/proc_status.h"

/* ---- records ---- */

void procmap_mmap(struct procmap *p, uint32_t tgid, const struct mapping *m, const char *path,
		  uint64_t device, uint64_t inode)
{
	struct process *r = procmap_find_process(p, tgid);
	struct mapping with_file = *m;

	if (!r)
		return;
	procmap_set_ended(p, r, false, 0);
	with_file.file = mapfile_acquire(&p->files, device, inode, path, m->start);
	if (with_file.file)
		maptable_add(&p->files, &newest_generation(r)->table, &with_file,
			     &newest_generation(r)->former);
}

/* Begin a generation of a process, which may be new. NULL if out of memory. */
static struct generation *begin(struct procmap *p, uint32_t tgid, uint64_t time_ns)
{
	struct process *r = procmap_find_process(p, tgid);

	if (r) {
		procmap_set_ended(p, r, false, 0);
		return procmap_add_generation(p, r, time_ns);
	}
	r = procmap_add_process(p, tgid, time_ns);
	return r ? newest_generation(r) : NULL;
}

void procmap_exec(struct procmap *p, uint32_t tgid, uint64_t time_ns, bool only_known,
		  const char *comm)
{
	struct process *r = procmap_find_process(p, tgid);
	struct generation *g;

	if (!r && only_known)
		return;
	if (r && newest_generation(r)->read_ns >= time_ns) {
		/* /proc showed the result of this exec before its record arrived. */
		g = newest_generation(r);
		g->start_ns = time_ns;
	} else {
		g = begin(p, tgid, time_ns);
	}
	if (!g)
		return;
	g->is_complete = true;
	strncpy(g->program.comm, comm, sizeof(g->program.comm) - 1);
}

static struct procmap_program copy_program(const struct procmap_program *from)
{
	struct procmap_program to = *from;

	if (from->run)
		procmap_set_link(&to, from->mapped, from->run);
	return to;
}

void procmap_fork(struct procmap *p, uint32_t parent, uint32_t child, uint64_t time_ns)
{
	const struct process *from = procmap_find_process(p, parent),
			     *to = procmap_find_process(p, child);
	/* The pid may be reused; stacks of the former process may still be printed. */
	uint32_t life = to ? newest_generation(to)->life + 1 : 0;
	struct generation *g;

	if (!from || parent == child)
		return; /* a new thread, or the child of an unknown process */
	g = begin(p, child, time_ns);
	if (!g)
		return;
	procmap_find_process(p, child)->parent = parent;
	*g = (struct generation){.start_ns = time_ns,
				 .number = g->number,
				 .life = life,
				 .exec_id = newest_generation(from)->exec_id,
				 .has_id = newest_generation(from)->has_id,
				 .is_complete = newest_generation(from)->is_complete,
				 .program = copy_program(&newest_generation(from)->program),
				 .table = newest_generation(from)->table};
	if (g->table)
		g->table->refs++;
}

void procmap_exit(struct procmap *p, uint32_t tgid, uint64_t time_ns)
{
	struct process *r = procmap_find_process(p, tgid);

	if (r)
		procmap_set_ended(p, r, true, time_ns);
}

/* ---- /proc/PID/maps ---- */

/* The process whose newest generation is to hold `t`, the table read from /proc. */
static struct process *process_of_table(struct procmap *p, uint32_t tgid, const struct maptable *t)
{
	struct process *r = procmap_find_process(p, tgid);
	uint64_t now_ns = monotonic_ns();

	if (!r) {
		/* it has these mappings since an unknown time */
		r = procmap_add_process(p, tgid, 0);
		if (r)
			newest_generation(r)->read_ns = now_ns;
		return r;
	}
	if (!newest_generation(r)->table || maptable_has_common(newest_generation(r)->table, t))
		return r;
	/* The table has nothing in common with the known one: the record of an exec was lost. */
	if (!procmap_add_generation(p, r, now_ns))
		return NULL;
	newest_generation(r)->read_ns = now_ns;
	return r;
}

int procmap_read_process(struct procmap *p, uint32_t tgid, uint64_t not_after_ns)
{
	struct process *r;
	struct maptable *t = NULL;
	uint64_t now_ns = monotonic_ns();
	int err;

	if (not_after_ns != UINT64_MAX && proc_start_ns(tgid) > not_after_ns + 10000000u)
		return -ESRCH;
	err = maptable_read(&p->files, tgid, &t);
	if (err)
		goto out;
	if (p->processes.n >= p->sweep_at)
		procmap_sweep(p, now_ns);
	r = process_of_table(p, tgid, t);
	if (!r) {
		err = -ENOMEM;
		goto out;
	}
	procmap_set_ended(p, r, false, 0);
	for (uint32_t i = 0; i < t->n; i++) {
		t->items[i].file->refs++;
		maptable_add(&p->files, &newest_generation(r)->table, &t->items[i],
			     &newest_generation(r)->former);
	}
	newest_generation(r)->is_complete = true;
out:
	maptable_release(&p->files, t);
	return err;
}
