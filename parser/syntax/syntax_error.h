/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of syntax errors share: syntax_error.c, syntax_error_top.c and
 * syntax_error_item.c.
 */
#pragma once
#include "parser/syntax/filter.h"

/* The error: where the grammar stopped, and what it could have taken. */
struct stop {
	struct filter *f;
	const struct token *at;
	const struct token *before; /* NULL at the start of the script */
	uint32_t index;
	const int *expected;
	int n_expected;
};

/* True when a token of that kind could have come next. */
bool stop_expects(const struct stop *s, int kind);
/* The source text of a token for a message: quoted, shortened when long. */
const char *stop_found(const struct stop *s, const struct token *t);

/* ---- syntax_error_top.c: outside of blocks. True: reported. */
bool report_param(const struct stop *s);
bool report_root_item(const struct stop *s);
bool report_top_level(const struct stop *s);
/* The '>' that closed an angle block, when the error is at it or between it and the next block;
 * NULL. */
const struct token *stop_angle_end(const struct stop *s);
/* True if the word, of a head or a name, is a probe type. */
bool token_is_probe_type(const struct token *t);

/* ---- syntax_error_item.c: what is read as the head of a probe. True: reported.
 * `probe …`, `global …`: an item of another tool. */
bool report_foreign_item(const struct stop *s, const struct token *head);
/* A statement outside of probes. */
bool report_loose_statement(const struct stop *s, const struct token *head);
