/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text writer of struct out: printf output as it is, values a line each, maps as
 * `@name[key, key]: value`. Reads views, writes to the file's descriptor through one buffer that is
 * written when it is full and when flush is asked for (the loop does so whenever it goes idle). The
 * first write error is kept, returned by every call from then on, and output is thrown away. What
 * a value looks like is decided in format.c.
 */
#include "format.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024 };

struct out_text {
	struct out out; /* first: the functions below are given this one */
	struct text text;
	int fd;
	int error; /* 0 or the first -errno of a write */
	char buffer[BUFFER_BYTES];
};

static struct out_text *out_text(struct out *o)
{
	return (struct out_text *)o;
}

/* A descriptor that somebody made non-blocking (terminals are shared) is waited for. */
static int write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t written = write(fd, bytes, n);
		if (written >= 0) {
			bytes += written;
			n -= (size_t)written;
		} else if (errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};
			if (poll(&p, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int text_flush(struct out *o)
{
	struct out_text *w = out_text(o);

	if (w->error == 0)
		w->error = write_all(w->fd, w->text.bytes, w->text.n);
	w->text.n = 0;
	return w->error;
}

static void text_make_room(struct text *t)
{
	struct out_text *w = (struct out_text *)((char *)t - offsetof(struct out_text, text));

	text_flush(&w->out);
}

static int text_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_text *w = out_text(o);

	format_printf(&w->text, e, fields);
	return w->error;
}

static int text_value(struct out *o, const struct view *v)
{
	struct out_text *w = out_text(o);

	format_view(&w->text, v);
	text_char(&w->text, '\n');
	return w->error;
}

static void put_row(struct text *t, const struct view_map *m, const struct view_row *r)
{
	text_string(t, m->name);
	for (uint32_t i = 0; i < m->n_keys; i++) {
		text_string(t, i == 0 ? "[" : ", ");
		format_view(t, &r->keys[i]);
	}
	text_string(t, m->n_keys > 0 ? "]:" : ":");
	text_char(t, format_is_block(r->value.type) ? '\n' : ' ');
	format_view(t, &r->value);
	text_char(t, '\n');
}

static int text_map(struct out *o, const struct view_map *m)
{
	struct out_text *w = out_text(o);

	for (uint32_t i = 0; i < m->n_rows && w->error == 0; i++)
		put_row(&w->text, m, &m->rows[i]);
	return w->error;
}

static void text_close(struct out *o)
{
	if (!o)
		return;
	text_flush(o);
	free(o);
}

struct out *out_text_new(FILE *f)
{
	struct out_text *w;
	int fd = fileno(f);

	if (fd < 0 || fflush(f) != 0)
		return NULL;
	w = malloc(sizeof(*w));
	if (!w)
		return NULL;
	w->out = (struct out){
		.printf_event = text_printf_event,
		.value = text_value,
		.map = text_map,
		.flush = text_flush,
		.close = text_close,
	};
	w->text = (struct text){
		.bytes = w->buffer,
		.capacity = sizeof(w->buffer),
		.make_room = text_make_room,
	};
	w->fd = fd;
	w->error = 0;
	return &w->out;
}
