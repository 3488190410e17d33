/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading tracefs: its directory, the format file of an event, the names of all events. Errors are
 * -errno.
 */
#pragma once
#include "parser/lang/kernel.h"

/* A directory descriptor of tracefs: of an existing mount, or else of a detached read-only mount
 * that no other process sees and that ends with the descriptor. -EACCES when not allowed. */
int tracefs_open(void);

/* Parse the text of a format file, which need not be NUL-terminated; the answer is in `a`. A field
 * whose line cannot be parsed is left out. -EINVAL: the text has no fields; -ENOMEM. */
int tracefs_format_parse(struct arena *a, const char *category, const char *event, const char *text,
			 size_t len, const struct tp_format **out);
/* The text of events/CATEGORY/EVENT/format below `tracefs_fd`, to be free()d. */
int tracefs_format_text(int tracefs_fd, const char *category, const char *event, char **out);
/* Read and parse it. */
int tracefs_format_read(struct arena *a, int tracefs_fd, const char *category, const char *event,
			const struct tp_format **out);

/* Call fn for each "category:event" that can be traced (of one category when it is not NULL),
 * unordered. */
int tracefs_each_event(int tracefs_fd, const char *category, kernel_name_fn fn, void *ctx);
/* Call fn for each line of a file in the directory, with a blank in place of the first tab. */
int tracefs_each_line(int dir_fd, const char *path, kernel_name_fn fn, void *ctx);
