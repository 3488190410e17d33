/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run-time messages on standard error. Each message is formatted first and written with one call,
 * so that output of other threads or of the traced command cannot end up in the middle of a line.
 * A message is one line: control characters, which names in it may have, are escaped.
 * errno is preserved. The level is global; it is set once, before any thread starts.
 */
#include "runtime/base/log.h"
#include "runtime/base/io.h"
#include "runtime/base/progress.h"
#include "runtime/base/status.h"
#include "parser/base/escape.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum log_level log_level = LOG_INFO;

void log_set_level(enum log_level level)
{
	log_level = level;
}

bool log_enabled(enum log_level level)
{
	return level <= log_level;
}

static const char *level_prefix(enum log_level level)
{
	switch (level) {
	case LOG_ERROR: return "sonde: error: ";
	case LOG_WARNING: return "sonde: warning: ";
	case LOG_HINT: return "hint: ";
	case LOG_TEXT:
	case LOG_INFO:
	case LOG_VERBOSE: break;
	}
	return "";
}

struct line {
	char *bytes;
	size_t n;
};

static void put_line(void *ctx, const char *bytes, size_t n)
{
	struct line *l = ctx;

	memcpy(l->bytes + l->n, bytes, n);
	l->n += n;
}

/* Prefix, escaped text, and a newline unless the text ends in one. */
__attribute__((format(printf, 2, 0))) static void write_line(const char *prefix, const char *fmt,
							     va_list args, size_t text_len)
{
	size_t n = strlen(prefix);
	char *text = malloc(text_len + 1);
	struct line line = {.bytes = malloc(n + ESCAPE_GROWTH * text_len + 1)};

	if (text && line.bytes) {
		vsnprintf(text, text_len + 1, fmt, args);
		if (text_len && text[text_len - 1] == '\n')
			text_len--;
		put_line(&line, prefix, n);
		escape_text(ESCAPE_MESSAGE, text, text_len, put_line, &line);
		put_line(&line, "\n", 1);
		status_hide();
		progress_clear();
		(void)io_write(STDERR_FILENO, line.bytes, line.n);
	}
	free(text);
	free(line.bytes);
}

void log_place(const char *file, unsigned line, unsigned first, unsigned end, const char *word,
	       const char *text, size_t len)
{
	size_t n = strlen(file) + 64;
	struct line out = {.bytes = malloc(ESCAPE_GROWTH * (n + len))};
	char place[64];

	if (len && text[len - 1] == '\n')
		len--;
	if (!out.bytes)
		return;
	snprintf(place, sizeof(place), ":%u:%u-%u: %s: ", line, first, end, word);
	escape_text(ESCAPE_MESSAGE, file, strlen(file), put_line, &out);
	put_line(&out, place, strlen(place));
	escape_text(ESCAPE_LINES, text, len, put_line, &out);
	put_line(&out, "\n", 1);
	status_hide();
	(void)io_write(STDERR_FILENO, out.bytes, out.n);
	free(out.bytes);
}

int log_msg(enum log_level level, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list args, again;
	int len;

	if (!log_enabled(level))
		return -1;
	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	if (len >= 0)
		write_line(level_prefix(level), fmt, again, (size_t)len);
	va_end(again);
	va_end(args);
	errno = saved_errno;
	return -1;
}
