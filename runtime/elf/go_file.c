/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go files: their version and the range of Go's code. See go_abi.h.
 */
#include "runtime/elf/elfsym.h"
#include "runtime/elf/go_abi.h"

enum { HEADER_BYTES = 32, VERSION_BYTES = 128 };

/* Read the version of Go up to 1.17: the section has the address of a string header {address,
 * length}. */
static int read_pointed(const struct elfsym *e, uint64_t pointer, char *out, size_t size)
{
	uint64_t offset, header[2];

	if (!pointer || !elfsym_vaddr_to_file(e, pointer, &offset) ||
	    elfsym_read(e, offset, header, sizeof(header)) != sizeof(header) || !header[1] ||
	    header[1] >= size || !elfsym_vaddr_to_file(e, header[0], &offset) ||
	    elfsym_read(e, offset, out, header[1]) != header[1])
		return -1;
	out[header[1]] = '\0';
	return 0;
}

static int minor_version(const struct elfsym *e)
{
	uint8_t section[HEADER_BYTES + VERSION_BYTES];
	char text[VERSION_BYTES];
	uint64_t pointer;
	size_t n = elfsym_read_section(e, ".go.buildinfo", section, sizeof(section));

	if (!go_buildinfo(section, n, text, sizeof(text), &pointer) ||
	    !read_pointed(e, pointer, text, sizeof(text)))
		return go_minor_version(text);
	return -1;
}

/* The address of a symbol, 0 if there is none. */
static uint64_t address_of(struct elfsym *e, const char *symbol)
{
	uint64_t address, offset, size;

	return elfsym_by_name(e, symbol, &address, &offset, &size) ? 0 : address;
}

void go_file_read(struct elfsym *e, struct go_file *out)
{
	*out = (struct go_file){0};
	if (!elfsym_is_go(e))
		return;
	out->abi = go_version_abi(minor_version(e), elfsym_machine(e));
	/* The suffix .abi0 was introduced with arguments in registers. */
	if (out->abi == USER_ABI_GO_UNKNOWN && address_of(e, "runtime.morestack_noctxt.abi0"))
		out->abi = go_version_abi(GO_REGISTERS, elfsym_machine(e));
	out->start = address_of(e, "runtime.text");
	out->end = address_of(e, "runtime.etext");
	if (!out->start || out->end <= out->start)
		out->start = out->end = 0;
}
