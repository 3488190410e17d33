/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods of Java (bpf_helpers/unwind_run_hotspot.bpf.c): their names, and the methods that HotSpot
 * has inlined into compiled code. Used by codes.c.
 */
#pragma once
#include "runtime/view/view.h"

struct sonde_code_event;
struct java_code;

enum { JAVA_DEEP = 64 }; /* methods at one place, at most */

/* "java.lang.Thread.sleep"; NULL: it is not known, or there is no memory. */
char *java_name(const struct sonde_code_event *ev);
/* What compiled code says of its inlined methods, from the memory of the process. NULL: nothing, or
 * it cannot be read, or is not that code any more. */
struct java_code *java_code_read(const struct sonde_code_event *ev);
/* The methods that are inlined at a place, counted in bytes from the block's start, the innermost
 * first. Returns their number; out[i] are their names, numbers[i] differ if the methods do. */
uint32_t java_code_inlined(const struct java_code *c, uint32_t at, const char *out[JAVA_DEEP],
			   uint32_t numbers[JAVA_DEEP]);
size_t java_code_bytes(const struct java_code *c);
/* NULL is allowed. */
void java_code_free(struct java_code *c);
