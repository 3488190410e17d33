/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions: the only memory that programs can access, apart from memory of this process that helpers
 * read.
 */
#include "runtime/interp/interp_impl.h"
#include "runtime/base/recorded_events.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NULL_PAGE = 4096 };

int interp_end(struct interp *p, const char *fmt, ...)
{
	const struct code_line *line = interp_line_of(p, p->pc);
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->fault, sizeof(p->fault), fmt, args);
	va_end(args);
	p->last = (struct interp_fault){.text = p->fault,
					.line = line ? line->line : 0,
					.column = line ? line->column : 0};
	return -EFAULT;
}

void *interp_bytes(struct interp *p, uint64_t address, uint64_t n, bool is_write)
{
	uint32_t region = (uint32_t)(address >> 32) & 0xffff;
	uint64_t offset = address & 0xffffffff;
	const struct region *r;

	if (address >> 48 != INTERP_TAG_MEMORY || region >= p->n_regions)
		return NULL;
	r = &p->regions[region];
	if (offset > r->bytes || n > r->bytes - offset || (is_write && r->is_constant))
		return NULL;
	return r->known && memchr(r->known + offset, 0, n) ? NULL : r->at + offset;
}

/* Is it an address of kernel memory, or of what stands for it: the thread's struct, the record of
 * an event? */
static bool is_kernel(const struct interp *p, uint64_t address)
{
	return address >> 63 || address >> 32 == interp_address(REGION_TASK, 0) >> 32 ||
	       address >> 32 == interp_address(REGION_REGISTERS, 0) >> 32 ||
	       (p->event && address >> 32 == interp_address(REGION_CONTEXT, 0) >> 32);
}

static int refuse_kernel(struct interp *p, uint64_t address)
{
	if (p->event && p->event->values &&
	    address >> 32 == interp_address(REGION_CONTEXT, 0) >> 32)
		return interp_end(
			p, "it reads an argument or register that the recording does not have");
	return interp_end(
		p, p->event ? "it reads memory of the kernel, which the recording does not have"
			    : "it reads memory of the kernel, which the interpreter does not have");
}

static bool copy_string(const struct recorded_event *e, void *to, uint64_t from, uint64_t n)
{
	for (uint32_t i = 0; e && i < e->n_strings; i++) {
		const struct recorded_string *s = &e->strings[i];

		if (from < s->address || from - s->address > s->bytes ||
		    n > s->bytes - (from - s->address))
			continue;
		memcpy(to, s->text + (from - s->address), n);
		return true;
	}
	return false;
}

/* Copy memory of a program or the kernel that was recorded: a recording has only strings, and the
 * arguments of a call. */
static int copy_recorded(struct interp *p, void *to, uint64_t from, uint64_t n)
{
	int err = interp_copy_stack(p, to, from, n);

	if (err != -ENOENT)
		return err;
	if (copy_string(p->event, to, from, n) ||
	    (p->called && copy_string(p->called[interp_thread_index(p)], to, from, n)))
		return 0;
	return is_kernel(p, from)
		       ? refuse_kernel(p, from)
		       : interp_end(p, "it reads memory of the program, which the recording does "
				       "not have");
}

void *interp_need(struct interp *p, uint64_t address, uint64_t n, bool is_write)
{
	void *at = interp_bytes(p, address, n, is_write);

	if (at)
		return at;
	if (address >> 48 == INTERP_TAG_MEMORY && !is_kernel(p, address))
		interp_end(p, "%s of %llu bytes outside of the program's memory",
			   is_write ? "a write" : "a read", (unsigned long long)n);
	else
		refuse_kernel(p, address);
	return NULL;
}

static int copy_own(void *to, uint64_t from, uint64_t n)
{
	struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int interp_copy(struct interp *p, void *to, uint64_t from, uint64_t n, bool is_user)
{
	const void *at = interp_bytes(p, from, n, false);

	if (at) {
		memcpy(to, at, n);
		return 0;
	}
	memset(to, 0, n);
	if ((from >> 48 == INTERP_TAG_MEMORY && !is_kernel(p, from)) || from < NULL_PAGE)
		return -EFAULT;
	if (p->event && (is_user ? !is_kernel(p, from) : from >> 63))
		return copy_recorded(p, to, from, n);
	if (is_user)
		return is_kernel(p, from) ? -EFAULT : copy_own(to, from, n);
	return is_kernel(p, from) ? refuse_kernel(p, from) : -EFAULT;
}

int64_t interp_copy_string(struct interp *p, char *to, uint64_t from, uint64_t n, bool is_user)
{
	for (uint64_t i = 0; i < n; i++) {
		int err = interp_copy(p, to + i, from + i, 1, is_user);

		if (err)
			return err;
		if (!to[i])
			return (int64_t)i + 1;
	}
	if (n)
		to[n - 1] = '\0';
	return (int64_t)n;
}
