/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bitcode of bpf_helpers/, embedded when sonde is built. The array is generated
 * (codegen/CMakeLists.txt): one row for each bpf_helpers/X.bpf.c, ended by a row of NULLs.
 */
#pragma once

struct bitcode {
	const char *name;
	const char *begin, *end;
};

extern const struct bitcode bitcodes[];
