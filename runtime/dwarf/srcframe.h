/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines and inlined functions of addresses, from the debug information of one file. libdw,
 * which reads it, is loaded at the first call. The file is not trusted: the time and the memory
 * that it can take are limited.
 */
#pragma once
#include "runtime/elf/names.h"

struct srcframes;

/* Open the debug information of the file behind fd. Takes ownership of fd. NULL with *err: -ENODATA
 * (there is none), -ENOSYS (no libdw), -EFBIG (too large), or another -errno. */
struct srcframes *srcframes_open(int fd, int *err);
void srcframes_close(struct srcframes *s);
/* The frames at `vaddr` (as linked), the innermost first; the last one is the function that has a
 * symbol. Returns their number, at most SRCFRAMES_MAX; 0: nothing is known about the address. The
 * strings live until the next call. */
size_t srcframes_at(struct srcframes *s, uint64_t vaddr, struct srcframe out[SRCFRAMES_MAX]);
/* Has the file taken too long? Then srcframes_at() finds nothing any more. */
bool srcframes_is_slow(const struct srcframes *s);
/* The memory in use, roughly, in bytes. */
size_t srcframes_bytes(const struct srcframes *s);
