/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of an ELF file by their names, for watchpoints, and where a running process has the
 * file. Symbol tables are read once through: a script has few watchpoints.
 */
#define _GNU_SOURCE
#include "elf_object.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int elf_object_base(uint32_t pid, const char *path, uint64_t *base)
{
	char name[PATH_MAX + 128], *line = NULL;
	unsigned long long start, offset;
	int at = 0, err = -ESRCH;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	while (f && err && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &start, &offset, &at) == 2 &&
		    offset == 0 && strcmp(line + at, path) == 0) {
			*base = start;
			err = 0;
		}
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}
