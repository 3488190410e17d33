/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracefs as far as sonde reads it: a directory descriptor to start from, the format file of one
 * event, the names of all events. Nothing here knows struct kernel; errors are -errno.
 */
#pragma once
#include <stddef.h>
#include "parser/lang/kernel.h"

/* A directory descriptor of tracefs: of an existing mount, else of a detached mount of our own that
 * nobody else sees (read-only, gone with the descriptor). -EACCES when not allowed. */
int tracefs_open(void);

/* Parse the text of a format file (need not be NUL-terminated). *out is one block, to be free()d.
 * A field whose line cannot be understood is left out; -EINVAL when the text is no format at all,
 * -ENOMEM. */
int tracefs_format_parse(const char *category, const char *event, const char *text, size_t len,
			 struct tp_format **out);
/* Read and parse events/CATEGORY/EVENT/format below `tracefs_fd`. */
int tracefs_format_read(int tracefs_fd, const char *category, const char *event,
			struct tp_format **out);

/* Call fn for each "category:event" (of one category when it is not NULL), in no given order. */
int tracefs_each_event(int tracefs_fd, const char *category, kernel_name_fn fn, void *ctx);
