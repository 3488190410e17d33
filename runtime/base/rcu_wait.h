/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait until every BPF program that runs now has ended.
 */
#pragma once

/* 0, or -errno when this process may not use any way to wait. Takes 10 ms or more. */
int rcu_wait(void);
