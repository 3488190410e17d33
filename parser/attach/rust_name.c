/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Rust functions: see rust_name.h. C++ names never begin with '<'.
 */
#include "parser/attach/rust_name.h"
#include <string.h>

/* The position after the '>' that closes the '<' at the start, or NULL. Sets the end of the type in
 * between: the '>', or its " as ". */
static const char *end_of_type(const char *name, const char **type_end)
{
	int open = 0;

	*type_end = NULL;
	for (const char *c = name; *c; c++) {
		open += *c == '<';
		if (*c == '>' && (c == name || c[-1] != '-') && --open == 0) {
			*type_end = *type_end ? *type_end : c;
			return c + 1;
		}
		if (open == 1 && !*type_end && strncmp(c, " as ", 4) == 0)
			*type_end = c;
	}
	return NULL;
}

bool rust_name_plain(char *name)
{
	size_t len = strlen(name), n_type;
	const char *type_end, *rest = *name == '<' ? end_of_type(name, &type_end) : NULL;
	bool is_changed = rest && type_end > name + 1 && strncmp(rest, "::", 2) == 0;

	if (is_changed) {
		n_type = (size_t)(type_end - name - 1);
		memmove(name, name + 1, n_type);
		memmove(name + n_type, rest, strlen(rest) + 1);
		len = strlen(name);
	}
	if (len > 2 && strcmp(name + len - 2, "::") == 0) {
		name[len - 2] = '\0';
		is_changed = true;
	}
	return is_changed;
}
