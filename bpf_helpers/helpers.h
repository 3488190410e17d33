/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Functions that the files of this folder share. sonde_NAME_… and sonde_NAME are defined in
 * NAME.bpf.c, where their comments are. All files except keep*, unwind* and no_unwind are compiled
 * as one (CMakeLists.txt), so calls between them are inlined and optimized when sonde is built.
 */
#pragma once
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

extern volatile struct sonde_control sonde_control;
extern const volatile struct sonde_config sonde_config;

uint64_t sonde_control_zero(void);
void sonde_loss_count(uint32_t probe, uint32_t cause);
void sonde_loss_add(uint32_t probe, uint32_t cause, uint64_t n);
void sonde_span_missed(uint64_t n, uint32_t probe);
void sonde_map_lose(long err, uint32_t probe);
void *sonde_ring_reserve(uint32_t probe, uint64_t size);
void *sonde_ring_try(uint64_t size);
void sonde_ring_submit(void *record, uint64_t size);
void sonde_ring_submit_urgent(void *record, uint64_t size);
struct pt_regs;
uint64_t sonde_syscall_number(struct pt_regs *regs);
uint64_t sonde_number_pid(struct task_struct *task);
uint64_t sonde_number_pid_at(const struct task_struct *task);
const void *sonde_number_namespace(void);
void sonde_task_comm(struct task_struct *task, uint64_t *comm);
/* The processor on which a thread runs, or ran last. */
uint64_t sonde_task_cpu(struct task_struct *task);

/* The arguments of sched_switch(bool preempt, task prev, task next, unsigned int prev_state); the
 * last one exists since 5.18. */
struct switch_args {
	uint64_t preempt;
	struct task_struct *prev, *next;
	/* the state at the time of the switch; __state may have changed since */
	uint64_t prev_state;
};

/* A slot for one stack, in per-CPU memory. It belongs to the caller until the caller gives it
 * back. */
struct sonde_stack_buffer {
	struct scratch *scratch;
	struct sonde_walk *walk;
	uint64_t *ips; /* SONDE_MAX_FRAMES entries */
	uint64_t slot;
};
#define NODEBUG __attribute__((nodebug)) /* must match the definitions */
NODEBUG uint32_t sonde_stack_take(struct sonde_stack_buffer *buffer, uint32_t probe);
NODEBUG void sonde_stack_give(const struct sonde_stack_buffer *buffer);
NODEBUG uint64_t sonde_stack_class(void);
NODEBUG void sonde_ask(uint32_t tgid, uint32_t exec_id, uint64_t is_exec);
void sonde_fault_first(uint64_t from, uint32_t in_section);
void sonde_fault_read(void *to, uint32_t size, uint64_t from, uint32_t in_section);
void sonde_fault_next(uint64_t from, uint32_t size, uint32_t page, uint32_t in_section);
uint32_t sonde_scope_current(struct task_struct *task);
uint64_t sonde_task_space(struct task_struct *task);
uint64_t sonde_task_exec_id(struct task_struct *task);
uint32_t sonde_task_has_memory(struct task_struct *task);
uint32_t sonde_task_exits(struct task_struct *task);

/* The slots of a shape (shared.h): how many; the offset of one, whose number is taken modulo that.
 * The number is hidden from the compiler, which must not use a running pointer, because the
 * verifier must see the mask. */
static INLINE uint32_t sonde_slots(uint32_t shape)
{
	return shape >> SONDE_SHAPE_SLOTS;
}

static INLINE uint64_t sonde_slot_offset(uint64_t i, uint32_t shape)
{
	barrier_var(i);
	return (i & (sonde_slots(shape) - 1)) * (shape & ((1u << SONDE_SHAPE_SLOTS) - 1));
}
