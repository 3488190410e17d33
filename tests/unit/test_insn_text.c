/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BPF instructions as text: each kind once, beside what the kernel's verifier prints for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/bpf.h>
#include <string.h>
#include "runtime/explain/insn_text.h"
#include "runtime/kernel/helper_name.h"

static const struct {
	struct bpf_insn insn;
	const char *symbol, *text;
} rows[] = {
	{{.code = 0xbf, .dst_reg = 1, .src_reg = 2}, NULL, "r1 = r2"},
	{{.code = 0xb7, .dst_reg = 1, .imm = -5}, NULL, "r1 = -5"},
	{{.code = 0xbc, .dst_reg = 3, .src_reg = 4}, NULL, "w3 = w4"},
	{{.code = 0xb4, .dst_reg = 0}, NULL, "w0 = 0"},
	{{.code = 0xbf, .dst_reg = 1, .src_reg = 2, .off = 8}, NULL, "r1 = (s8)r2"},
	{{.code = 0x0f, .dst_reg = 6, .src_reg = 7}, NULL, "r6 += r7"},
	{{.code = 0xc7, .dst_reg = 6, .imm = 3}, NULL, "r6 s>>= 3"},
	{{.code = 0x37, .dst_reg = 1, .imm = 10, .off = 1}, NULL, "r1 s/= 10"},
	{{.code = 0x87, .dst_reg = 1}, NULL, "r1 = -r1"},
	{{.code = 0xdc, .dst_reg = 1, .imm = 16}, NULL, "r1 = be16 r1"},
	{{.code = 0x79, .dst_reg = 1, .src_reg = 6, .off = 8}, NULL, "r1 = *(u64 *)(r6 +8)"},
	{{.code = 0x81, .dst_reg = 1, .src_reg = 6, .off = -4}, NULL, "r1 = *(s32 *)(r6 -4)"},
	{{.code = 0x63, .dst_reg = 10, .src_reg = 1, .off = -8}, NULL, "*(u32 *)(r10 -8) = r1"},
	{{.code = 0x72, .dst_reg = 10, .off = -1, .imm = 7}, NULL, "*(u8 *)(r10 -1) = 7"},
	{{.code = 0xdb, .dst_reg = 0, .src_reg = 1}, NULL, "lock *(u64 *)(r0 +0) += r1"},
	{{.code = 0xdb, .dst_reg = 1, .src_reg = 2, .imm = BPF_FETCH},
	 NULL,
	 "r2 = atomic_fetch_add((u64 *)(r1 +0), r2)"},
	{{.code = 0xc3, .dst_reg = 1, .src_reg = 2, .imm = BPF_XCHG},
	 NULL,
	 "r2 = xchg((u32 *)(r1 +0), r2)"},
	{{.code = 0xdb, .dst_reg = 1, .src_reg = 2, .imm = BPF_CMPXCHG},
	 NULL,
	 "r0 = cmpxchg((u64 *)(r1 +0), r0, r2)"},
	{{.code = 0x18, .dst_reg = 1}, "map_a", "r1 = &map_a"},
	{{.code = 0x18, .dst_reg = 1, .imm = 8}, "sonde_config", "r1 = &sonde_config+8"},
	{{.code = 0x18, .dst_reg = 4, .imm = 0x7f}, NULL, "r4 = 0x7f"},
	{{.code = 0x05, .off = 2}, NULL, "goto 3"},
	{{.code = 0x06, .imm = 40}, NULL, "goto 41"},
	{{.code = 0x15, .dst_reg = 0, .off = 1}, NULL, "if r0 == 0 goto 2"},
	{{.code = 0xcd, .dst_reg = 1, .src_reg = 2, .off = -1}, NULL, "if r1 s< r2 goto 0"},
	{{.code = 0x56, .dst_reg = 1, .imm = 1, .off = 4}, NULL, "if w1 != 1 goto 5"},
	{{.code = 0xe5, .off = 3}, NULL, "may_goto 4"},
	{{.code = 0x85, .imm = 1}, NULL, "call bpf_map_lookup_elem"},
	{{.code = 0x85, .imm = 1, .src_reg = 1}, "body", "call body"},
	{{.code = 0x85, .imm = -3, .src_reg = 1}, NULL, "call pc-3"},
	{{.code = 0x85, .imm = 99999}, NULL, "call helper #99999"},
	{{.code = 0x95}, NULL, "exit"},
	{{.code = 0xff}, NULL, "?"},
	{{.code = 0xe7}, NULL, "?"},
};

static void test_texts(void **state)
{
	char text[80];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		insn_text(&rows[i].insn, 0, 1, rows[i].symbol, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
	(void)state;
}

/* A 64-bit constant has its upper half in the next slot. */
static void test_wide(void **state)
{
	const struct bpf_insn insns[] = {{.code = 0x18, .dst_reg = 1, .imm = 0x1234},
					 {.imm = 0x56}};
	char text[80];

	assert_true(bpf_insn_is_wide(insns));
	assert_false(bpf_insn_is_wide(insns + 1));
	insn_text(insns, 0, 2, NULL, text, sizeof(text));
	assert_string_equal(text, "r1 = 0x5600001234");
	(void)state;
}

static void test_helpers(void **state)
{
	assert_string_equal(helper_name(1), "map_lookup_elem");
	assert_null(helper_name(0));
	assert_null(helper_name(100000));
	assert_non_null(helper_purpose(1));
	assert_null(helper_purpose(100000));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
					   cmocka_unit_test(test_wide),
					   cmocka_unit_test(test_helpers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
