/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options whose value is one of a few words: their setters, which option_rows.c names, and the
 * words, for completion in shells.
 */
#pragma once
#include <stdint.h>

struct options;
struct option_row;

int set_format(struct options *o, const struct option_row *row, const char *arg);
int set_stage(struct options *o, const struct option_row *row, const char *arg);
int set_debug(struct options *o, const struct option_row *row, const char *arg);
int set_no_feature(struct options *o, const struct option_row *row, const char *arg);
int set_mode(struct options *o, const struct option_row *row, const char *arg);

/* The i-th word that the option's value may be; NULL after the last, and for other options. */
const char *option_word(const struct option_row *row, uint32_t i);
