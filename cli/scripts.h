/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bundled scripts, by name: sonde offcputime, sonde --scripts, sonde cat NAME.
 */
#pragma once
#include <stddef.h>

/* Path of the bundled script `name` into `path`. 0, or -ENOENT. A word with a slash is a path and
 * never a script's name. */
int scripts_find(const char *name, char *path, size_t size);
/* --scripts: name and first line of each, sorted. The exit status. */
int scripts_list(void);
/* cat NAME: the script's text. The exit status. */
int scripts_cat(const char *name);
/* After an error about `name`: the bundled script that was meant, on standard error. Nothing when
 * none is near. */
void scripts_hint(const char *name);
struct program;
/* NAME --help: usage, the head comment, the parameters. */
void scripts_help(const struct program *p);
