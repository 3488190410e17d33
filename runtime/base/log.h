/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run-time messages: results go to the output, everything else through here to standard error.
 */
#pragma once
#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_VERBOSE };

/* Lowest level that is printed: LOG_WARNING with -q, LOG_INFO by default, LOG_VERBOSE with -v. */
void log_set_level(enum log_level level);
bool log_enabled(enum log_level level);
/* One line, "sonde: error: …" for errors and warnings, bare otherwise. */
void log_msg(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_msg(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_msg(LOG_WARNING, __VA_ARGS__)
#define log_info(...) log_msg(LOG_INFO, __VA_ARGS__)
#define log_verbose(...) log_msg(LOG_VERBOSE, __VA_ARGS__)
