/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds members of ZIP archives: see zip_member.h. Layout: PKWARE's APPNOTE.TXT, 4.3. Archives over
 * 4 GiB (ZIP64) are not read.
 */
#include "runtime/base/zip_member.h"
#include "runtime/base/io.h"
#include "runtime/base/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	END_MAGIC = 0x06054b50,
	ENTRY_MAGIC = 0x02014b50,
	LOCAL_MAGIC = 0x04034b50,
	END_SIZE = 22, /* the end record, behind which is a comment */
	ENTRY_SIZE = 46,
	LOCAL_SIZE = 30,
	COMMENT_MAX = 65535,
	DIRECTORY_MAX = 64 << 20,
	PAGE = 4096,
	BLOCK = 1 << 20,
};

static uint32_t get16(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const unsigned char *at)
{
	return get16(at) | get16(at + 2) << 16;
}

/* The last end record: the comment may contain anything. NULL: there is none. */
static const unsigned char *find_end(const unsigned char *tail, size_t n)
{
	for (size_t at = n < END_SIZE ? 0 : n - END_SIZE + 1; at-- > 0;)
		if (get32(tail + at) == END_MAGIC && at + END_SIZE + get16(tail + at + 20) == n)
			return tail + at;
	return NULL;
}

/* The directory of the archive, from malloc, its size to *n. NULL with errno. */
static unsigned char *read_directory(int fd, uint64_t file_size, size_t *n)
{
	size_t n_tail =
		file_size < END_SIZE + COMMENT_MAX ? (size_t)file_size : END_SIZE + COMMENT_MAX;
	unsigned char *tail = malloc(n_tail + 1), *directory = NULL;
	const unsigned char *end;

	errno = tail ? ENOEXEC : ENOMEM;
	if (!tail || io_read_at(fd, tail, n_tail, file_size - n_tail) != (ssize_t)n_tail ||
	    !(end = find_end(tail, n_tail)))
		goto out;
	*n = get32(end + 12);
	if (*n > DIRECTORY_MAX)
		goto out;
	directory = malloc(*n + 1);
	if (directory && io_read_at(fd, directory, *n, get32(end + 16)) != (ssize_t)*n) {
		free(directory);
		directory = NULL;
		errno = ENOEXEC;
	}
out:
	free(tail);
	return directory;
}

/* The member's entry in the directory; NULL: it has none. */
static const unsigned char *find_entry(const unsigned char *directory, size_t n, const char *name)
{
	size_t n_name = strlen(name);

	for (size_t at = 0; at + ENTRY_SIZE <= n && get32(directory + at) == ENTRY_MAGIC;) {
		const unsigned char *e = directory + at;

		at += ENTRY_SIZE + get16(e + 28) + get16(e + 30) + get16(e + 32);
		if (at <= n && get16(e + 28) == n_name && !memcmp(e + ENTRY_SIZE, name, n_name))
			return e;
	}
	return NULL;
}

/* The bytes follow a header of the member's own, whose length differs from the directory's. */
static int place(int fd, uint64_t file_size, const unsigned char *entry, struct zip_member *out)
{
	unsigned char local[LOCAL_SIZE];
	uint64_t at = get32(entry + 42);

	if (io_read_at(fd, local, sizeof(local), at) != sizeof(local) ||
	    get32(local) != LOCAL_MAGIC)
		return -ENOEXEC;
	out->offset = at + LOCAL_SIZE + get16(local + 26) + get16(local + 28);
	out->size = get32(entry + 24);
	if (get16(entry + 10) || get32(entry + 20) != out->size || out->offset % PAGE)
		return -EMEDIUMTYPE;
	return out->offset + out->size <= file_size ? 0 : -ENOEXEC;
}

static int find_in(int fd, const char *name, struct zip_member *out)
{
	const unsigned char *entry;
	unsigned char *directory;
	struct stat st;
	size_t n;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	directory = read_directory(fd, (uint64_t)st.st_size, &n);
	if (!directory)
		return -errno;
	entry = find_entry(directory, n, name);
	err = entry ? place(fd, (uint64_t)st.st_size, entry, out) : -ENOENT;
	free(directory);
	return err;
}

const char *zip_member_of(const char *path)
{
	const char *mark = strstr(path, "!/");

	return mark ? mark + 2 : NULL;
}

/* Finds the member. Returns a descriptor of the archive, or -errno. */
static int open_archive(const char *path, struct zip_member *out)
{
	const char *name = zip_member_of(path);
	size_t n = name ? (size_t)(name - path) - 2 : strlen(path);
	int fd, err;

	*out = (struct zip_member){0};
	if (n >= sizeof(out->archive))
		return -ENAMETOOLONG;
	memcpy(out->archive, path, n);
	fd = open(out->archive, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	err = name ? find_in(fd, name, out) : 0;
	if (err)
		close(fd);
	return err ? err : fd;
}

int zip_member_find(const char *path, struct zip_member *out)
{
	int fd = open_archive(path, out);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int copy(int from, int to, const struct zip_member *m)
{
	char *block = malloc(BLOCK);
	int err = block ? 0 : -ENOMEM;

	for (uint64_t at = 0; !err && at < m->size; at += BLOCK) {
		size_t n = m->size - at < BLOCK ? (size_t)(m->size - at) : BLOCK;

		err = io_read_at(from, block, n, m->offset + at) == (ssize_t)n
			      ? io_write(to, block, n)
			      : -ENOEXEC;
	}
	free(block);
	return err;
}

int zip_member_copy(const char *path)
{
	struct zip_member m;
	int from = open_archive(path, &m), to, err;

	if (from < 0)
		return from;
	to = memory_file("member", "", 0);
	err = to < 0 ? to : copy(from, to, &m);
	close(from);
	if (err && to >= 0)
		close(to);
	return err ? err : to;
}
