/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading tracefs: where it is, what one event's record looks like, which events there are.
 *
 * A format file is text such as
 *	name: sched_switch
 *	ID: 372
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *	print fmt: …
 * It comes from the kernel, but is parsed as any input: no line of it can make us fail badly.
 * Read by kernel.c; the fields end up in the types of `args` (parser/sema).
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "runtime/kernel/tracefs.h"

enum { FORMAT_BYTES_MAX = 1 << 20 };

/* ---- the directory ---- */

static int open_mounted(const char *path)
{
	struct statfs fs;
	int fd;

	if (statfs(path, &fs) < 0 || (unsigned long)fs.f_type != TRACEFS_MAGIC)
		return -ENOENT;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_detached(void)
{
	unsigned int attr =
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
	int fs, fd = -1, err = 0;

	fs = syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		err = -errno;
	else
		fd = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attr);
	if (!err && fd < 0)
		err = -errno;
	close(fs);
	return err ? err : fd;
}

int tracefs_open(void)
{
	int fd = open_mounted("/sys/kernel/tracing");

	if (fd == -ENOENT)
		fd = open_mounted("/sys/kernel/debug/tracing");
	if (fd == -ENOENT)
		fd = open_detached();
	return fd == -EPERM ? -EACCES : fd;
}

/* ---- one format file ---- */

struct text {
	const char *s, *end;
};

/* Builds the tp_format: the strings go behind the fields, in the same block. */
struct builder {
	struct tp_format *format;
	char *strings;
};

static struct text text_trim(struct text t)
{
	while (t.s < t.end && isspace((unsigned char)*t.s))
		t.s++;
	while (t.s < t.end && isspace((unsigned char)t.end[-1]))
		t.end--;
	return t;
}

static bool text_next_line(struct text *rest, struct text *line)
{
	const char *nl;

	if (rest->s >= rest->end)
		return false;
	nl = memchr(rest->s, '\n', rest->end - rest->s);
	line->s = rest->s;
	line->end = nl ? nl : rest->end;
	rest->s = nl ? nl + 1 : rest->end;
	*line = text_trim(*line);
	return true;
}

static bool text_is(struct text t, const char *word)
{
	return (size_t)(t.end - t.s) == strlen(word) && !memcmp(t.s, word, t.end - t.s);
}

/* Take `prefix` off the front of t, and the blanks that follow. */
static bool text_take(struct text *t, const char *prefix)
{
	size_t len = strlen(prefix);

	if ((size_t)(t->end - t->s) < len || memcmp(t->s, prefix, len))
		return false;
	t->s += len;
	*t = text_trim(*t);
	return true;
}

static bool text_take_number(struct text *t, uint32_t *out)
{
	uint64_t n = 0;
	const char *s = t->s;

	for (; s < t->end && isdigit((unsigned char)*s); s++) {
		n = n * 10 + (*s - '0');
		if (n > UINT32_MAX)
			return false;
	}
	if (s == t->s)
		return false;
	t->s = s;
	*out = n;
	return true;
}

/* "KEY:NUMBER;" after the declaration: offset, size, signed. */
static bool text_take_key(struct text *t, const char *key, uint32_t *out)
{
	*t = text_trim(*t);
	if (!text_take(t, key) || !text_take(t, ":") || !text_take_number(t, out))
		return false;
	*t = text_trim(*t);
	return text_take(t, ";") || t->s == t->end;
}

static bool is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The identifier at the end of t, cut off from t. */
static struct text text_cut_ident(struct text *t)
{
	struct text id;

	*t = text_trim(*t);
	id.s = id.end = t->end;
	while (id.s > t->s && is_ident(id.s[-1]))
		id.s--;
	t->end = id.s;
	*t = text_trim(*t);
	return id;
}

/* Start of the bracketed group that ends at `end`, NULL when it has no start in t. */
static const char *text_group(struct text t, const char *end, char open, char close)
{
	int depth = 0;

	while (end > t.s) {
		end--;
		if (*end == close)
			depth++;
		else if (*end == open && --depth == 0)
			return end;
	}
	return NULL;
}

/* A declaration in its parts: `base` name `suffix`, as in "char" comm "[16]". */
struct declaration {
	struct text base, name, suffix;
};

/* "void (*fn)(int)": the name is inside, what follows it goes with the suffix. */
static bool split_function_pointer(struct text t, struct declaration *d)
{
	const char *star = memmem(t.s, t.end - t.s, "(*", 2), *s;

	if (!star)
		return false;
	for (s = star + 2; s < t.end && (is_ident(*s) || *s == ' '); s++)
		;
	if (s == t.end || *s != ')')
		return false;
	d->base = (struct text){t.s, star + 2};
	d->suffix = (struct text){s, t.end};
	d->name = text_trim((struct text){star + 2, s});
	return d->name.s < d->name.end;
}

static bool is_balanced(struct text t)
{
	int depth = 0;

	for (; t.s < t.end; t.s++)
		depth += (*t.s == '(') - (*t.s == ')');
	return depth == 0;
}

static bool split_declaration(struct text t, struct declaration *d)
{
	const char *end, *open;
	struct text before;

	t = text_trim(t);
	while (t.s < t.end && t.end[-1] == ')') { /* attributes behind the name */
		open = text_group(t, t.end, '(', ')');
		before = (struct text){t.s, open ? open : t.s};
		d->name = text_cut_ident(&before);
		if (!text_is(d->name, "__attribute__"))
			return split_function_pointer(t, d);
		t = before;
	}
	end = t.end;
	while (t.s < t.end && t.end[-1] == ']') {
		open = text_group(t, t.end, '[', ']');
		if (!open)
			return false;
		t = text_trim((struct text){t.s, open});
	}
	d->suffix = text_trim((struct text){t.end, end});
	d->name = text_cut_ident(&t);
	d->base = t;
	return d->name.s < d->name.end && t.s < t.end && is_balanced(t);
}

/* Append t to the strings, white space squeezed to one blank, "__attribute__((…))" left out. */
static char *append_squeezed(char *to, struct text t)
{
	const char *s = t.s;
	int depth;

	while (s < t.end) {
		if (t.end - s > 13 && !memcmp(s, "__attribute__", 13)) {
			for (s += 13, depth = 0; s < t.end; s++) {
				depth += (*s == '(') - (*s == ')');
				if (*s == ')' && depth <= 0)
					break;
			}
			s += s < t.end;
			continue;
		}
		if (isspace((unsigned char)*s)) {
			if (to[-1] && to[-1] != ' ')
				*to++ = ' ';
			s++;
			continue;
		}
		*to++ = *s++;
	}
	if (to[-1] == ' ')
		to--;
	return to;
}

static const char *builder_add(struct builder *b, struct text t, struct text suffix)
{
	char *start = b->strings;

	b->strings = append_squeezed(start, t);
	b->strings = append_squeezed(b->strings, suffix);
	*b->strings++ = '\0';
	return start;
}

/* Number of elements of "[4][6]" multiplied, 0 when a bound is missing or is no number. */
static uint32_t array_length(struct text suffix)
{
	uint64_t n = 1;
	uint32_t one;

	while (text_take(&suffix, "[")) {
		if (!text_take_number(&suffix, &one))
			return 0;
		suffix = text_trim(suffix);
		n *= one;
		if (!text_take(&suffix, "]") || n > UINT32_MAX)
			return 0;
	}
	return n;
}

static void set_array(struct tp_field *f, const struct declaration *d)
{
	bool is_char = text_is(d->base, "char") || text_is(d->base, "const char");
	uint32_t n = array_length(d->suffix);

	if (d->suffix.s == d->suffix.end || *d->suffix.s != '[' || f->is_data_loc)
		return;
	if (is_char || text_is(d->base, "unsigned char") || text_is(d->base, "u8"))
		f->elem_size = 1;
	else if (n && f->size % n == 0)
		f->elem_size = f->size / n;
	f->is_char_array = is_char && f->size > 0;
}

static bool has_prefix(struct text t, const char *prefix)
{
	return text_take(&t, prefix);
}

static bool is_word_first(struct text t, const char *word)
{
	struct text first = {t.s, t.s};

	while (first.end < t.end && is_ident(*first.end))
		first.end++;
	return text_is(first, word);
}

/* One "field:" line, without that word. Leaves the format as it is when it makes no sense. */
static void add_field(struct builder *b, struct text line)
{
	const char *semicolon = memchr(line.s, ';', line.end - line.s);
	struct tp_field *f = &b->format->fields[b->format->n_fields];
	uint32_t is_signed = 0;
	struct declaration d;

	if (!semicolon || !split_declaration((struct text){line.s, semicolon}, &d))
		return;
	line.s = semicolon + 1;
	if (has_prefix(d.name, "common_") || !text_take_key(&line, "offset", &f->offset) ||
	    !text_take_key(&line, "size", &f->size))
		return;
	text_take_key(&line, "signed", &is_signed); /* may be missing */
	f->is_signed = is_signed;
	f->is_data_loc = is_word_first(d.base, "__data_loc") || is_word_first(d.base, "__rel_loc");
	set_array(f, &d);
	f->type_text = builder_add(b, d.base, d.suffix);
	f->name = builder_add(b, d.name, (struct text){d.name.end, d.name.end});
	b->format->n_fields++;
}

static uint32_t count_fields(struct text rest)
{
	struct text line;
	uint32_t n = 0;

	while (text_next_line(&rest, &line))
		n += has_prefix(line, "field:");
	return n;
}

/* The block: struct, fields, strings. A field's two strings with their NULs are shorter than its
 * line, which has "field:" too. */
static struct tp_format *format_new(uint32_t n_fields, size_t string_bytes)
{
	size_t fields = n_fields * sizeof(struct tp_field);
	struct tp_format *f = calloc(1, sizeof(*f) + fields + string_bytes);

	if (f)
		f->fields = (struct tp_field *)(f + 1);
	return f;
}

int tracefs_format_parse(const char *category, const char *event, const char *text, size_t len,
			 struct tp_format **out)
{
	struct text rest = {text, text + len}, line;
	uint32_t n = count_fields(rest);
	struct builder b;

	if (n == 0)
		return -EINVAL;
	b.format = format_new(n, len + strlen(category) + strlen(event) + 2);
	if (!b.format)
		return -ENOMEM;
	b.strings = (char *)(b.format->fields + n);
	b.format->category = strcpy(b.strings, category);
	b.strings += strlen(category) + 1;
	b.format->event = strcpy(b.strings, event);
	b.strings += strlen(event) + 1;
	while (text_next_line(&rest, &line)) {
		if (has_prefix(line, "print fmt:"))
			break;
		if (text_take(&line, "ID:"))
			text_take_number(&line, &b.format->id);
		else if (text_take(&line, "field:"))
			add_field(&b, line);
	}
	*out = b.format;
	return 0;
}

/* All of a file whose size is not known beforehand, to be free()d. */
static int read_whole(int fd, char **out, size_t *out_len)
{
	size_t len = 0, room = 4096;
	char *text = malloc(room), *more;
	ssize_t n = text ? 1 : 0;

	while (text && (n = read(fd, text + len, room - len)) > 0) {
		len += n;
		if (len < room)
			continue;
		room *= 2;
		more = room <= FORMAT_BYTES_MAX ? realloc(text, room) : NULL;
		if (!more) {
			free(text);
			return -EFBIG;
		}
		text = more;
	}
	if (!text)
		return -ENOMEM;
	if (n < 0) {
		n = -errno;
		free(text);
		return n;
	}
	*out = text;
	*out_len = len;
	return 0;
}

/* A script's word may become part of a path only if it cannot lead elsewhere. */
static bool is_file_name(const char *s)
{
	return s[0] && s[0] != '.' && !strchr(s, '/') && strlen(s) <= NAME_MAX;
}

/* A descriptor of events/…, -ENOENT, -EACCES or another -errno. */
static int open_below(int tracefs_fd, int flags, const char *path)
{
	int fd = openat(tracefs_fd, path, flags | O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EPERM)
		return -EACCES;
	return errno == ENOTDIR ? -ENOENT : -errno;
}

int tracefs_format_read(int tracefs_fd, const char *category, const char *event,
			struct tp_format **out)
{
	char path[2 * NAME_MAX + sizeof("events///format")], *text = NULL;
	size_t len = 0;
	int fd, err;

	if (!is_file_name(category) || !is_file_name(event))
		return -ENOENT;
	snprintf(path, sizeof(path), "events/%s/%s/format", category, event);
	fd = open_below(tracefs_fd, 0, path);
	if (fd < 0)
		return fd;
	err = read_whole(fd, &text, &len);
	close(fd);
	if (!err)
		err = tracefs_format_parse(category, event, text, len, out);
	free(text);
	return err;
}

/* ---- listing ---- */

struct listing {
	int events_fd; /* of the folder events/, while all are listed; owned by the DIR */
	const char *category;
	kernel_name_fn fn;
	void *ctx;
};

/* Call fn for each folder in the folder `dir_fd`, which is closed here. */
static int each_folder(int dir_fd, int (*fn)(struct listing *l, const char *name),
		       struct listing *l)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *e;
	int err = 0;

	if (!dir) {
		err = -errno;
		close(dir_fd);
		return err;
	}
	while (!err && (errno = 0, e = readdir(dir))) {
		if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			err = fn(l, e->d_name);
	}
	if (!err)
		err = -errno;
	closedir(dir);
	return err;
}

static int list_event(struct listing *l, const char *event)
{
	char name[2 * NAME_MAX + 2];

	snprintf(name, sizeof(name), "%s:%s", l->category, event);
	l->fn(name, l->ctx);
	return 0;
}

static int list_category(struct listing *l, const char *category)
{
	int fd = open_below(l->events_fd, O_DIRECTORY, category);

	if (fd < 0) /* it may just have gone, and no file is a category */
		return fd == -ENOENT ? 0 : fd;
	l->category = category;
	return each_folder(fd, list_event, l);
}

int tracefs_each_event(int tracefs_fd, const char *category, kernel_name_fn fn, void *ctx)
{
	struct listing l = {.category = category, .fn = fn, .ctx = ctx};
	char path[NAME_MAX + sizeof("events/")];

	if (category && !is_file_name(category))
		return -ENOENT;
	snprintf(path, sizeof(path), "events/%s", category ? category : "");
	l.events_fd = open_below(tracefs_fd, O_DIRECTORY, path);
	if (l.events_fd < 0)
		return l.events_fd;
	return each_folder(l.events_fd, category ? list_event : list_category, &l);
}
