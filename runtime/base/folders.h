/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of a user that outlive a run.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Create the folders of a path, up to its last slash, for the user only (mkdir -p). Returns false
 * if that fails. */
bool folders_make(const char *path);
/* Set `path` to the folder for what can be made again: $SONDE_CACHE; or sonde in $XDG_CACHE_HOME,
 * in /var/cache for root, or in ~/.cache. Returns false if there is none, as with an empty
 * $SONDE_CACHE. */
bool folders_cache(char *path, size_t size);
