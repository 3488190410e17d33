/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts by name: sonde offcputime, sonde --scripts, sonde cat NAME.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Find the path of the bundled script `name`. 0, or -ENOENT. A word with a slash or that ends in
 * .bt is never a script's name. */
int scripts_find(const char *name, char *path, size_t size);

enum script_place {
	SCRIPT_FILE,	/* the word is a path, or no script was found */
	SCRIPT_BUNDLED, /* not to be shown with its path */
	SCRIPT_FOUND,	/* by a bare name: in the current directory or in $SONDE_PATH */
};

/* As scripts_locate(), without the note. */
enum script_place scripts_path(const char *word, char *path, size_t size);
/* The file that a word of the command line stands for: the path itself; else, for a bare name, the
 * bundled script, the file in the current directory, NAME.bt in a folder of $SONDE_PATH. Notes a
 * file in the current directory that the bundled script hides. */
enum script_place scripts_locate(const char *word, char *path, size_t size);
/* --scripts: print name and description of each, sorted. The exit status. */
int scripts_list(void);
/* Call `use` with the name of each. */
void scripts_each(void (*use)(void *ctx, const char *name), void *ctx);
/* cat NAME: print the script, which is found as scripts_locate() does. The exit status. */
int scripts_cat(const char *name);
/* After an error about `name`: print a hint with the nearest name of a bundled script, or also of a
 * first word or a file. False: none is near. */
bool scripts_hint_nearest(const char *name, bool with_words);
/* The same for a tool of bcc or bpftrace, such as execsnoop-bpfcc, that is a bundled script. */
bool scripts_hint_tool(const char *name);
/* ... or with how to find one. */
void scripts_hint(const char *name);
/* Is there a folder of bundled scripts? */
bool scripts_are_installed(void);
struct program;
/* NAME --help: print usage, head comment and parameters. */
void scripts_help(struct program *p);
