/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads DWARF data with bounds: little-endian numbers, LEB128, and pointers in the encodings of
 * .eh_frame. A read beyond the end gives 0 and sets `failed`, which stays set.
 */
#pragma once
#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader {
	const uint8_t *at, *end;
	bool failed;
};

static inline size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->at);
}

/* A pointer to the next n bytes, which are skipped, or NULL. */
static inline const uint8_t *reader_bytes(struct reader *r, uint64_t n)
{
	const uint8_t *bytes = r->at;

	if (n > reader_left(r)) {
		r->failed = true;
		r->at = r->end;
		return NULL;
	}
	r->at += n;
	return bytes;
}

#define READER_NUMBER(NAME, TYPE)                                     \
	static inline TYPE reader_##NAME(struct reader *r)            \
	{                                                             \
		const uint8_t *bytes = reader_bytes(r, sizeof(TYPE)); \
		TYPE value = 0;                                       \
                                                                      \
		if (bytes)                                            \
			memcpy(&value, bytes, sizeof(value));         \
		return value;                                         \
	}

READER_NUMBER(u8, uint8_t)
READER_NUMBER(u16, uint16_t)
READER_NUMBER(u32, uint32_t)
READER_NUMBER(u64, uint64_t)

/* The bits of an LEB128 number; *bits is how many there are, *last the last byte. A number of more
 * than 64 bits sets `failed`. */
static inline uint64_t reader_leb128(struct reader *r, unsigned *bits, uint8_t *last)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = reader_u8(r);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 70);
	if (byte & 0x80)
		r->failed = true;
	*bits = shift;
	*last = byte;
	return value;
}

static inline uint64_t reader_uleb(struct reader *r)
{
	unsigned bits;
	uint8_t last;

	/* most numbers have one byte */
	if (r->at < r->end && *r->at < 0x80)
		return *r->at++;
	return reader_leb128(r, &bits, &last);
}

static inline int64_t reader_sleb(struct reader *r)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = reader_leb128(r, &bits, &last);

	if (last & 0x40 && bits < 64)
		value |= ~UINT64_C(0) << bits;
	return (int64_t)value;
}

/* Encodings of pointers (DW_EH_PE_* of the Linux Standard Base): the format is in the lower four
 * bits, the base that the number is relative to in the next three. */
enum { POINTER_FORMAT = 0x0f, POINTER_BASE = 0x70 };

/* The number of a pointer, regardless of what it is relative to. An address has `word` bytes. */
static inline uint64_t reader_pointer(struct reader *r, uint8_t encoding, uint8_t word)
{
	switch (encoding & POINTER_FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_signed: return word == 4 ? reader_u32(r) : reader_u64(r);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: return reader_u64(r);
	case DW_EH_PE_uleb128: return reader_uleb(r);
	case DW_EH_PE_sleb128: return (uint64_t)reader_sleb(r);
	case DW_EH_PE_udata2: return reader_u16(r);
	case DW_EH_PE_sdata2: return (uint64_t)(int16_t)reader_u16(r);
	case DW_EH_PE_udata4: return reader_u32(r);
	case DW_EH_PE_sdata4: return (uint64_t)(int32_t)reader_u32(r);
	default: r->failed = true; return 0;
	}
}
