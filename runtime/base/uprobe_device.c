/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the files of the uprobe device: see uprobe_device.h.
 */
#include "runtime/base/uprobe_device.h"
#include "runtime/base/io.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int uprobe_device(const char *file)
{
	char path[96], text[64];
	size_t n;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/uprobe/%s", file);
	io_read_file(path, text, sizeof(text), 0);
	n = strcspn(text, "0123456789");
	return text[n] ? atoi(text + n) : -1;
}
