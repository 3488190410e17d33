/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of header files: they tell at once whether a header can define a name, before the C
 * preprocessor is run.
 */
#pragma once
#include "parser/csection/preprocess.h"

/* Where a word is: in a header of the kernel's interface, in another header of the system, in one
 * that the script or the command line names itself. */
enum { WORD_OF_KERNEL = 1, WORD_OF_SYSTEM = 2, WORD_OF_SCRIPT = 4 };

struct header_words;
struct kernel;

/* The folder of a file. */
const char *header_dir(struct arena *a, const char *path);
struct header_words *header_words_new(struct arena *a, const struct kernel *k, const char *dir);
/* Read the header and all that it includes, whatever the conditions. False: no such file. */
bool header_words_read(struct header_words *w, const struct c_include *include);
/* In which headers the word is, of those that were read: WORD_…, or 0. */
unsigned header_words_find(const struct header_words *w, const char *name, size_t len);
