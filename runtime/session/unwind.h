/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's unwind tables (runtime/unwind/): started while the script compiles, told what
 * programs and the kernel report. On x86-64, and only if the script captures user stacks;
 * otherwise all of these do nothing.
 */
#pragma once
#include "runtime/session/session.h"
#include "runtime/symbols/maptrack.h"
#include "runtime/session/prep.h"

/* Start the thread that makes the tables, with those of the traced process, or of the command's
 * program. */
void session_unwind_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
			    const char *program);
void session_unwind_hand_over(const struct session_prep *prep, struct bpf_object *object);
void session_unwind_free(struct session_prep *prep);

/* Wait for the tables of the traced process or command. */
void session_unwind_wait(const struct session *s);
/* Wait for all that was asked for until now. */
void session_unwind_settle(const struct session *s);
/* A number that has changed if the tables may have. */
uint64_t session_unwind_version(const struct session *s);
/* Have the thread follow what happens to processes. */
void session_unwind_follow(const struct session *s);
/* A program met code without a table. */
void session_unwind_note(const struct session *s, const struct sonde_unwind_event *ev);
/* Records of mappings were lost. */
void session_unwind_check(const struct session *s);
/* -v */
void session_unwind_report(const struct session *s);
