/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C declarators, built from the name outwards: pointers go before it, arrays and parameters behind
 * it, and brackets around it where a pointer meets one of those.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { DECL_BYTES = 1024, DECL_MIDDLE = 256, DECL_DEPTH = 6, DECL_STEPS = 64 };

/* What stands around a name: it grows at both ends. */
struct decl {
	char text[DECL_BYTES];
	uint32_t from, to;
	char qualifiers[32]; /* of the type at the bottom, each with a blank behind it */
	bool is_full;
};

void decl_begin(struct decl *d, const char *name);
void decl_append(struct decl *d, const char *s);
void decl_prepend(struct decl *d, const char *s);
/* Before an array or parameters: brackets around what a pointer made, *is_pointer. */
void decl_bracket(struct decl *d, bool *is_pointer);
/* "const", "volatile": of the pointer below, or of the type at the bottom. */
void decl_qualify(struct decl *d, const char *word, bool is_pointer_below);
/* What is printed behind the name of the type at the bottom, with a blank where one is needed. */
const char *decl_text(struct decl *d);
