/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of C headers: see known_constant.h. The compiler takes their values from the headers of
 * the machine for which sonde is built.
 */
#include "parser/lang/known_constant.h"
#include "parser/base/nearest.h"
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

enum { NUMBER_LAST = 255 }; /* of errors and signals */

/* The number of an error or a signal by its name in C; 0: there is none. */
static int number_of(const char *name)
{
	bool is_signal = strncmp(name, "SIG", 3) == 0;

	for (int i = 1; i <= NUMBER_LAST; i++) {
		const char *known = is_signal ? sigabbrev_np(i) : strerrorname_np(i);

		if (known && strcmp(known, is_signal ? name + 3 : name) == 0)
			return i;
	}
	return 0;
}

static const struct {
	const char *name;
	int64_t value;
} rows[] = {
#define C_CONSTANT(name) {#name, (int64_t)(name)},
#define KERNEL_CONSTANT(name, value) {#name, value},
#include "parser/lang/c_constants.def"
};

const char *known_constant_nearest(const char *name)
{
	return NEAREST(name, rows, sizeof(rows) / sizeof(*rows), item->name);
}

bool known_constant(const char *name, int64_t *value)
{
	__auto_type row = TEXT_ROW(rows, name, name, strlen(name));

	*value = row ? row->value : number_of(name);
	return row || *value;
}
