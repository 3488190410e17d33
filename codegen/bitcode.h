/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bitcode of bpf_helpers/, embedded at build time (bpf_helpers/CMakeLists.txt). The two modules
 * differ in which of number.bpf.c and numberns.bpf.c they contain.
 */
#pragma once

extern const char sonde_bc_number[], sonde_bc_number_end[];
extern const char sonde_bc_numberns[], sonde_bc_numberns_end[];
