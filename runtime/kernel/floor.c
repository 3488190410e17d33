/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the running kernel have what every script needs? See floor.h. Kernels of distributions have
 * features of later versions, so the version alone tells nothing about an old one.
 */
#include "runtime/kernel/floor.h"
#include <bpf/libbpf.h>
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/release.h"

#define FLOOR_MAJOR 6u
#define FLOOR_MINOR 1u

static const uint64_t required = 0
#define CAPABILITY(...)
#define REQUIRED(id, ...) | 1ull << CAP_##id
#include "parser/lang/capabilities.def"
	;

unsigned floor_lacks(struct kernel *k, char *text, size_t size)
{
	uint64_t asked = required;
	libbpf_print_fn_t print;
	unsigned n = 0;

	if (release_running() >= (FLOOR_MAJOR << 16 | FLOOR_MINOR << 8))
		asked &= k->denied;
	*text = '\0';
	if (!asked)
		return 0;
	print = libbpf_set_print(NULL);
	for (int i = 0; i < CAP_COUNT; i++)
		if (asked >> i & 1 && kernel_lacks(k, (enum capability_id)i)) {
			TEXT_LIST(text, size, "%s", capability_rows[i].name);
			n++;
		}
	libbpf_set_print(print);
	return n;
}

int floor_check(struct kernel *k)
{
	uint32_t running = release_running();
	char lacks[512];

	if (!floor_lacks(k, lacks, sizeof(lacks)))
		return 0;
	return log_error("Linux %u.%u: sonde needs %u.%u (it lacks %s)", running >> 16,
			 running >> 8 & 255, FLOOR_MAJOR, FLOOR_MINOR, lacks);
}
