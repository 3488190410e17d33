/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of C headers: see known_constant.h. The compiler takes their values from the headers of
 * the machine for which sonde is built.
 */
#define _GNU_SOURCE
#include "parser/lang/known_constant.h"
#include "parser/base/text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif
/* The C library has 0 where every file is large; the kernel's files have the bit. */
#undef O_LARGEFILE
#ifdef __aarch64__
#define O_LARGEFILE 0400000
#else
#define O_LARGEFILE 0100000
#endif

const struct known_constant known_constants[] = {
#define C_CONSTANT(name) {#name, (int64_t)(name)},
#define KERNEL_CONSTANT(name, value) {#name, value},
#include "parser/lang/c_constants.def"
};
const uint32_t n_known_constants = sizeof(known_constants) / sizeof(known_constants[0]);

const struct known_constant *known_constant_find(const char *name)
{
	return TEXT_ROW(known_constants, name, name, strlen(name));
}
