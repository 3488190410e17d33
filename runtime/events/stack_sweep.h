/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free space in the stack store.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include <stdbool.h>

struct plan;
struct session;
struct stack_sweep;

/* Run it when it is due and all records that were in
 * the ring have been handled. */
struct stack_sweep *stack_sweep_new(const struct plan *p);
void stack_sweep_free(struct stack_sweep *w);
void stack_sweep_note(struct stack_sweep *w, const struct sonde_stack_event *ev);
bool stack_sweep_is_due(const struct session *s);
/* How many stacks were removed so far. */
uint64_t stack_sweep_removed(const struct stack_sweep *w);
void stack_sweep_run(struct session *s);

/* ---- goroutine_sweep.c: open calls of Go functions */
/* Forget the open calls of Go functions whose processes have ended, from time to
 * time. */
void goroutine_sweep_start(struct session *s);
void goroutine_sweep(struct session *s);
