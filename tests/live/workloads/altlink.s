/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose debug information refers to another file, alt.pipe beside it, by .gnu_debugaltlink:
 * the name of a function that is inlined in point() is there. main() calls point().
 */
	.file 1 "altlink.c"
	.text
	.globl main, point
	.type main, @function
	.type point, @function
point:
	.loc 1 10
	push %rbp
	mov %rsp, %rbp
	nop
	pop %rbp
	ret
.Lpoint_end:
	.size point, . - point
main:
	.loc 1 20
	push %rbp
	mov %rsp, %rbp
	call point
	xor %eax, %eax
	pop %rbp
	ret
.Lmain_end:
	.size main, . - main

	.section .debug_line, "", @progbits
.Lline:
	.section .debug_info, "", @progbits
	.4byte .Linfo_end - .Linfo
.Linfo:
	.2byte 4			/* DWARF 4 */
	.4byte .debug_abbrev
	.byte 8
	.uleb128 1			/* compile unit */
	.8byte point
	.8byte .Lmain_end - point
	.4byte .Lline
	.asciz "altlink.c"
	.uleb128 2			/* subprogram */
	.8byte point
	.8byte .Lpoint_end - point
	.asciz "point"
	.uleb128 3			/* inlined subroutine */
	.8byte point
	.8byte .Lpoint_end - point
	.4byte 1			/* of .debug_str of the other file */
	.byte 0
	.byte 0
.Linfo_end:

	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11		/* DW_TAG_compile_unit */
	.byte 1
	.uleb128 0x11, 0x01		/* DW_AT_low_pc, DW_FORM_addr */
	.uleb128 0x12, 0x07		/* DW_AT_high_pc, DW_FORM_data8 */
	.uleb128 0x10, 0x17		/* DW_AT_stmt_list, DW_FORM_sec_offset */
	.uleb128 0x03, 0x08		/* DW_AT_name, DW_FORM_string */
	.uleb128 0, 0
	.uleb128 2, 0x2e		/* DW_TAG_subprogram */
	.byte 1
	.uleb128 0x11, 0x01
	.uleb128 0x12, 0x07
	.uleb128 0x03, 0x08
	.uleb128 0, 0
	.uleb128 3, 0x1d		/* DW_TAG_inlined_subroutine */
	.byte 0
	.uleb128 0x11, 0x01
	.uleb128 0x12, 0x07
	.uleb128 0x03, 0x1f21		/* DW_FORM_GNU_strp_alt */
	.uleb128 0, 0
	.byte 0

	.section .gnu_debugaltlink, "", @progbits
	.asciz "alt.pipe"
	.fill 20, 1, 0xab

	.section .note.GNU-stack, "", @progbits
