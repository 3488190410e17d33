/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of the system's headers: see header_dirs.h. */
#include "parser/lang/header_dirs.h"

const char *const header_dirs[N_HEADER_DIRS] = {
	"/usr/local/include",
#ifdef __aarch64__
	"/usr/include/aarch64-linux-gnu",
#else
	"/usr/include/x86_64-linux-gnu",
#endif
	"/usr/include",
};
