/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run-time messages on standard error. Results go to the output (runtime/output/) instead.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_TEXT, LOG_HINT, LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_VERBOSE };

/* Print messages up to this level: LOG_WARNING with -q, LOG_INFO by default, LOG_VERBOSE with
 * -v. */
void log_set_level(enum log_level level);
bool log_enabled(enum log_level level);
/* Print one line, with the prefix "sonde: error: ", "sonde: warning: " or "hint: " where it
 * applies. Always -1, for `return log_error(...)`. */
int log_msg(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print "FILE:LINE:FIRST-END: WORD: text" as one line, at any level. A newline at the end of the
 * text is dropped. */
void log_place(const char *file, unsigned line, unsigned first, unsigned end, const char *word,
	       const char *text, size_t len);

/* Text without a prefix, and hints, are printed at any level. */
#define log_text(...) log_msg(LOG_TEXT, __VA_ARGS__)
#define log_hint(...) log_msg(LOG_HINT, __VA_ARGS__)
#define log_error(...) log_msg(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_msg(LOG_WARNING, __VA_ARGS__)
#define log_info(...) log_msg(LOG_INFO, __VA_ARGS__)
#define log_verbose(...) log_msg(LOG_VERBOSE, __VA_ARGS__)
