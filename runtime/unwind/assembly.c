/* SPDX-License-Identifier: Apache-2.0 */
/* Functions without call frame information: see assembly.h. */
#include "runtime/unwind/assembly.h"
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/cfi.h"

enum {
	ENTRY_BYTES = 48, /* size of the code; that of ld.so has 40 bytes */
	WORD = 8,
	PROGRAM_BYTES = 256, /* limit for _init or _fini; glibc's have 23 and 9 */
	/* The return from a signal handler is searched for in files with little code, such as the
	 * vDSO, and in those without call frame information. */
	SCAN_SMALL = 1 << 16,
	SCAN_MOST = 4 << 20,
};

/* Add an FDE: the code of `bytes` at the address has that state. */
static int add_code(struct cfi *c, uint64_t address, uint32_t bytes, struct cfi_cie cie)
{
	uint64_t offset = address - c->segments[0].address;
	static const uint8_t no_program[1];
	struct cfi_fde fde = {.start = (uint32_t)offset,
			      .bytes = bytes,
			      .cie = (uint32_t)c->cies.n};
	int err;

	if (offset > UINT32_MAX - bytes)
		return 0;
	cie.machine = c->machine;
	cie.section.bytes = no_program;
	err = vec_push(&c->cies, cie);
	return err ? err : cfi_add_fde(c, fde);
}

static int add_state(struct cfi *c, uint64_t address, uint32_t bytes, struct cfi_state state)
{
	return add_code(c, address, bytes, (struct cfi_cie){.state = state});
}

static bool is_known(const struct cfi *c, uint64_t address)
{
	uint64_t offset = address - c->segments[0].address;

	for (size_t i = 0; i < c->fdes.n; i++)
		if (offset - c->fdes.items[i].start < c->fdes.items[i].bytes)
			return true;
	return false;
}

/* Does code without any information begin as a program does: by setting the frame pointer to 0?
 * Libraries can have an entry point, too. */
static bool begins_program(const struct cfi *c, const struct elf_file *f)
{
	const struct unwind_code *s = c->machine->starts;
	uint8_t code[16];
	size_t n = elfsym_read_address(f, f->entry, code, sizeof(code));

	for (; s->n; s++)
		if (n >= s->n && !memcmp(code, s->bytes, s->n))
			return true;
	return false;
}

/* Add the entry point: a program's first function has no caller. */
static int add_entry(struct cfi *c, struct elf_file *f)
{
	if (!f->entry || is_known(c, f->entry) || (!c->fdes.n && !begins_program(c, f)))
		return 0;
	return add_state(c, f->entry, ENTRY_BYTES, (struct cfi_state){.ip.how = CFI_UNDEFINED});
}

/* The state of code whose return address is in the word `above` bytes above sp, which is the last
 * one of the frame. */
static struct cfi_state state_at(const struct cfi *c, int64_t above)
{
	return (struct cfi_state){.cfa = CFI_CFA_REGISTER,
				  .number = c->machine->sp,
				  .offset = above + WORD,
				  .ip = {CFI_AT_CFA, -WORD}};
}

/* ---- x86-64 -------------------------------------------------------------------------------- */

/* Add _init or _fini, which fill a section: sub $8, %rsp; calls; add $8, %rsp; ret. */
static int add_section_function(struct cfi *c, struct elf_file *f, const char *name)
{
	static const uint8_t end_branch[] = {0xf3, 0x0f, 0x1e, 0xfa}, sub[] = {0x48, 0x83, 0xec, 8},
			     add_return[] = {0x48, 0x83, 0xc4, 8, 0xc3};
	const struct section *section = elfsym_section(f, name);
	uint8_t code[PROGRAM_BYTES];
	uint32_t n, body = sizeof(sub);
	int err;

	if (!section || section->size > sizeof(code) || is_known(c, section->address))
		return 0;
	n = (uint32_t)elfsym_read_at(f->fd, code, section->size, section->offset);
	if (n < sizeof(end_branch) + sizeof(sub) || n != section->size)
		return 0;
	if (!memcmp(code, end_branch, sizeof(end_branch)))
		body += sizeof(end_branch);
	if (n < body + sizeof(add_return) || memcmp(code + body - sizeof(sub), sub, sizeof(sub)) ||
	    memcmp(code + n - sizeof(add_return), add_return, sizeof(add_return)))
		return 0;
	err = add_state(c, section->address, body, state_at(c, 0));
	err = err ?: add_state(c, section->address + body, n - 1 - body, state_at(c, WORD));
	return err ?: add_state(c, section->address + n - 1, 1, state_at(c, 0));
}

/* ---- arm64 --------------------------------------------------------------------------------- */

/* Where the return address is in x30. */
static struct cfi_state leaf_state(const struct cfi *c)
{
	return (struct cfi_state){.cfa = CFI_CFA_REGISTER, .number = c->machine->sp};
}

/* Add a PLT. Its first entry, which is used to bind functions when they are first called, begins
 * with stp x16, x30, [sp, #-16]!, perhaps after bti c. */
static int add_plt(struct cfi *c, struct elf_file *f)
{
	static const uint8_t push[] = {0xf0, 0x7b, 0xbf, 0xa9};
	const struct section *section = elfsym_section(f, ".plt");
	uint8_t code[2 * sizeof(push)];
	uint32_t n = 0, bytes;
	int err = 0;

	if (!section || section->size < sizeof(code) || section->size > UINT32_MAX ||
	    is_known(c, section->address) ||
	    elfsym_read_at(f->fd, code, sizeof(code), section->offset) != sizeof(code))
		return 0;
	bytes = (uint32_t)section->size;
	for (uint32_t at = 0; !n && at < sizeof(code); at += sizeof(push))
		if (!memcmp(code + at, push, sizeof(push)))
			n = at + sizeof(push);
	if (n) {
		err = add_state(c, section->address, n, leaf_state(c));
		err = err ?: add_state(c, section->address + n, 32 - n, state_at(c, WORD));
	}
	n = n ? 32 : 0;
	return err || n >= bytes ? err
				 : add_state(c, section->address + n, bytes - n, leaf_state(c));
}

/* Add where signal handlers return to: mov x8, #139 (rt_sigreturn); svc #0. */
static int scan_segment(struct cfi *c, const uint8_t *code, const struct unwind_segment *s)
{
	static const uint8_t call[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
	const uint8_t *end = code + s->bytes, *at = code;
	int err = 0;

	while (!err && (at = memmem(at, (size_t)(end - at), call, sizeof(call)))) {
		uint64_t address = s->address + (uint64_t)(at - code);

		if (at > code && !is_known(c, address))
			err = add_code(c, address, sizeof(call),
				       (struct cfi_cie){.is_signal = true});
		at += sizeof(call);
	}
	return err;
}

static int add_signal_return(struct cfi *c, struct elf_file *f)
{
	uint64_t most = c->fdes.n ? SCAN_SMALL : SCAN_MOST;
	int err = 0;

	for (uint32_t i = 0; i < c->n_segments && !err; i++) {
		const struct unwind_segment *s = &c->segments[i];
		uint8_t *code = s->bytes <= most ? malloc(s->bytes) : NULL;

		if (code && elfsym_read_at(f->fd, code, s->bytes, s->file_offset) == s->bytes)
			err = scan_segment(c, code, s);
		free(code);
	}
	return err;
}

int assembly_add(struct cfi *c, struct elf_file *f)
{
	int err = add_entry(c, f);

	if (c->machine->has_link)
		return err ?: add_plt(c, f) ?: add_signal_return(c, f);
	return err ?: add_section_function(c, f, ".init") ?: add_section_function(c, f, ".fini");
}
