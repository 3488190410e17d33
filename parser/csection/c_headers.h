/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers that a script includes.
 */
#pragma once
#include "parser/csection/preprocess.h"
#include "parser/lang/c_type.h"

struct kernel;

/* The headers of pre->includes, which may grow. Nothing is read before something asks. */
struct c_headers *c_headers_new(const struct preprocessor *pre, struct kernel *k);
/* For c_types.more. */
struct c_more *c_headers_more(struct c_headers *h);
/* Define the macro `name` of the headers in `p`, with those that its text names; NULL: they have
 * none. */
struct c_macro *c_headers_macro(struct preprocessor *p, const char *name);
/* The value of the constant `name`; false: the headers do not define it. */
bool c_headers_constant(struct preprocessor *p, const char *name, struct c_value *v);
