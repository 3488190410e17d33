/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a recording as programs see them: the thread, the clocks, the context and the stacks.
 * The functions that select them are in interp.h.
 */
#include "runtime/interp/interp_impl.h"
#include "bpf_helpers/shared.h"
#include "runtime/base/recorded_events.h"
#include "runtime/base/recorded_task.h"
#include <stdio.h>

/* States of sched_switch, and of struct task_struct. */
enum {
	REPORTED_IDLE = 0x80,
	REPORTED_PREEMPTED = 0x100,
	STATE_IDLE = 0x402,
	STATE_DEAD = 0x80,
};

void interp_use_events(struct interp *p, const struct recorded_events *all)
{
	p->recorded = all;
	p->random = all->wall | 1; /* random numbers are the same in each run */
	p->now = all->start;
	p->context = p->regions[REGION_CONTEXT];
	p->called = calloc(all->n_threads + 1u, sizeof(*p->called));
}

uint32_t interp_thread_index(const struct interp *p)
{
	return p->recorded->threads[p->event->thread].first;
}

static void leave_event(struct interp *p)
{
	p->regions[REGION_CONTEXT] = p->context;
	p->event = NULL;
	p->visit = NULL;
}

/* ---- threads ------------------------------------------------------------------------------ */

static void take_state(struct thread_facts *t, uint32_t reported)
{
	t->exit_state = reported & RECORDED_ENDS;
	t->state = t->exit_state	       ? STATE_DEAD
		   : reported == REPORTED_IDLE ? STATE_IDLE
					       : reported & ~(uint32_t)REPORTED_PREEMPTED;
}

static struct thread_facts idle_of(uint32_t cpu)
{
	struct thread_facts t = {.has_user = true,
				 .has_state = true,
				 .cpu = cpu,
				 .is_on_cpu = true};

	snprintf(t.comm, sizeof(t.comm), "swapper/%u", cpu % 10000);
	return t;
}

/* Write the thread's struct, in the layout that the facts of the recording describe. */
static void put_struct(struct interp *p, enum interp_place place, const struct thread_facts *t,
		       const uint64_t *words)
{
	const struct region *r = &p->regions[REGION_TASK];
	uint64_t address = interp_thread(place), at = address & 0xffffffff;
	struct recorded_task task = {
		.pid = (int32_t)t->pid,
		.tgid = (int32_t)t->tgid,
		.cfs_rq = address + offsetof(struct recorded_task, rq),
		.rq = address + offsetof(struct recorded_task, clock),
	};

	memcpy(task.comm, t->comm, sizeof(task.comm));
#define TAKE(path, member) \
	task.member = (typeof(task.member))(words ? words[RECORDED_##member] : 0);
	RECORDED_WORDS(TAKE)
#undef TAKE
	memcpy(r->at + at, &task, sizeof(task));
	memset((uint8_t *)(uintptr_t)r->known + at, words != NULL, sizeof(task));
	memset((uint8_t *)(uintptr_t)r->known + at, 1, offsetof(struct recorded_task, flags));
}

/* A recorded thread, its parent and its leader. `now`: what is known of it at this event. */
static void put_recorded(struct interp *p, enum interp_place place, uint32_t thread,
			 const struct thread_facts *now, const uint64_t *words)
{
	const struct recorded_thread *r = &p->recorded->threads[thread];
	struct thread_facts t = *now, parent = {.pid = r->ppid, .tgid = r->ppid},
			    leader = {.pid = r->pid, .tgid = r->pid};

	t.pid = r->tid;
	t.tgid = r->pid;
	t.uid = r->uid;
	t.gid = r->gid;
	t.cgroup = r->cgroup;
	t.has_user = t.has_state = t.has_cgroup = true;
	memcpy(t.comm, r->comm, sizeof(t.comm));
	memcpy(parent.comm, r->pcomm, sizeof(parent.comm));
	memcpy(leader.comm, r->leader_comm, sizeof(leader.comm));
	interp_set_thread(p, place, &t, &parent, r->pid == r->tid ? NULL : &leader);
	put_struct(p, place, &t, words);
}

void interp_set_time(struct interp *p, uint64_t ns)
{
	pthread_mutex_lock(&p->lock);
	if (p->event)
		interp_set_thread(p, PLACE_CURRENT, &p->own, &p->parent, NULL);
	leave_event(p);
	p->now = ns;
	pthread_mutex_unlock(&p->lock);
}

void interp_set_event(struct interp *p, const struct recorded_event *e)
{
	struct thread_facts now = {.cpu = e->cpu, .is_on_cpu = true}, idle = idle_of(e->cpu);
	bool is_back = e->kind == RECORDED_BACK;

	pthread_mutex_lock(&p->lock);
	leave_event(p);
	p->event = e;
	p->now = e->time;
	if (e->n_strings && p->called)
		p->called[interp_thread_index(p)] = e;
	if (e->has_state)
		take_state(&now, e->state);
	put_recorded(p, is_back ? PLACE_OTHER : PLACE_CURRENT, e->thread, &now, e->words);
	if (is_back)
		interp_set_thread(p, PLACE_CURRENT, &idle, NULL, NULL);
	pthread_mutex_unlock(&p->lock);
}

void interp_set_visit(struct interp *p, const struct recorded_edge *edge)
{
	struct thread_facts now = {.cpu = edge->cpu, .is_on_cpu = edge->is_on_cpu};
	uint64_t words[] = {0, interp_thread(PLACE_OTHER)};

	interp_set_time(p, edge->time);
	pthread_mutex_lock(&p->lock);
	p->visit = edge;
	put_recorded(p, PLACE_OTHER, edge->thread, &now, edge->words);
	memcpy(p->context.at, words, sizeof(words));
	pthread_mutex_unlock(&p->lock);
}

void interp_evict_thread(struct interp *p, uint32_t tid)
{
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (p->maps[i].type == BPF_MAP_TYPE_TASK_STORAGE)
			interp_map_delete(&p->maps[i], &tid);
	pthread_mutex_unlock(&p->lock);
}

/* ---- contexts ----------------------------------------------------------------------------- */

enum { RECORD_NUMBER = 8, RECORD_WORDS = 16, SYSCALL_WORDS = 6 };

/* What a register of a system call holds. The arguments of the call follow these values. */
enum { REGISTER_NONE, REGISTER_ZERO, REGISTER_NUMBER, REGISTER_FIRST };

int interp_register_field(const char *name)
{
	static const char *const words[SYSCALL_WORDS][2] = {
		{"di", "orig_x0"}, {"si"}, {"dx"}, {"r10"}, {"r8"}, {"r9"},
	};

	for (uint8_t i = 0; i < SYSCALL_WORDS; i++)
		for (int k = 0; k < 2; k++)
			if (words[i][k] && strcmp(name, words[i][k]) == 0)
				return REGISTER_FIRST + i;
	if (strcmp(name, "orig_ax") == 0 || strcmp(name, "syscallno") == 0)
		return REGISTER_NUMBER;
	return strcmp(name, "regs") == 0 ? REGISTER_NONE : REGISTER_ZERO;
}

/* A word of the record. False: it has none there. */
static bool record_word(const struct recorded_event *e, uint32_t at, uint32_t n, uint64_t *word)
{
	*word = 0;
	if (at + n > e->n_bytes || memchr(e->known + at, 0, n))
		return false;
	memcpy(word, e->record + at, n);
	return true;
}

static bool call_number(const struct recorded_event *e, uint64_t *number)
{
	bool is_known = record_word(e, RECORD_NUMBER, 4, number);

	*number = (uint64_t)(int64_t)(int32_t)*number;
	return is_known;
}

static bool register_value(const struct recorded_event *e, uint8_t field, uint64_t *value)
{
	*value = 0;
	switch (field) {
	case REGISTER_NONE: return false;
	case REGISTER_ZERO: return true;
	case REGISTER_NUMBER: return call_number(e, value);
	default: return record_word(e, RECORD_WORDS + (field - REGISTER_FIRST) * 8u, 8, value);
	}
}

/* On arm64 all arguments but the first are in an array. */
static void put_array(struct interp *p, const struct thread_slot *s, struct region *r)
{
	uint64_t value;

	for (uint32_t i = 1; i < SYSCALL_WORDS && 8 * i + 8 <= s->bytes; i++)
		if (record_word(p->event, RECORD_WORDS + i * 8, 8, &value)) {
			memcpy(r->at + s->at + 8 * i, &value, 8);
			memset((uint8_t *)(uintptr_t)r->known + s->at + 8 * i, 1, 8);
		}
}

static void put_registers(struct interp *p)
{
	struct region *r = &p->regions[REGION_REGISTERS];
	uint8_t *known = (uint8_t *)(uintptr_t)r->known;
	uint64_t value;

	if (!known)
		r->known = known = calloc(1, INTERP_REGISTER_BYTES);
	if (!known)
		return;
	for (size_t i = 0; i < p->registers.n; i++) {
		const struct thread_slot *s = &p->registers.items[i];
		bool is_known = register_value(p->event, s->field, &value);

		memset(known + s->at, is_known, s->bytes);
		if (is_known)
			memcpy(r->at + s->at, &value, s->bytes < 8 ? s->bytes : 8);
		else if (s->bytes > 8)
			put_array(p, s, r);
	}
}

void interp_put_word(struct interp *p, uint32_t at, bool is_known, uint64_t value)
{
	if (at + sizeof(value) > sizeof(p->arguments))
		return;
	memcpy(p->arguments + at, &value, sizeof(value));
	memset(p->arguments_known + at, is_known, sizeof(value));
}

/* sched_switch(preempt, prev, next, prev_state). Of the two threads one is the event's, and the
 * other one the idle task: each half of a switch is an event. */
static void put_switch(struct interp *p)
{
	const struct recorded_event *e = p->event;
	bool is_back = e->kind == RECORDED_BACK, is_known = is_back || e->has_state;
	struct thread_facts idle = idle_of(e->cpu), state = {0};

	if (!is_back)
		interp_set_thread(p, PLACE_OTHER, &idle, NULL, NULL);
	take_state(&state, e->state);
	interp_put_word(p, 0, is_known, !is_back && e->state == REPORTED_PREEMPTED);
	interp_put_word(p, 8, true, interp_thread(PLACE_CURRENT));
	interp_put_word(p, 16, true, interp_thread(PLACE_OTHER));
	interp_put_word(p, 24, is_known, state.state);
}

/* sys_enter(regs, number), sys_exit(regs, result) */
static void put_syscall(struct interp *p, bool is_exit)
{
	const struct recorded_event *e = p->event;
	uint64_t value;
	bool is_known = is_exit ? record_word(e, RECORD_WORDS, 8, &value) : call_number(e, &value);

	put_registers(p);
	interp_put_word(p, 0, true, interp_address(REGION_REGISTERS, 0));
	interp_put_word(p, 8, is_known, value);
}

void interp_set_context(struct interp *p, enum interp_context kind, uint32_t tracer_frames)
{
	const struct recorded_event *e = p->event;
	struct region arguments = {.at = p->arguments,
				   .bytes = sizeof(p->arguments),
				   .is_constant = true,
				   .known = p->arguments_known},
		      record = {.at = e->record,
				.bytes = e->n_bytes,
				.is_constant = true,
				.known = e->known};

	pthread_mutex_lock(&p->lock);
	p->tracer_frames = tracer_frames;
	p->context_kind = kind;
	p->regions[REGION_CONTEXT] = kind == INTERP_RECORD ? record : arguments;
	if (kind != INTERP_RECORD)
		memset(p->arguments_known, 0, sizeof(p->arguments_known));
	switch (kind) {
	case INTERP_RECORD: break;
	case INTERP_SWITCH: put_switch(p); break;
	case INTERP_SYSCALL_ENTER:
	case INTERP_SYSCALL_EXIT: put_syscall(p, kind == INTERP_SYSCALL_EXIT); break;
	case INTERP_CALL:
	case INTERP_RETURN:
	case INTERP_EXIT:
	case INTERP_VALUES: interp_put_call(p, kind); break;
	}
	pthread_mutex_unlock(&p->lock);
}

/* ---- stacks ------------------------------------------------------------------------------- */

/* Frames are numbers; the tracer knows what they stand for. `n_skipped` of the program's own are in
 * front, none of them twice (bpf_helpers/keep.bpf.c). */
static int copy_stack(struct interp *p, const struct recorded_stack *s, uint64_t to, uint64_t bytes,
		      uint32_t n_skipped, uint64_t *result)
{
	uint64_t most = (uint32_t)bytes / sizeof(uint64_t), n = s->n + n_skipped;
	uint64_t *at = interp_need(p, to, (uint32_t)bytes, true);

	if (!at)
		return -EFAULT;
	n = n < most ? n : most;
	memset(at, 0, (uint32_t)bytes);
	for (uint64_t i = 0; i < n_skipped && i < n; i++)
		at[i] = i;
	for (uint64_t i = n_skipped; i < n; i++)
		at[i] = s->frames[i - n_skipped];
	*result = n * sizeof(uint64_t);
	return 0;
}

static const struct recorded_stack *stack_of(const struct interp *p, uint32_t index)
{
	return &p->recorded->stacks[index];
}

/* The stack of the thread that runs. */
int help_get_stack(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	bool is_user = r[3] & BPF_F_USER_STACK;
	uint32_t skipped = p->tracer_frames ? p->tracer_frames - 1 + p->depth + p->n_callbacks : 0;

	if (!p->event || p->event->kind == RECORDED_BACK)
		return interp_end(p, "the recording does not have this stack");
	if (skipped > SONDE_TRACER_FRAMES)
		skipped = SONDE_TRACER_FRAMES;
	return copy_stack(p, stack_of(p, is_user ? p->event->ustack : p->event->kstack), r[1], r[2],
			  is_user ? 0 : skipped, result);
}

/* The kernel stack of a thread that comes back, or waits. */
int help_get_task_stack(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	bool is_back = p->event && p->event->kind == RECORDED_BACK;

	if (r[0] != interp_thread(PLACE_OTHER) || r[3] & BPF_F_USER_STACK ||
	    (!is_back && !p->visit))
		return interp_end(p, "the recording does not have the stack of that thread");
	return copy_stack(p, stack_of(p, is_back ? p->event->kstack : p->visit->kstack), r[1], r[2],
			  0, result);
}
