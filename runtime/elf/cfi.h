/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information (.eh_frame), which says where a function's frame is at each instruction.
 * libdw reads it, which is loaded when it is needed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cfi;

/* Open that of the file behind fd, which must stay open. NULL with *err: -ENOSYS (no libdw),
 * -ENODATA (the file has none), -ENOMEM. */
struct cfi *cfi_open(int fd, int *err);
void cfi_close(struct cfi *c);

/* The canonical frame address at an instruction: a register's value plus an offset. */
struct cfi_frame {
	uint64_t reg; /* DWARF number */
	int64_t offset;
};
/* False if the address (as linked) is in no function that is described, or its frame is described
 * in another way. */
bool cfi_frame_at(struct cfi *c, uint64_t vaddr, struct cfi_frame *out);
