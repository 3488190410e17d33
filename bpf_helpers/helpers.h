/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What helper files use of each other. The file that holds sonde_NAME_… or sonde_NAME is
 * NAME.bpf.c. All are compiled as one (CMakeLists.txt): what one calls of another is inlined and
 * optimized when sonde is built.
 */
#pragma once
#include "bpf.h"

extern volatile struct sonde_control sonde_control;
extern const volatile struct sonde_config sonde_config;

void sonde_loss_count(uint32_t probe, uint32_t cause);
void sonde_loss_add(uint32_t probe, uint32_t cause, uint64_t n);
void *sonde_ring_reserve(uint32_t probe, uint64_t size);
void *sonde_ring_try(uint64_t size);
void sonde_ring_submit(void *record);
struct pt_regs;
uint64_t sonde_syscall_number(struct pt_regs *regs);
uint64_t sonde_number_pid(struct task_struct *task);
void sonde_task_comm(struct task_struct *task, uint64_t *comm);
uint64_t sonde_task_exec_id(struct task_struct *task);
uint32_t sonde_task_has_memory(struct task_struct *task);
uint32_t sonde_task_exits(struct task_struct *task);
