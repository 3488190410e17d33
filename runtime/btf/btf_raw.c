/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a raw BTF section and finds single types in it. btf_cut.c cuts a small section out of it.
 *
 * Reads /sys/kernel/btf/vmlinux (5 to 7 MB). A lookup first finds the name in the strings (one
 * memmem), then walks the types and compares only (name offset, kind). Every step is checked
 * against the section's end: a broken file gives -EINVAL.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/btf/btf_raw.h"
#include "runtime/btf/btf_walk.h"

enum { NAME_BYTES = 256 };

static int init_section(struct btf_raw *b, const void *data, size_t len, bool is_split)
{
	const struct btf_header *h = data;
	const uint8_t *body;
	size_t body_len;

	if (len < BTF_HEADER_BYTES || ((uintptr_t)data & 3) || h->magic != BTF_MAGIC ||
	    h->version != 1 || h->hdr_len < BTF_HEADER_BYTES || h->hdr_len > len ||
	    (h->hdr_len & 3))
		return -EINVAL;
	body = (const uint8_t *)data + h->hdr_len;
	body_len = len - h->hdr_len;
	if (h->type_off > body_len || h->type_len > body_len - h->type_off || (h->type_off & 3) ||
	    h->str_off > body_len || h->str_len > body_len - h->str_off || h->str_len == 0)
		return -EINVAL;
	*b = (struct btf_raw){
		.types = body + h->type_off,
		.types_end = body + h->type_off + h->type_len,
		.strings = (const char *)body + h->str_off,
		.strings_len = h->str_len,
	};
	return (b->strings[0] && !is_split) || b->strings[b->strings_len - 1] ? -EINVAL : 0;
}

int btf_raw_init(struct btf_raw *b, const void *data, size_t len)
{
	return init_section(b, data, len, false);
}

/* Read the section into anonymous pages: sysfs returns 4 KiB a read. */
static void *read_pages(int fd, size_t len)
{
	uint8_t *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t done = 0;
	ssize_t n;

	if (p == MAP_FAILED)
		return NULL;
	while (done < len && (n = read(fd, p + done, len - done)) > 0)
		done += n;
	if (done == len)
		return p;
	munmap(p, len);
	errno = EIO;
	return NULL;
}

static int open_section(struct btf_raw *b, const char *path, bool is_split)
{
	struct stat st;
	void *data;
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	*b = (struct btf_raw){0};
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		err = -errno;
	else if (st.st_size < BTF_HEADER_BYTES)
		err = -EINVAL;
	if (err)
		goto out;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		data = read_pages(fd, st.st_size);
	if (!data) {
		err = -errno;
		goto out;
	}
	err = init_section(b, data, st.st_size, is_split);
	b->data = data;
	b->data_len = st.st_size;
	if (err)
		btf_raw_close(b);
out:
	close(fd);
	return err;
}

int btf_raw_open(struct btf_raw *b, const char *path)
{
	return open_section(b, path, false);
}

int btf_raw_open_split(struct btf_raw *b, const char *path)
{
	return open_section(b, path, true);
}

void btf_raw_close(struct btf_raw *b)
{
	if (b->data)
		munmap(b->data, b->data_len);
	*b = (struct btf_raw){0};
}

/* Offset of `name` in the string section at or after `from`, or -ENOENT. A name can occur more than
 * once. */
static int64_t find_string(const struct btf_raw *b, const char *name, uint32_t from)
{
	char pattern[NAME_BYTES + 2] = "";
	size_t len = strlen(name);
	const char *hit;

	if (len > NAME_BYTES || from >= b->strings_len)
		return -ENOENT;
	memcpy(pattern + 1, name, len + 1); /* NUL name NUL */
	hit = memmem(b->strings + from, b->strings_len - from, pattern, len + 2);
	return hit ? hit + 1 - b->strings : -ENOENT;
}

static int find_by_offset(const struct btf_raw *b, uint32_t name_off, uint32_t kind)
{
	const struct btf_type *t;
	struct btf_walk w = btf_walk_start(b);

	while ((t = btf_walk_next(&w)))
		if (t->name_off == name_off && BTF_INFO_KIND(t->info) == kind)
			return w.id;
	return w.is_broken ? -EINVAL : -ENOENT;
}

int btf_raw_find(const struct btf_raw *b, const char *name, uint32_t kind)
{
	int64_t at = find_string(b, name, 0);
	int id = -ENOENT;

	if (!name[0])
		return -ENOENT;
	while (at >= 0 && id == -ENOENT) {
		id = find_by_offset(b, at, kind);
		at = find_string(b, name, at);
	}
	return id;
}

/* Of the variables of the section `t`, those that have an id here. */
static void read_offsets(const struct btf_type *t, const uint32_t *ids, int64_t *offsets, size_t n)
{
	const struct btf_var_secinfo *vars = (const void *)(t + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(t->info); i++)
		for (size_t k = 0; k < n; k++)
			if (ids[k] && vars[i].type == ids[k])
				offsets[k] = vars[i].offset;
}

int btf_raw_offsets(const struct btf_raw *b, const char *section, const char *const *names,
		    int64_t *offsets, size_t n)
{
	struct btf_walk w = btf_walk_start(b);
	const struct btf_type *t, *in = NULL;
	uint32_t ids[BTF_OFFSETS_MOST] = {0};

	for (size_t k = 0; k < n; k++)
		offsets[k] = -ENOENT;
	while ((t = btf_walk_next(&w))) {
		const char *name = t->name_off < b->strings_len ? b->strings + t->name_off : "";

		for (size_t k = 0; BTF_INFO_KIND(t->info) == BTF_KIND_VAR && k < n; k++)
			if (strcmp(name, names[k]) == 0)
				ids[k] = w.id;
		if (BTF_INFO_KIND(t->info) == BTF_KIND_DATASEC && strcmp(name, section) == 0)
			in = t; /* Linux 7 sorts types by name: its variables may follow */
	}
	if (in && !w.is_broken)
		read_offsets(in, ids, offsets, n);
	return w.is_broken ? -EINVAL : 0;
}

int btf_raw_each(const struct btf_raw *b, uint32_t kind, const char *prefix,
		 int (*fn)(const char *name, uint32_t id, void *ctx), void *ctx)
{
	struct btf_walk w = btf_walk_start(b);
	size_t len = strlen(prefix);
	const struct btf_type *t;
	int err = 0;

	while (!err && (t = btf_walk_next(&w)))
		if (BTF_INFO_KIND(t->info) == kind && t->name_off < b->strings_len &&
		    !strncmp(b->strings + t->name_off, prefix, len))
			err = fn(b->strings + t->name_off, w.id, ctx);
	return err || !w.is_broken ? err : -EINVAL;
}
