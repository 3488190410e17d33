/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking with libbpf, which takes paths: those of files in memory.
 */
#define _GNU_SOURCE
#include "runtime/base/memory_file.h"
#include "runtime/load/link.h"
#include "parser/lang/bpf_import.h"
#include "parser/plan/plan.h"
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char sonde_object_keep[], sonde_object_keep_end[];
extern const char sonde_object_unwind[], sonde_object_unwind_end[];
extern const char sonde_object_no_unwind[], sonde_object_no_unwind_end[];

struct file {
	int fd; /* -1: none */
	char path[32];
};

static int make_file(struct file *f, const void *bytes, size_t len)
{
	f->fd = memory_file("sonde-link", bytes, len);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	return f->fd < 0 ? f->fd : 0;
}

static int read_file(const struct file *f, void **out, size_t *len)
{
	struct stat st;
	ssize_t n;

	if (fstat(f->fd, &st))
		return -errno;
	*len = (size_t)st.st_size;
	*out = malloc(*len + 1);
	if (!*out)
		return -ENOMEM;
	for (size_t done = 0; done < *len; done += (size_t)n) {
		n = pread(f->fd, (char *)*out + done, *len - done, (off_t)done);
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
	}
	return 0;
}

/* Link files[0], the script, and the others up to files[n - 1] to files[n]. */
static int link_files(const struct file *files, uint32_t n)
{
	struct bpf_linker *linker = bpf_linker__new(files[n].path, NULL);
	int err = 0;

	if (!linker)
		return -errno;
	for (uint32_t i = 0; i < n && !err; i++)
		err = bpf_linker__add_file(linker, files[i].path, NULL);
	if (!err)
		err = bpf_linker__finalize(linker);
	bpf_linker__free(linker);
	return err;
}

static void close_files(const struct file *files, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		if (files[i].fd >= 0)
			close(files[i].fd);
}

/* All files but files[n] are open, unless opening one failed with `err`. */
static int link_to(struct file *files, uint32_t n, int err, void **out, size_t *out_len)
{
	if (!err)
		err = make_file(&files[n], NULL, 0);
	if (!err)
		err = link_files(files, n);
	if (!err)
		err = read_file(&files[n], out, out_len);
	if (err) {
		free(*out);
		*out = NULL;
	}
	close_files(files, n);
	return err;
}

static int make_object(struct file *f, const struct plan *plan, bool unwinds)
{
	const char *bytes = sonde_object_keep, *end = sonde_object_keep_end;

	if (plan->needs.ustack) {
		bytes = unwinds ? sonde_object_unwind : sonde_object_no_unwind;
		end = unwinds ? sonde_object_unwind_end : sonde_object_no_unwind_end;
	}
	return make_file(f, bytes, (size_t)(end - bytes));
}

int session_link(const struct plan *plan, bool unwinds, const void *elf, size_t len, void **out,
		 size_t *out_len)
{
	enum { N_OBJECTS = 2 };
	struct file files[N_OBJECTS + 1] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
	int err;

	*out = NULL;
	if (!plan->needs.ustack && !plan->needs.kstack)
		return 0;
	err = make_file(&files[0], elf, len);
	if (!err)
		err = make_object(&files[1], plan, unwinds);
	return link_to(files, N_OBJECTS, err, out, out_len);
}

int session_link_imports(const struct bpf_import *imports, uint32_t n, const void *elf, size_t len,
			 void **out, size_t *out_len)
{
	struct file *files = calloc(n + 2, sizeof(*files));
	uint32_t n_files = 1;
	int err;

	*out = NULL;
	if (!files)
		return -ENOMEM;
	for (uint32_t i = 0; i < n + 2; i++)
		files[i].fd = -1;
	err = make_file(&files[0], elf, len);
	for (uint32_t i = 0; i < n && !err; i++)
		if (imports[i].is_used)
			err = make_file(&files[n_files++], imports[i].bytes, imports[i].len);
	if (n_files > 1 || err)
		err = link_to(files, n_files, err, out, out_len);
	else
		close_files(files, n_files);
	free(files);
	return err;
}
