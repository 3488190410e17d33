/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open calls of Go functions whose processes have ended.
 */
#pragma once
struct session;

/* Forget the open calls of Go functions whose processes have ended, from time to
 * time. */
void goroutine_sweep_start(struct session *s);
void goroutine_sweep(struct session *s);
