/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that processes generate, from their maps (perfmap.h). A map is opened when a stack
 * of its process is noted, so that frames have names when the process has ended. Used by usym.c.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct procmap;

struct usym_code {
	struct procmap *maps;
	bool has_warned_cut, has_warned_many;
};

/* Is it time to look for the map of a process, once its mappings are up to date? It is so at most
 * every 10 ms, until there is a map. */
bool usym_code_is_due(struct usym_code *c, uint32_t tgid, uint32_t exec_id);
/* Open the map of a process that has executable memory of its own, if there is one. */
void usym_code_open(struct usym_code *c, uint32_t tgid, uint32_t exec_id);
/* Find the generated function at `ip`. *name lives until the next call. */
bool usym_code_find(struct usym_code *c, uint32_t tgid, uint32_t exec_id, uint64_t ip,
		    const char **name, uint64_t *offset);
