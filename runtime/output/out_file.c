/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the writers: a descriptor with a buffer. The buffer is written when it is
 * full, when the loop is idle (flush), and as -B requires. The first error is kept, and every
 * later call returns it. out_text.c and out_json.c fill the buffer.
 */
#include "runtime/output/out_file.h"
#include "runtime/output/out.h"
#include "runtime/base/status.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* Wait for a descriptor that is non-blocking: terminals are shared with other processes. */
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

static void write_out(struct out_file *w)
{
	if (w->error == 0 && w->text.n) {
		status_hide();
		w->error = write_all(w->fd, w->text.bytes, w->text.n);
		status_note(w->fd, w->text.bytes, w->text.n);
	}
	w->text.n = 0;
	w->looked_at = 0;
}

int out_file_flush(struct out *o)
{
	struct out_file *w = (struct out_file *)o;

	/* "full" ignores the flush of an idle loop; close() still writes. */
	if (w->buffering != OUT_BUFFER_FULL)
		write_out(w);
	return w->error;
}

static void make_room(struct text *t)
{
	write_out((struct out_file *)((char *)t - offsetof(struct out_file, text)));
}

static bool has_new_line(struct out_file *w)
{
	const char *from = w->text.bytes + w->looked_at;
	bool found = memchr(from, '\n', w->text.n - w->looked_at) != NULL;

	w->looked_at = w->text.n;
	return found;
}

int out_file_done(struct out_file *w)
{
	switch (w->buffering) {
	case OUT_BUFFER_IDLE:
	case OUT_BUFFER_FULL: break;
	case OUT_BUFFER_LINE:
		if (has_new_line(w))
			write_out(w);
		break;
	case OUT_BUFFER_NONE: write_out(w); break;
	}
	return w->error;
}

int out_set_buffering(struct out *o, enum out_buffering buffering)
{
	struct out_file *w = (struct out_file *)o;

	w->buffering = buffering;
	return w->fd;
}

void out_share(struct out *o)
{
	struct out_file *w = (struct out_file *)o;
	int flags = fcntl(w->fd, F_GETFL);
	struct stat st;

	if (flags < 0 || flags & O_APPEND || fstat(w->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    lseek(w->fd, 0, SEEK_CUR) != st.st_size)
		return;
	w->is_appending = fcntl(w->fd, F_SETFL, flags | O_APPEND) == 0;
}

void out_unshare(struct out *o)
{
	struct out_file *w = (struct out_file *)o;

	if (w->is_appending)
		fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) & ~O_APPEND);
	w->is_appending = false;
}

int out_finish(struct out *o)
{
	struct out_file *w = (struct out_file *)o;
	int err = o->finish ? o->finish(o) : 0;

	o->finish = NULL; /* once */
	if (err && !w->error)
		w->error = err;
	write_out(w);
	return w->error;
}

int out_file_init(struct out_file *w, FILE *f)
{
	int fd = fileno(f);

	if (fd < 0 || fflush(f) != 0)
		return -errno;
	w->text = (struct text){
		.bytes = w->buffer,
		.capacity = sizeof(w->buffer),
		.make_room = make_room,
		.is_terminal = isatty(fd) == 1,
	};
	w->fd = fd;
	w->error = 0;
	w->buffering = OUT_BUFFER_IDLE;
	w->is_appending = false;
	w->looked_at = 0;
	return 0;
}
