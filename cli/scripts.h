/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bundled scripts, by name: sonde offcputime, sonde --scripts, sonde cat NAME.
 */
#pragma once
#include <stddef.h>

/* Find the path of the bundled script `name`. 0, or -ENOENT. A word with a slash is never a
 * script's name. */
int scripts_find(const char *name, char *path, size_t size);
/* --scripts: print name and description of each, sorted. The exit status. */
int scripts_list(void);
/* cat NAME: print the script. The exit status. */
int scripts_cat(const char *name);
/* After an error about `name`: print a hint with the nearest name of a bundled script, or how to
 * find one. */
void scripts_hint(const char *name);
struct program;
/* NAME --help: print usage, head comment and parameters. */
void scripts_help(const struct program *p);
