/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tap on a writer: what passes through it is also written to a second file, in a form that a
 * program reads: one record a line, fields separated by tabs.
 *
 *	map	NAME			the rows of a map follow, which replace those of before
 *	row	KEY	VALUE	ENTRIES	VALUE of a histogram: its entries; ENTRIES of others: 1
 *	bucket	LOW	HIGH	COUNT	of the row before: values from LOW up to below HIGH
 *	text	LINE			a line of printf(), print() of a value and the like
 *
 * In keys and lines, tabs are blanks; newlines within keys are blanks, too.
 */
#pragma once
#include "runtime/output/out.h"

/* Set the tap. Until out->close() it uses `f`, which stays the caller's. 0 or -ENOMEM. */
int out_tap(struct out *o, FILE *f);
