/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command line says about the script and the command.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct script_args {
	const char *program;	 /* -e */
	const char *source_name; /* of that text; NULL: stdin */
	const char *file;
	const char *const *params; /* words after the script: $1, $2, … */
	uint32_t n_params;
	const char *command;	    /* -c */
	const char *behind_command; /* the word after that, or NULL */
	bool is_behind_option;	    /* with an option between them */
	char *joined;		    /* what `command` is if it was several words, or NULL */
};
