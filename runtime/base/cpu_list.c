/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU lists: see cpu_list.h. CPU numbers may have gaps, so a count of CPUs does not tell them.
 */
#include "runtime/base/cpu_list.h"
#include "runtime/base/io.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

/* More than any kernel supports: a damaged list must not use up memory. */
enum { CPU_NUMBER_MAX = 1 << 20, LIST_BYTES = 4097 /* a file of sysfs has one page */ };

static bool parse_number(const char **at, uint32_t *out)
{
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char)**at))
		return false;
	n = strtoul(*at, &end, 10);
	*at = end;
	*out = (uint32_t)n;
	return n <= CPU_NUMBER_MAX;
}

int cpu_list_parse(struct cpu_list *list, const char *text)
{
	uint32_t first, last;

	do {
		if (!parse_number(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_number(&text, &last) || last < first)
				return -EINVAL;
		}
		for (uint32_t cpu = first; cpu <= last; cpu++)
			if (vec_push(list, cpu))
				return -ENOMEM;
	} while (*text++ == ',');
	return text[-1] == '\0' || text[-1] == '\n' ? 0 : -EINVAL;
}

static int read_list(struct cpu_list *list, const char *path)
{
	char text[LIST_BYTES];
	ssize_t n = io_read_file(path, text, sizeof(text), 0);

	return n < 0 ? (int)n : n ? cpu_list_parse(list, text) : -EIO;
}

int cpu_list_online(struct cpu_list *list)
{
	return read_list(list, "/sys/devices/system/cpu/online");
}

int cpu_list_possible(struct cpu_list *list)
{
	return read_list(list, "/sys/devices/system/cpu/possible");
}
