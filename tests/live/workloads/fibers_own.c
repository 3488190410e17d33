/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fibers.c with a switch of its own, in assembler for x86-64: nothing in the file says that it switches
 * stacks.
 */
#define OWN_SWITCH
#include "tests/live/workloads/fibers.c"
