/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers by which perf_event_open() knows uprobes.
 */
#pragma once

/* The number at the end of a file of the uprobe device: "type", or "format/retprobe" (a bit). -1:
 * the kernel has no uprobes. */
int uprobe_device(const char *file);
