/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs of rejections.h. Jumps are counted from the next instruction; MAP takes two.
 */
#include "runtime/explain/rejections.h"
#include <string.h>

#define INSN(c, d, s, o, i, says) \
	{{.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)}, says}
#define SET(d, i, says) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i, says)
#define COPY(d, s, says) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0, says)
#define ADD(d, i, says) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i, says)
#define ADD_REG(d, s, says) INSN(BPF_ALU64 | BPF_ADD | BPF_X, d, s, 0, 0, says)
#define MUL(d, i, says) INSN(BPF_ALU64 | BPF_MUL | BPF_K, d, 0, 0, i, says)
#define AND(d, i, says) INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, i, says)
#define LOAD(size, d, s, o, says) INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0, says)
#define STORE(size, d, o, s, says) INSN(BPF_STX | BPF_MEM | (size), d, s, o, 0, says)
#define STORE_NUMBER(size, d, o, i, says) INSN(BPF_ST | BPF_MEM | (size), d, 0, o, i, says)
#define IF(op, d, i, o, says) INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i, says)
#define GOTO(o, says) INSN(BPF_JMP | BPF_JA, 0, 0, o, 0, says)
#define CALL(helper, says) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper, says)
#define EXIT(says) INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0, says)
#define MAP(d, map, says)                                                               \
	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, REJECTED_##map, says), \
		INSN(0, 0, 0, 0, 0, "")

/* LOOK_UP sets r0 to the address of element 0 of the map, or NULL. */
#define LOOK_UP                                                              \
	STORE_NUMBER(BPF_W, 10, -4, 0, "the key, in the stack"),             \
		MAP(1, HASH, "the map: values of 8 bytes"), COPY(2, 10, ""), \
		ADD(2, -4, "the address of the key"),                        \
		CALL(map_lookup_elem, "the address of the value, or NULL")

#define REJECTION(id, ...) static const struct rejected_insn id##_wrong[] = {__VA_ARGS__};
#define REPAIRED(id, ...) static const struct rejected_insn id##_right[] = {__VA_ARGS__};

/* clang-format off */
REJECTION(null_lookup,
	LOOK_UP,
	LOAD(BPF_DW, 1, 0, 0, "reads the value"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(null_lookup,
	LOOK_UP,
	IF(BPF_JEQ, 0, 0, 1, "skips the read if there is no element"),
	LOAD(BPF_DW, 1, 0, 0, "reads the value"),
	SET(0, 0, ""), EXIT(""))

REJECTION(unbounded_loop,
	CALL(get_prandom_u32, "a number that nobody knows"),
	IF(BPF_JNE, 0, 0, -2, "again, until it is 0"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(unbounded_loop,
	SET(6, 0, "counts the rounds"),
	CALL(get_prandom_u32, ""),
	IF(BPF_JEQ, 0, 0, 2, "leaves the loop"),
	ADD(6, 1, ""),
	IF(BPF_JLT, 6, 100, -4, "again, at most 100 times"),
	SET(0, 0, ""), EXIT(""))

REJECTION(too_many_instructions,
	SET(6, 0, "counts the rounds"),
	ADD(6, 1, ""),
	IF(BPF_JLT, 6, 1000000, -2, "again, a million times"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(too_many_instructions,
	SET(6, 0, "counts the rounds"),
	ADD(6, 1, ""),
	IF(BPF_JLT, 6, 1000, -2, "again, a thousand times"),
	SET(0, 0, ""), EXIT(""))

REJECTION(uninitialized_register,
	COPY(0, 5, "nothing was ever stored in r5"),
	EXIT("returns r0"))
REPAIRED(uninitialized_register,
	SET(5, 0, ""),
	COPY(0, 5, ""),
	EXIT("returns r0"))

REJECTION(uninitialized_stack,
	MAP(1, HASH, "the map"),
	COPY(2, 10, ""), ADD(2, -4, "the address of a key of 4 bytes, which was not stored"),
	CALL(map_lookup_elem, "reads the key"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(uninitialized_stack,
	STORE_NUMBER(BPF_W, 10, -4, 0, "the key"),
	MAP(1, HASH, "the map"),
	COPY(2, 10, ""), ADD(2, -4, "the address of the key"),
	CALL(map_lookup_elem, "reads the key"),
	SET(0, 0, ""), EXIT(""))

REJECTION(out_of_range,
	LOOK_UP,
	IF(BPF_JEQ, 0, 0, 3, ""),
	LOAD(BPF_DW, 1, 0, 0, "an index, which may be any number"),
	ADD_REG(0, 1, ""),
	LOAD(BPF_B, 1, 0, 0, "reads the byte at that index"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(out_of_range,
	LOOK_UP,
	IF(BPF_JEQ, 0, 0, 4, ""),
	LOAD(BPF_DW, 1, 0, 0, "an index"),
	AND(1, 7, "at most 7: the value has 8 bytes"),
	ADD_REG(0, 1, ""),
	LOAD(BPF_B, 1, 0, 0, "reads the byte at that index"),
	SET(0, 0, ""), EXIT(""))

REJECTION(beyond_the_value,
	LOOK_UP,
	IF(BPF_JEQ, 0, 0, 1, ""),
	LOAD(BPF_DW, 1, 0, 8, "bytes 8 to 15 of 8"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(beyond_the_value,
	LOOK_UP,
	IF(BPF_JEQ, 0, 0, 1, ""),
	LOAD(BPF_DW, 1, 0, 0, "bytes 0 to 7"),
	SET(0, 0, ""), EXIT(""))

REJECTION(beyond_the_stack,
	SET(1, 0, ""),
	STORE(BPF_DW, 10, -520, 1, "below the stack's 512 bytes"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(beyond_the_stack,
	SET(1, 0, ""),
	STORE(BPF_DW, 10, -512, 1, "the lowest 8 bytes"),
	SET(0, 0, ""), EXIT(""))

REJECTION(kernel_memory,
	LOAD(BPF_DW, 6, 1, 0, "the first argument of the tracepoint, an address"),
	LOAD(BPF_DW, 0, 6, 0, "reads there"),
	EXIT(""))
REPAIRED(kernel_memory,
	LOAD(BPF_DW, 3, 1, 0, "the first argument of the tracepoint, an address"),
	COPY(1, 10, ""), ADD(1, -8, "where to"),
	SET(2, 8, "bytes"),
	CALL(probe_read_kernel, "copies; fails instead of faulting"),
	SET(0, 0, ""), EXIT(""))

REJECTION(context_access,
	LOAD(BPF_DW, 0, 1, 800, "the 101st argument"),
	EXIT(""))
REPAIRED(context_access,
	LOAD(BPF_DW, 0, 1, 8, "the second argument"),
	SET(0, 0, ""), EXIT(""))

REJECTION(pointer_arithmetic,
	COPY(1, 10, "the address of the stack"),
	MUL(1, 2, "times 2"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(pointer_arithmetic,
	COPY(1, 10, "the address of the stack"),
	ADD(1, -16, "16 bytes below its top"),
	SET(0, 0, ""), EXIT(""))

REJECTION(unreleased_reference,
	MAP(1, RING, "a ring buffer"),
	SET(2, 8, "bytes"), SET(3, 0, "flags"),
	CALL(ringbuf_reserve, "a record, or NULL"),
	SET(0, 0, ""), EXIT("and the record?"))
REPAIRED(unreleased_reference,
	MAP(1, RING, "a ring buffer"),
	SET(2, 8, "bytes"), SET(3, 0, "flags"),
	CALL(ringbuf_reserve, "a record, or NULL"),
	IF(BPF_JEQ, 0, 0, 4, "no record: nothing to send"),
	STORE_NUMBER(BPF_DW, 0, 0, 1, "its content"),
	COPY(1, 0, ""), SET(2, 0, ""),
	CALL(ringbuf_submit, "sends it"),
	SET(0, 0, ""), EXIT(""))

REJECTION(helper_argument,
	COPY(2, 10, ""), ADD(2, -4, ""),
	CALL(map_lookup_elem, "r1 is still the context"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(helper_argument,
	LOOK_UP,
	SET(0, 0, ""), EXIT(""))

REJECTION(missing_helper,
	COPY(1, 10, ""), ADD(1, -8, "where to"),
	SET(2, 8, "bytes"), SET(3, 4096, "a user address"),
	CALL(copy_from_user, "waits for the disk if it must"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(missing_helper,
	COPY(1, 10, ""), ADD(1, -8, "where to"),
	SET(2, 8, "bytes"), SET(3, 4096, "a user address"),
	CALL(probe_read_user, "fails if it would have to wait"),
	SET(0, 0, ""), EXIT(""))

REJECTION(license,
	COPY(1, 10, ""), ADD(1, -8, "where to"),
	SET(2, 8, "bytes"), SET(3, 4096, "an address"),
	CALL(probe_read_kernel, "for programs under the GPL only"),
	SET(0, 0, ""), EXIT(""))
REPAIRED(license,
	CALL(get_current_pid_tgid, "for programs under any license"),
	SET(0, 0, ""), EXIT(""))

REJECTION(unreachable,
	SET(0, 0, ""), EXIT(""),
	SET(0, 1, "nothing jumps here"), EXIT(""))
REPAIRED(unreachable,
	SET(0, 0, ""), EXIT(""))

REJECTION(no_end,
	SET(0, 0, ""),
	SET(1, 0, "and then?"))
REPAIRED(no_end,
	SET(0, 0, ""),
	EXIT(""))
/* clang-format on */

#define CODE(array) {array, sizeof(array) / sizeof(*(array))}
#define TYPE_RAW_TRACEPOINT .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .type_name = "raw tracepoint"
#define TYPE_SOCKET_FILTER .type = BPF_PROG_TYPE_SOCKET_FILTER, .type_name = "socket filter"
#define ROW(id, name_, title_, why_, repair_, type_, license_, is_long_, is_unprivileged_) \
	{.name = (name_),                                                                  \
	 .title = (title_),                                                                \
	 .why = (why_),                                                                    \
	 .repair = (repair_),                                                              \
	 TYPE_##type_,                                                                     \
	 .license = (license_),                                                            \
	 .is_long = (is_long_),                                                            \
	 .is_unprivileged = (is_unprivileged_),                                            \
	 .wrong = CODE(id##_wrong),                                                        \
	 .right = CODE(id##_right)},

const struct rejection rejections[] = {
#include "runtime/explain/rejections.def"
};
const uint32_t n_rejections = sizeof(rejections) / sizeof(*rejections);

const struct rejection *rejection_find(const char *name)
{
	for (uint32_t i = 0; i < n_rejections; i++)
		if (strcmp(rejections[i].name, name) == 0)
			return &rejections[i];
	return NULL;
}
