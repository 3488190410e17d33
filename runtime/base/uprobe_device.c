/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the files of the uprobe device: see uprobe_device.h.
 */
#include "runtime/base/uprobe_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int uprobe_device(const char *file)
{
	char path[96], text[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/uprobe/%s", file);
	f = fopen(path, "re");
	if (f && fgets(text, sizeof(text), f))
		n = strcspn(text, "0123456789");
	else
		text[0] = '\0';
	if (f)
		fclose(f);
	return text[0] && text[n] ? atoi(text + n) : -1;
}
