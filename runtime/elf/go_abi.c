/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calling conventions of Go: see go_abi.h. Go 1.17 began to pass arguments in registers (1.18 on
 * arm64). Functions in Go's assembler still get them on the stack: the linker appends ".abi0" to
 * their names. With cgo, a program also has C functions.
 */
#include "runtime/elf/go_abi.h"
#include "parser/base/find.h"
#include "runtime/elf/elfsym.h"
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The header of .go.buildinfo: magic, size of a pointer, flags, two pointers until Go 1.17. */
enum {
	MAGIC_BYTES = 14,
	FLAGS = 15,
	FLAG_BIG_ENDIAN = 1,
	FLAG_INLINE = 2, /* the strings follow the header */
	POINTER = 16,
	HEADER_BYTES = 32,
	VERSION_BYTES = 128,
	FIRST_ON_X86 = 17,
};

static const char magic[MAGIC_BYTES] = "\xff Go buildinf:";

/* ---- version ------------------------------------------------------------------------------- */

int go_minor_version(const char *text)
{
	const char *at = strstr(text, "go1.");

	return at && isdigit((unsigned char)at[4]) ? atoi(at + 4) : -1;
}

int go_buildinfo(const uint8_t *section, size_t n, char *out, size_t size, uint64_t *pointer)
{
	size_t length;

	*pointer = 0;
	if (n < HEADER_BYTES || memcmp(section, magic, MAGIC_BYTES) != 0)
		return -1;
	if (!(section[FLAGS] & FLAG_INLINE)) {
		if (!(section[FLAGS] & FLAG_BIG_ENDIAN))
			memcpy(pointer, section + POINTER, sizeof(*pointer));
		return -1;
	}
	/* a varint, which is one byte below 128 */
	length = n > HEADER_BYTES ? section[HEADER_BYTES] : 0;
	if (!length || length > 127 || length >= size || HEADER_BYTES + 1 + length > n)
		return -1;
	memcpy(out, section + HEADER_BYTES + 1, length);
	out[length] = '\0';
	return 0;
}

enum user_abi go_version_abi(int minor, uint16_t machine)
{
	if (minor < 0 || (machine != EM_X86_64 && machine != EM_AARCH64))
		return USER_ABI_GO_UNKNOWN;
	return minor >= (machine == EM_X86_64 ? FIRST_ON_X86 : GO_REGISTERS) ? USER_ABI_GO
									     : USER_ABI_GO_STACK;
}

/* ---- a function ---------------------------------------------------------------------------- */

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Is the symbol one of Go? These contain a dot, after the package. Symbols of C contain one only
 * where gcc or clang have split a function: "f.part.0". */
static bool is_of_go(const char *symbol)
{
	static const char *const clones[] = {".isra.", ".constprop.", ".part.",
					     ".cold.", ".lto_priv.",  ".llvm."};
	const char *dot = strchr(symbol, '.');

	if (!dot || begins(symbol, "_cgo_") || begins(symbol, "x_cgo_"))
		return false;
	return !FIND_ROW(clones, begins(dot, *item) && isdigit((unsigned char)dot[strlen(*item)]));
}

enum user_abi go_symbol_abi(enum user_abi of_file, const char *symbol)
{
	static const char suffix[] = GO_ASSEMBLER_SUFFIX;
	size_t n = strlen(symbol), k = sizeof(suffix) - 1;

	if (of_file == USER_ABI_C || (*symbol && !is_of_go(symbol)))
		return USER_ABI_C;
	return n > k && strcmp(symbol + n - k, suffix) == 0 ? USER_ABI_GO_STACK : of_file;
}

/* ---- a file -------------------------------------------------------------------------------- */

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
