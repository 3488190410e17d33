/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that the script on the command line declares: script_options.c.
 */
#pragma once
#include "cli/scripts/script_args.h"
#include <stddef.h>

struct nearest;

enum script_option_kind {
	SCRIPT_OPTION_NONE,
	SCRIPT_OPTION_FLAG,
	SCRIPT_OPTION_VALUE, /* --NAME VALUE or --NAME=VALUE */
};

/* What --NAME, the first `len` bytes of `word`, is to the script of `o`. */
enum script_option_kind script_options_find(const struct script_args *o, const char *word,
					    size_t len);
/* Does the script take the words behind "--" as the command that is traced? */
bool script_options_take_command(const struct script_args *o);

/* The options that a script declares, as its users write them. */
struct script_option_list {
	bool is_script; /* it can be read and parsed */
	uint32_t n;
	char text[512]; /* "--failed, --name=TEXT" */
};

/* List the script's options, and offer their names and those of its parameters. */
void script_options_list(const struct script_args *o, struct script_option_list *l,
			 struct nearest *near);
