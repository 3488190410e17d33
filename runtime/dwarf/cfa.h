/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canonical frame address (CFA) at single instructions, from .eh_frame. libdw looks it up
 * without reading all of the section; it is loaded when it is needed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cfa_file;

/* Open the section of the file behind fd, which must stay open. NULL with *err: -ENOSYS (no libdw),
 * -ENODATA (the file has no such section), -ENOMEM. */
struct cfa_file *cfa_open(int fd, int *err);
void cfa_close(struct cfa_file *c);

/* A CFA: the value of a register plus an offset. */
struct cfa {
	uint64_t reg; /* DWARF register number */
	int64_t offset;
};
/* Set *out to the CFA at an address (as linked). Returns false if no function with call frame
 * information contains the address, or if its CFA is not a register plus an offset. */
bool cfa_at(struct cfa_file *c, uint64_t vaddr, struct cfa *out);
