/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading /tmp/perf-PID.map: see perfmap.h.
 *
 * A line is "START SIZE NAME", with numbers in hexadecimal. Programs append to the file as they
 * compile, so new lines are read when the file has grown. If the end of the part that was read has
 * changed, the program has rewritten the file, and it is read from its start. Memory of discarded
 * code is used again, so lines overlap, and later ones count: the ranges are cut at all their ends,
 * and each piece belongs to the last line that covers it. Nothing in the file is trusted.
 *
 * Anybody can create a file of that name in a /tmp, and the file stays there when its process has
 * ended.
 */
#include "runtime/symbols/perfmap.h"
#include "runtime/base/clock.h"
#include "runtime/base/proc_status.h"
#include "runtime/base/vec.h"
#include <ctype.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FILE_MAX_BYTES = 64 << 20,
	FUNCTIONS_MAX = 1 << 20,
	NAME_MAX_BYTES = 4096,
	BLOCK_BYTES = 64 * 1024,
	TAIL_BYTES = 64,
	NO_FUNCTION = -1,
	START_ERROR_NS = 10000000, /* the start is known in units of 10 ms */
};
#define WRITTEN_ERROR_NS 1000000000u
#define REREAD_NS 100000000ull

struct function {
	uint64_t start, end;
	uint32_t name; /* offset of the name in `names` */
};

struct perfmap {
	int fd;
	bool is_cut;
	bool is_stale;	  /* the functions have changed since the pieces were made */
	bool is_inside;	  /* read_to is within a line that is left out */
	uint64_t read_to; /* offset of the end of the last complete line */
	uint64_t seen_ns; /* when the file was last looked at */
	struct timespec modified;
	uint64_t size; /* size of the file when it was last read */
	char tail[TAIL_BYTES];
	size_t tail_bytes;
	VEC(struct function) functions;
	VEC(char) names;
	/* The ends of all ranges, ascending, and the function that owns the piece that begins at
	 * each end. */
	VEC(uint64_t) ends;
	VEC(int32_t) owners;
};

struct perfmap *perfmap_new(int fd)
{
	struct perfmap *m = calloc(1, sizeof(*m));

	if (m)
		m->fd = fd;
	else
		close(fd);
	return m;
}

void perfmap_drop(struct perfmap *m)
{
	vec_free(&m->functions);
	vec_free(&m->names);
	vec_free(&m->ends);
	vec_free(&m->owners);
	m->read_to = m->size = m->seen_ns = m->tail_bytes = 0;
	m->is_inside = false;
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	perfmap_drop(m);
	close(m->fd);
	free(m);
}

size_t perfmap_bytes(const struct perfmap *m)
{
	return sizeof(*m) + m->functions.capacity * sizeof(*m->functions.items) +
	       m->names.capacity + m->ends.capacity * sizeof(*m->ends.items) +
	       m->owners.capacity * sizeof(*m->owners.items);
}

bool perfmap_is_cut(const struct perfmap *m)
{
	return m->is_cut;
}

/* ---- lines ---- */

/* Read a hexadecimal number and the blank after it. */
static bool read_hex(char **at, uint64_t *out)
{
	char *start = *at + strspn(*at, " ");

	errno = 0;
	*out = strtoull(start, at, 16);
	return isxdigit((unsigned char)*start) && !errno && **at == ' ';
}

/* Add a line, which ends with a NUL. Returns false if there is no memory. Malformed lines are left
 * out. */
static bool add_line(struct perfmap *m, char *line)
{
	struct function f = {.name = (uint32_t)m->names.n};
	uint64_t size;
	size_t length;

	if (!read_hex(&line, &f.start) || !read_hex(&line, &size))
		return true;
	line += strspn(line, " ");
	length = strnlen(line, NAME_MAX_BYTES);
	if (!length || !size || size > UINT64_MAX - f.start)
		return true;
	if (m->functions.n == FUNCTIONS_MAX) {
		m->is_cut = true;
		return true;
	}
	f.end = f.start + size;
	if (vec_append(&m->names, line, length) || vec_push(&m->names, '\0'))
		return false;
	m->is_stale = true;
	return !vec_push(&m->functions, f);
}

static size_t read_block(const struct perfmap *m, char *block, size_t n, uint64_t offset)
{
	uint64_t left = offset < FILE_MAX_BYTES ? FILE_MAX_BYTES - offset : 0;
	ssize_t got = pread(m->fd, block, n < left ? n : left, (off_t)offset);

	return got > 0 ? (size_t)got : 0;
}

/* Read the complete lines from read_to on. A line that does not fit a block is left out. */
static void read_lines(struct perfmap *m)
{
	char *block = malloc(BLOCK_BYTES);
	bool has_memory = block != NULL;
	size_t n;

	while (has_memory && (n = read_block(m, block, BLOCK_BYTES, m->read_to)) > 0) {
		char *line = block, *end;

		while (has_memory && (end = memchr(line, '\n', n - (size_t)(line - block)))) {
			*end = '\0';
			has_memory = m->is_inside || add_line(m, line);
			m->is_inside = false;
			line = end + 1;
		}
		if (line == block) {
			if (n < BLOCK_BYTES)
				/* incomplete: the program has not written the rest yet */
				break;
			m->is_inside = true;
			line = block + n;
		}
		m->read_to += (uint64_t)(line - block);
	}
	m->is_cut |= m->size > FILE_MAX_BYTES || !has_memory;
	m->tail_bytes = m->read_to < TAIL_BYTES ? m->read_to : TAIL_BYTES;
	m->tail_bytes = read_block(m, m->tail, m->tail_bytes, m->read_to - m->tail_bytes);
	free(block);
}

/* ---- pieces ---- */

static bool collect_ends(struct perfmap *m)
{
	size_t kept = 0;

	m->ends.n = 0;
	if (vec_reserve(&m->ends, 2 * m->functions.n))
		return false;
	for (size_t i = 0; i < m->functions.n; i++) {
		m->ends.items[2 * i] = m->functions.items[i].start;
		m->ends.items[2 * i + 1] = m->functions.items[i].end;
	}
	m->ends.n = 2 * m->functions.n;
	vec_sort(&m->ends);
	for (size_t i = 0; i < 2 * m->functions.n; i++)
		if (!kept || m->ends.items[kept - 1] != m->ends.items[i])
			m->ends.items[kept++] = m->ends.items[i];
	m->ends.n = kept;
	return true;
}

/* The number of ends at or below the address. */
static size_t ends_up_to(const struct perfmap *m, uint64_t address)
{
	return vec_bound(&m->ends, *item <= address);
}

/* The first piece from i on that has no owner. `next` leads to it, and the path is shortened on the
 * way. */
static uint32_t first_free(uint32_t *next, uint32_t i)
{
	uint32_t end = i;

	while (next[end] != end)
		end = next[end];
	while (next[i] != end) {
		uint32_t step = next[i];

		next[i] = end;
		i = step;
	}
	return end;
}

/* Assign pieces to functions, from the last function to the first: each gets the pieces in its
 * range that later functions have left. */
static bool assign_pieces(struct perfmap *m)
{
	size_t n = m->ends.n;
	uint32_t *next = malloc((n + 1) * sizeof(*next));

	m->owners.n = 0;
	if (!next || vec_reserve(&m->owners, n)) {
		free(next);
		return false;
	}
	m->owners.n = n;
	for (uint32_t i = 0; i <= n; i++)
		next[i] = i;
	for (size_t i = 0; i < n; i++)
		m->owners.items[i] = NO_FUNCTION;
	for (size_t f = m->functions.n; f-- > 0;) {
		uint32_t i = (uint32_t)ends_up_to(m, m->functions.items[f].start) - 1;

		for (i = first_free(next, i); i < n && m->ends.items[i] < m->functions.items[f].end;
		     i = first_free(next, i)) {
			m->owners.items[i] = (int32_t)f;
			next[i] = i + 1;
		}
	}
	free(next);
	return true;
}

static void make_pieces(struct perfmap *m)
{
	m->is_stale = false;
	if (m->functions.n && collect_ends(m) && assign_pieces(m))
		return;
	m->ends.n = m->owners.n = 0;
	m->is_cut |= m->functions.n > 0;
}

/* ---- lookup ---- */

/* Is the data that was read last still in the file? If not, the file was rewritten. */
static bool has_same_tail(const struct perfmap *m)
{
	char now[TAIL_BYTES];
	size_t n = read_block(m, now, m->tail_bytes, m->read_to - m->tail_bytes);

	return n == m->tail_bytes && memcmp(now, m->tail, n) == 0;
}

static void refresh(struct perfmap *m)
{
	struct stat st;

	m->seen_ns = monotonic_ns();
	if (fstat(m->fd, &st) ||
	    ((uint64_t)st.st_size == m->size && st.st_mtim.tv_sec == m->modified.tv_sec &&
	     st.st_mtim.tv_nsec == m->modified.tv_nsec))
		return;
	if ((uint64_t)st.st_size < m->read_to || !has_same_tail(m))
		perfmap_drop(m);
	m->seen_ns = monotonic_ns();
	m->size = (uint64_t)st.st_size;
	m->modified = st.st_mtim;
	read_lines(m);
	if (m->is_stale)
		make_pieces(m);
}

static const struct function *function_at(const struct perfmap *m, uint64_t address)
{
	size_t i = ends_up_to(m, address);

	return i && m->owners.items[i - 1] != NO_FUNCTION
		       ? &m->functions.items[m->owners.items[i - 1]]
		       : NULL;
}

bool perfmap_find(struct perfmap *m, uint64_t address, const char **name, uint64_t *offset)
{
	const struct function *f = function_at(m, address);

	if (!m->seen_ns || monotonic_ns() > m->seen_ns + (f ? REREAD_NS : 0)) {
		refresh(m);
		f = function_at(m, address);
	}
	if (!f)
		return false;
	*name = m->names.items + f->name;
	*offset = address - f->start;
	return true;
}

/* ---- finding the file ---- */

/* Open /tmp/perf-PID.map below the root of the process. Symbolic links cannot lead elsewhere. */
static int open_in_root(uint32_t tgid, uint32_t inner_pid)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[48], name[48];
	int dir, fd, err;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	snprintf(name, sizeof(name), "tmp/perf-%u.map", inner_pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	err = -errno;
	close(dir);
	return fd < 0 ? err : fd;
}

/* Does the file belong to the user, or to root, and was it written since `since_ns`
 * (CLOCK_MONOTONIC)? */
static int check(int fd, uint32_t uid, uint64_t since_ns)
{
	uint64_t now_ns = monotonic_ns();
	uint64_t offset = clock_ns(CLOCK_REALTIME) - now_ns, written_ns;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_uid != uid && st.st_uid != 0))
		return -EPERM;
	written_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	return written_ns + WRITTEN_ERROR_NS < since_ns + offset ? -ESTALE : 0;
}

int perfmap_open(uint32_t tgid, uint64_t not_after_ns)
{
	uint64_t start_ns = proc_start_ns(tgid);
	struct proc_status status;
	int fd, err;

	if (!start_ns || start_ns > not_after_ns + START_ERROR_NS)
		return -ESRCH;
	err = proc_status_read(tgid, &status);
	if (err)
		return err;
	fd = open_in_root(tgid, status.inner_pid);
	if (fd < 0)
		return fd;
	err = check(fd, status.effective_uid, start_ns);
	if (!err)
		return fd;
	close(fd);
	return err;
}
