/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait until every BPF program that runs now has ended.
 */
#pragma once

/* 0, or -errno when the kernel has no way that this process may use. 10 ms and more. */
int rcu_wait(void);
