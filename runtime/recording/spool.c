/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spool of a recording: see spool.h. The file is a stream: one end appends, the other reads and
 * gives the space behind it back.
 */
#include "runtime/recording/spool.h"
#include "runtime/base/io.h"
#include "runtime/base/thread.h"
#include "runtime/recording/store.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 256 << 10, /* written at once */
	READ_BYTES = 1 << 20,	 /* read at once, and a transaction */
	NICE = 10,
};

struct spool {
	struct store *store;
	int fd;
	char *block; /* bytes that are not in the file yet */
	size_t n;
	int write_error;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* under the lock */
	uint64_t written;
	bool is_done; /* nothing more will be written */
	int error;    /* of the thread */
};

/* ---- the thread -------------------------------------------------------------------------- */

/* Wait until more than `from` bytes are written. Returns how many there are. */
static uint64_t wait_for(struct spool *s, uint64_t from)
{
	uint64_t written;

	pthread_mutex_lock(&s->lock);
	while (s->written == from && !s->is_done)
		pthread_cond_wait(&s->wake, &s->lock);
	written = s->written;
	pthread_mutex_unlock(&s->lock);
	return written;
}

/* A row may be longer than the buffer. */
static int make_room(char **buffer, size_t *capacity, size_t kept)
{
	char *grown;

	if (kept < *capacity / 2)
		return 0;
	grown = realloc(*buffer, 2 * *capacity);
	if (!grown)
		return -ENOMEM;
	*buffer = grown;
	*capacity *= 2;
	return 0;
}

/* Insert what is written, until all is. */
static int follow(struct spool *s)
{
	size_t capacity = READ_BYTES, kept = 0;
	char *buffer = malloc(capacity);
	uint64_t at = 0, written;
	int err = buffer ? 0 : -ENOMEM;

	while (!err && (written = wait_for(s, at)) > at) {
		size_t n = written - at < capacity - kept ? written - at : capacity - kept;
		ssize_t got = io_read_at(s->fd, buffer + kept, n, at);
		long used = got < 0 ? got : (size_t)got < n ? -EIO : 0;

		at += n; /* the database may need the space */
		fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)at);
		if (!used)
			used = store_add(s->store, buffer, kept + n);
		if (used < 0) {
			err = (int)used;
			break;
		}
		kept = kept + n - (size_t)used;
		memmove(buffer, buffer + used, kept);
		err = make_room(&buffer, &capacity, kept);
	}
	free(buffer);
	return err;
}

static void *run(void *ctx)
{
	struct spool *s = ctx;
	int err;

	prctl(PR_SET_NAME, "sonde-record");
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
	err = follow(s);
	pthread_mutex_lock(&s->lock);
	s->error = err;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- the writer -------------------------------------------------------------------------- */

/* In the folder of the recording, which has space; else, where that is impossible, in memory. */
static int open_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[4096];
	int fd;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : memfd_create("sonde-record", MFD_CLOEXEC);
}

struct spool *spool_new(struct store *store, const char *path)
{
	struct spool *s = calloc(1, sizeof(*s));
	uint64_t stored[REC_COUNT];
	int err = ENOMEM;

	if (s) {
		*s = (struct spool){.store = store,
				    .fd = open_file(path),
				    .block = malloc(BLOCK_BYTES),
				    .lock = PTHREAD_MUTEX_INITIALIZER,
				    .wake = PTHREAD_COND_INITIALIZER};
		err = s->fd < 0	  ? errno
		      : !s->block ? ENOMEM
				  : -thread_start(&s->thread, NULL, run, s);
	}
	if (!err)
		return s;
	store_close(store, stored);
	if (s && s->fd >= 0)
		close(s->fd);
	if (s)
		free(s->block);
	free(s);
	errno = err;
	return NULL;
}

static int write_all(struct spool *s, const char *bytes, size_t n)
{
	int err = io_write(s->fd, bytes, n);

	if (err)
		return err;
	pthread_mutex_lock(&s->lock);
	s->written += n;
	err = s->error;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	return err;
}

/* After an error nothing more is written: part of a row may be there. */
int spool_flush(struct spool *s)
{
	size_t n = s->n;

	s->n = 0;
	if (n && !s->write_error)
		s->write_error = write_all(s, s->block, n);
	return s->write_error;
}

int spool_put(struct spool *s, const char *bytes, size_t n)
{
	int err = n > BLOCK_BYTES - s->n ? spool_flush(s) : 0;

	if (err)
		return err;
	if (n > BLOCK_BYTES)
		return s->write_error = write_all(s, bytes, n);
	memcpy(s->block + s->n, bytes, n);
	s->n += n;
	return 0;
}

int spool_close(struct spool *s, uint64_t stored[REC_COUNT])
{
	int err = spool_flush(s), closed;

	pthread_mutex_lock(&s->lock);
	s->is_done = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	err = err ?: s->error;
	closed = store_close(s->store, stored);
	close(s->fd);
	free(s->block);
	free(s);
	return err ?: closed;
}
