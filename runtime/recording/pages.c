/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VFS of SQLite: see pages.h. A page ends with its number, a count and a checksum (struct
 * trailer).
 *
 * A commit writes in this order: new pages behind the old ones, where nothing refers to them yet;
 * the tail, which is a copy of each old page that changes, the first page last; the first page in
 * its place, with the number of pages of the tail as its count; the other old pages in their
 * places; the first page without a count. Then the tail is cut off. What needs space comes before
 * the first page of the database is touched. Readers of a file whose first page has a count, or is
 * torn, read the pages of the tail in place of those that they replace.
 */
#include "runtime/recording/pages.h"
#include "runtime/base/hash.h"
#include "runtime/base/io.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char vfs_name[] = "sonde";

struct trailer {
	uint32_t number; /* of the page, from 1 */
	uint32_t count;	 /* of the pages in the tail; in the first page only */
	uint64_t checksum;
};
_Static_assert(sizeof(struct trailer) == PAGES_RESERVED, "little endian in the file");

struct page {
	unsigned char bytes[PAGES_BYTES];
};

struct pages {
	sqlite3_file file; /* first */
	enum pages_mode mode;
	int fd;
	uint32_t n; /* pages of the last commit */
	struct page
		*copies; /* PAGES_WRITE: old pages that this commit changes; copies[0] is page 1 */
	uint32_t n_copies, capacity;
	int error;	   /* a commit has failed: nothing is written any more */
	uint32_t *numbers; /* PAGES_READ: of the pages of the tail, which begins behind page n */
	uint32_t n_tail;
	struct page page; /* of the last read */
};

/* ---- pages ------------------------------------------------------------------------------- */

static struct trailer trailer_of(const struct page *p)
{
	struct trailer t;

	memcpy(&t, p->bytes + PAGES_BYTES - sizeof(t), sizeof(t));
	return t;
}

static uint64_t checksum(const struct page *p)
{
	return hash_bytes(p->bytes, PAGES_BYTES - sizeof(uint64_t));
}

static void seal(struct page *p, uint32_t number, uint32_t count)
{
	struct trailer t = {.number = number, .count = count};

	memcpy(p->bytes + PAGES_BYTES - sizeof(t), &t, sizeof(t));
	t.checksum = checksum(p);
	memcpy(p->bytes + PAGES_BYTES - sizeof(t), &t, sizeof(t));
}

static bool is_whole(const struct page *p)
{
	return trailer_of(p).checksum == checksum(p);
}

/* The number of pages of the database is in the head of its first page. */
static uint32_t count_pages(const struct page *first)
{
	const unsigned char *b = first->bytes + 28;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int write_at(struct pages *f, const struct page *p, uint32_t n, uint64_t index)
{
	const unsigned char *at = p->bytes;
	size_t left = (size_t)n * PAGES_BYTES;
	off_t offset = (off_t)(index * PAGES_BYTES);

	while (left > 0) {
		ssize_t written = pwrite(f->fd, at, left, offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return f->error = written && errno == ENOSPC ? SQLITE_FULL
								     : SQLITE_IOERR_WRITE;
		at += written;
		left -= (size_t)written;
		offset += written;
	}
	return SQLITE_OK;
}

static int read_at(const struct pages *f, void *into, size_t n, off_t offset)
{
	ssize_t got = io_read_at(f->fd, into, n, (uint64_t)offset);

	if (got < 0)
		return SQLITE_IOERR_READ;
	memset((char *)into + got, 0, n - (size_t)got);
	return (size_t)got < n ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* ---- commits ----------------------------------------------------------------------------- */

static int keep_copy(struct pages *f, const void *bytes, uint32_t number)
{
	struct page *grown;

	if (!f->n_copies)
		f->n_copies = 1;
	if (number > 1 && f->n_copies++ == f->capacity) {
		grown = reallocarray(f->copies, 2ul * f->capacity, sizeof(*grown));
		if (!grown)
			return f->error = SQLITE_NOMEM;
		f->copies = grown;
		f->capacity *= 2;
	}
	grown = &f->copies[number > 1 ? f->n_copies - 1 : 0];
	memcpy(grown->bytes, bytes, PAGES_BYTES);
	seal(grown, number, 0);
	return SQLITE_OK;
}

static int replace_pages(struct pages *f)
{
	int err = write_at(f, f->copies, 1, 0);

	for (uint32_t i = 1; i < f->n_copies && !err; i++)
		err = write_at(f, &f->copies[i], 1, trailer_of(&f->copies[i]).number - 1);
	seal(f->copies, 1, 0);
	return err ?: write_at(f, f->copies, 1, 0);
}

static int commit(struct pages *f)
{
	uint32_t others = f->n_copies - 1, n;
	int err;

	if (f->error || !f->n_copies)
		return f->error;
	n = count_pages(f->copies);
	seal(f->copies, 1, f->n_copies);
	err = write_at(f, f->copies + 1, others, n) ?: write_at(f, f->copies, 1, n + others);
	if (err) {
		if (ftruncate(f->fd, (off_t)f->n * PAGES_BYTES))
			errno = 0; /* what was added belongs to no page: readers pass over it */
		return err;
	}
	err = replace_pages(f);
	if (!err && ftruncate(f->fd, (off_t)n * PAGES_BYTES))
		err = f->error = SQLITE_IOERR_TRUNCATE;
	f->n = n;
	f->n_copies = 0;
	return err;
}

/* ---- the tail, when read ----------------------------------------------------------------- */

static int read_tail(struct pages *f, uint32_t n)
{
	struct page *p = &f->page;
	int err = SQLITE_OK;

	f->numbers = calloc(n, sizeof(*f->numbers));
	if (!f->numbers)
		return SQLITE_NOMEM;
	for (uint32_t i = 0; i < n && !err; i++) {
		err = read_at(f, p, PAGES_BYTES, (off_t)(f->n + (uint64_t)i) * PAGES_BYTES);
		if (!err && !is_whole(p))
			err = SQLITE_IOERR_DATA;
		f->numbers[i] = trailer_of(p).number;
	}
	f->n_tail = n;
	return err;
}

/* Find out where the pages of the last commit are. */
static int find_commit(struct pages *f)
{
	struct page *p = &f->page;
	uint32_t n_in_file, count;
	struct stat st;
	int err;

	if (fstat(f->fd, &st))
		return SQLITE_IOERR_FSTAT;
	n_in_file = (uint32_t)(st.st_size / PAGES_BYTES);
	err = n_in_file ? read_at(f, p, PAGES_BYTES, 0) : SQLITE_IOERR_DATA;
	f->n = n_in_file;
	if (err || (is_whole(p) && trailer_of(p).number == 1 && !trailer_of(p).count))
		return err;
	err = read_at(f, p, PAGES_BYTES, (off_t)(n_in_file - 1) * PAGES_BYTES);
	count = trailer_of(p).count;
	f->n = count_pages(p);
	if (!err && is_whole(p) && trailer_of(p).number == 1 && count &&
	    (uint64_t)f->n + count == n_in_file)
		return read_tail(f, count);
	return err ?: SQLITE_IOERR_DATA;
}

static int read_page(struct pages *f, uint32_t number)
{
	uint64_t index = number - 1;
	int err;

	for (uint32_t i = 0; i < f->n_tail; i++)
		if (f->numbers[i] == number)
			index = f->n + (uint64_t)i;
	err = read_at(f, &f->page, PAGES_BYTES, (off_t)(index * PAGES_BYTES));
	if (err == SQLITE_IOERR_SHORT_READ && f->mode == PAGES_WRITE)
		return err; /* a page that is not made yet */
	if (err == SQLITE_IOERR_SHORT_READ)
		err = SQLITE_IOERR_DATA;
	if (!err && (!is_whole(&f->page) || trailer_of(&f->page).number != number))
		err = SQLITE_IOERR_DATA;
	return err;
}

/* ---- what SQLite calls ------------------------------------------------------------------- */

static int close_file(sqlite3_file *file)
{
	struct pages *f = (struct pages *)file;

	free(f->copies);
	free(f->numbers);
	return SQLITE_OK;
}

/* Whatever is asked for, whole pages are read and checked. */
static int read_file(sqlite3_file *file, void *into, int n, sqlite3_int64 offset)
{
	struct pages *f = (struct pages *)file;
	int in_page = (int)(offset % PAGES_BYTES), err;

	if (f->mode == PAGES_UNCHECKED)
		return read_at(f, into, (size_t)n, (off_t)offset);
	if (in_page + n > PAGES_BYTES)
		return SQLITE_IOERR_READ;
	err = read_page(f, (uint32_t)(offset / PAGES_BYTES) + 1);
	if (!err)
		memcpy(into, f->page.bytes + in_page, (size_t)n);
	else if (err == SQLITE_IOERR_SHORT_READ)
		memset(into, 0, (size_t)n);
	return err;
}

static int write_file(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 offset)
{
	struct pages *f = (struct pages *)file;
	uint32_t number = (uint32_t)(offset / PAGES_BYTES) + 1;

	if (f->error)
		return f->error;
	if (f->mode != PAGES_WRITE || n != PAGES_BYTES || offset % PAGES_BYTES)
		return SQLITE_IOERR_WRITE;
	if (number == 1 || number <= f->n)
		return keep_copy(f, bytes, number);
	memcpy(f->page.bytes, bytes, PAGES_BYTES);
	seal(&f->page, number, 0);
	return write_at(f, &f->page, 1, number - 1);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct pages *f = (struct pages *)file;
	struct stat st;

	*size = (sqlite3_int64)f->n * PAGES_BYTES;
	if (f->mode != PAGES_UNCHECKED)
		return SQLITE_OK;
	if (fstat(f->fd, &st))
		return SQLITE_IOERR_FSTAT;
	*size = st.st_size;
	return SQLITE_OK;
}

/* SQLite does this at the end of each commit, when all its pages are written. */
static int control(sqlite3_file *file, int what, void *with)
{
	return what == SQLITE_FCNTL_SYNC ? commit((struct pages *)file) : SQLITE_NOTFOUND;
}

static int set_size(sqlite3_file *file, sqlite3_int64 size)
{
	return SQLITE_OK;
}

static int nothing(sqlite3_file *file, int how)
{
	return SQLITE_OK;
}

static int is_reserved(sqlite3_file *file, int *is)
{
	*is = 0;
	return SQLITE_OK;
}

static int fact(sqlite3_file *file)
{
	return 0;
}

/* The name is the mode and the descriptor. Files that sort have no name. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got)
{
	static const sqlite3_io_methods methods = {
		.iVersion = 1,
		.xClose = close_file,
		.xRead = read_file,
		.xWrite = write_file,
		.xTruncate = set_size,
		.xSync = nothing,
		.xFileSize = file_size,
		.xLock = nothing,
		.xUnlock = nothing,
		.xCheckReservedLock = is_reserved,
		.xFileControl = control,
		.xSectorSize = fact,
		.xDeviceCharacteristics = fact,
	};
	struct pages *f = (struct pages *)file;
	sqlite3_vfs *usual = vfs->pAppData;
	int mode, fd;

	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return usual->xOpen(usual, name, file, flags, got);
	file->pMethods = NULL;
	if (!name || sscanf(name, "%d-%d", &mode, &fd) != 2)
		return SQLITE_CANTOPEN;
	*f = (struct pages){.mode = (enum pages_mode)mode, .fd = fd, .capacity = 32};
	if (f->mode == PAGES_WRITE)
		f->copies = calloc(f->capacity, sizeof(*f->copies));
	if (f->mode == PAGES_WRITE && !f->copies)
		return SQLITE_NOMEM;
	file->pMethods = &methods;
	if (got)
		*got = flags;
	return f->mode == PAGES_READ ? find_commit(f) : SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int n, char *out)
{
	snprintf(out, (size_t)n, "%s", name);
	return SQLITE_OK;
}

/* Files beside a recording are not its own, whatever their names. */
static int is_there(sqlite3_vfs *vfs, const char *name, int how, int *is)
{
	*is = 0;
	return SQLITE_OK;
}

int pages_open(int fd, enum pages_mode mode, sqlite3 **db)
{
	static sqlite3_vfs vfs;
	char name[32];
	int reserved = PAGES_RESERVED, err;

	if (!vfs.zName) {
		sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

		vfs = *usual;
		vfs.zName = vfs_name;
		vfs.pNext = NULL;
		vfs.pAppData = usual;
		vfs.xOpen = open_file;
		vfs.xFullPathname = full_name;
		vfs.xAccess = is_there;
		if (vfs.szOsFile < (int)sizeof(struct pages))
			vfs.szOsFile = (int)sizeof(struct pages);
		sqlite3_vfs_register(&vfs, 0);
	}
	snprintf(name, sizeof(name), "%d-%d", mode, fd);
	err = sqlite3_open_v2(name, db,
			      (mode == PAGES_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
						   : SQLITE_OPEN_READONLY) |
				      SQLITE_OPEN_NOMUTEX,
			      vfs_name);
	if (!err && mode == PAGES_WRITE)
		err = sqlite3_file_control(*db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
	return err;
}
