/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads /proc/PID/maps in blocks and parses it without sscanf(): system-wide tracing reads the file
 * of every process, and sscanf() would take longer than the kernel takes to write it.
 */
#include "runtime/base/proc_maps.h"
#include "runtime/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAPS_BLOCK = 16 * 1024 };

static uint64_t parse_hex(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		unsigned c = (unsigned char)**at, digit = c - '0';

		if (digit > 9)
			digit = (c | 32) - 'a' > 5 ? 16 : (c | 32) - 'a' + 10;
		if (digit > 15)
			return value;
		value = value << 4 | digit;
	}
}

/* The kernel escapes newlines in paths, as \012, and nothing else. */
static void unescape(char *path)
{
	char *out = path;

	for (char *in = path; *in; in++) {
		if (strncmp(in, "\\012", 4) == 0) {
			*out++ = '\n';
			in += 3;
		} else {
			*out++ = *in;
		}
	}
	*out = '\0';
}

size_t proc_maps_path_length(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(path), tail = sizeof(deleted) - 1;

	return length > tail && strcmp(path + length - tail, deleted) == 0 ? length - tail : length;
}

/* "start-end perms offset major:minor inode   path"; false if the line is malformed. */
static bool parse_line(char *line, struct proc_mapping *m)
{
	const char *at = line;
	uint64_t major_number;
	char *path;

	m->start = parse_hex(&at);
	if (*at++ != '-')
		return false;
	m->end = parse_hex(&at);
	if (strnlen(at, 6) < 6)
		return false;
	m->is_executable = at[3] == 'x';
	at += 6;
	m->file_offset = parse_hex(&at);
	if (*at++ != ' ')
		return false;
	major_number = parse_hex(&at);
	if (*at++ != ':')
		return false;
	m->device = makedev((unsigned)major_number, (unsigned)parse_hex(&at));
	m->inode = strtoull(at, &path, 10);
	while (*path == ' ')
		path++;
	unescape(path);
	m->is_deleted = path[proc_maps_path_length(path)];
	path[proc_maps_path_length(path)] = '\0';
	m->path = path;
	return true;
}

/* Pass on the complete lines of the block and move the incomplete last one to its start. */
static int read_lines(char *block, size_t *held, uint64_t read_ns, proc_maps_fn *fn, void *ctx)
{
	char *line = block, *end;
	int err = 0;

	while (!err && (end = memchr(line, '\n', *held - (size_t)(line - block)))) {
		struct proc_mapping m = {.read_ns = read_ns};

		*end = '\0';
		if (parse_line(line, &m))
			err = fn(&m, ctx);
		line = end + 1;
	}
	*held -= (size_t)(line - block);
	memmove(block, line, *held);
	return err;
}

int proc_error(uint32_t pid, int err)
{
	bool is_hidden = pid && err == ENOENT && (kill((pid_t)pid, 0) == 0 || errno == EPERM);

	return is_hidden ? -EACCES : -err;
}

int proc_maps_each(uint32_t pid, proc_maps_fn *fn, void *ctx)
{
	char block[MAPS_BLOCK + 1], path[48] = "/proc/self/maps";
	size_t held = 0;
	int fd, err = 0;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return proc_error(pid, errno);
	while (!err) {
		uint64_t read_ns = monotonic_ns();
		ssize_t got = read(fd, block + held, MAPS_BLOCK - held);

		if (got < 0)
			err = -errno;
		if (got <= 0)
			break;
		held += (size_t)got;
		block[held] = '\0';
		err = read_lines(block, &held, read_ns, fn, ctx);
	}
	close(fd);
	return err;
}

/* ---- load bias ----------------------------------------------------------------------------- */

struct base_search {
	const char *path;
	uint64_t *base;
};

static int offer_base(const struct proc_mapping *m, void *ctx)
{
	const struct base_search *s = ctx;

	if (m->file_offset || m->is_deleted || strcmp(m->path, s->path) != 0)
		return 0;
	*s->base = m->start;
	return 1;
}

int proc_maps_base(uint32_t pid, const char *path, uint64_t *base)
{
	struct base_search s = {path, base};

	return proc_maps_each(pid, offer_base, &s) > 0 ? 0 : -ESRCH;
}
