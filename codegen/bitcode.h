/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bitcode of bpf_helpers/, embedded at build time (bpf_helpers/CMakeLists.txt). There are two
 * modules: sonde_bc_number contains number.bpf.c, sonde_bc_numberns contains numberns.bpf.c
 * instead. Each `_end` symbol marks the end of its module.
 */
#pragma once

extern const char sonde_bc_number[], sonde_bc_number_end[];
extern const char sonde_bc_numberns[], sonde_bc_numberns_end[];
