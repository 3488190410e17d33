/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads /proc/kallsyms in large blocks with a parser of its own: it has 200,000 lines and more.
 */
#include "runtime/symbols/kallsyms.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BLOCK = 64 * 1024 };

/* "address type name[\tmodule]\n", terminated at `end`; module as "[name]". */
static bool parse_line(char *at, char *end, struct kallsym *out)
{
	uint64_t address = 0;
	char *module;

	while (at < end && *at != ' ') {
		unsigned c = (unsigned char)*at++;

		address = address << 4 | ((c & 15) + (c >> 6) * 9);
	}
	if (end - at < 4)
		return false;
	out->address = address;
	out->type = at[1];
	at += 3;
	*end = '\0';
	module = memchr(at, '\t', (size_t)(end - at));
	out->name = at;
	out->name_length = (size_t)((module ? module : end) - at);
	out->module = NULL;
	if (module) {
		*module = '\0';
		out->module = module + 1;
	}
	return out->name_length > 0;
}

int kallsyms_each(int (*fn)(void *ctx, const struct kallsym *l), void *ctx)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), err = 0;
	char *block = malloc(READ_BLOCK);
	size_t held = 0;

	if (fd < 0 || !block)
		err = fd < 0 ? -errno : -ENOMEM;
	while (!err) {
		ssize_t got = read(fd, block + held, READ_BLOCK - held);
		char *line = block, *end;
		struct kallsym l;

		if (got < 0)
			err = -errno;
		if (got <= 0)
			break;
		held += (size_t)got;
		while (!err && (end = memchr(line, '\n', held - (size_t)(line - block)))) {
			if (parse_line(line, end, &l))
				err = fn(ctx, &l);
			line = end + 1;
		}
		held -= (size_t)(line - block);
		if (held == READ_BLOCK)
			held = 0; /* too long for a symbol */
		memmove(block, line, held);
	}
	free(block);
	if (fd >= 0)
		close(fd);
	return err;
}

void kallsym_text(const struct kallsym *l, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s", l->name, l->module ? " " : "", l->module ? l->module : "");
}
