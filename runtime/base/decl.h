/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C declarators, built from the name outwards: pointers are prepended, arrays and parameters are
 * appended, and parentheses are put around a pointer that an array or parameters follow.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { DECL_BYTES = 1024, DECL_MIDDLE = 256, DECL_DEPTH = 6, DECL_STEPS = 64 };

/* The declarator so far, which grows at both ends. */
struct decl {
	char text[DECL_BYTES];
	uint32_t from, to;
	char qualifiers[32]; /* qualifiers of the base type, each followed by a blank */
	bool is_full;
};

/* Begin with the name, to which the other functions add. */
void decl_begin(struct decl *d, const char *name);
void decl_append(struct decl *d, const char *s);
void decl_prepend(struct decl *d, const char *s);
/* Call before an array or parameters: adds parentheses if the last step was a pointer
 * (*is_pointer). */
void decl_bracket(struct decl *d, bool *is_pointer);
/* Add "const" or "volatile", to the pointer that follows or to the base type. */
void decl_qualify(struct decl *d, const char *word, bool is_pointer_below);
/* The text to print after the name of the base type, with a leading blank if one is needed. */
const char *decl_text(struct decl *d);
