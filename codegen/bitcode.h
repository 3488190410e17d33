/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bitcode of bpf_helpers/, embedded when sonde is built (bpf_helpers/CMakeLists.txt). Of the
 * files number and numberns, which offer the same, each has one.
 */
#pragma once

extern const char sonde_bc_number[], sonde_bc_number_end[];
extern const char sonde_bc_numberns[], sonde_bc_numberns_end[];
