/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers that a script includes.
 */
#pragma once
#include "parser/csection/preprocess.h"
#include "parser/lang/c_type.h"

/* Make `types` and the preprocessor ask for what the headers of pre->includes, which may grow,
 * define. Nothing is read before something asks. */
void c_headers_new(struct preprocessor *pre, struct c_types *types, struct kernel *k);
/* Define the macro `name` of the headers in `p`, with those that its text names; NULL: they have
 * none. */
struct c_macro *c_headers_macro(struct preprocessor *p, const char *name);
/* The value of the constant `name`; false: the headers do not define it. */
bool c_headers_constant(struct preprocessor *p, const char *name, struct c_value *v);
