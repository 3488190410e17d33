/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording is: an SQLite database with these tables. Also the names by which enums of the
 * runtime are written in it.
 */
#pragma once
#include "runtime/view/view.h"

/* PRAGMA application_id ("sond") and user_version. */
enum { RECORDING_APPLICATION = 0x736f6e64, RECORDING_VERSION = 4 };

enum recording_table {
#define RECORDING_TABLE(id, ...) REC_##id,
#include "runtime/recording/tables.def"
	REC_COUNT,
};

struct recording_row {
	const char *name;
	int n_columns;
	/* By version, from 1 on, the statement that makes the table; NULL: it has none. */
	const char *create[RECORDING_VERSION];
};

extern const struct recording_row recording_tables[];
/* Statements that make views; NULL ends them. */
extern const char *const recording_views[];

/* The name of a label in the table `run` begins so. */
#define RECORDING_LABEL "label:"
/* `is_open` of a call that an exception or longjmp left; its duration is a limit. */
enum { RECORDING_LEFT = 2 };
/* By enum view_span_kind. */
extern const char *const recording_spans[VIEW_SPAN_KINDS];
/* The index of `word` in `names`; n if it is not there. */
uint32_t recording_find(const char *const *names, uint32_t n, const char *word);
