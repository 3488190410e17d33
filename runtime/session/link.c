/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking with libbpf, which takes paths: those of files in memory.
 */
#define _GNU_SOURCE
#include "runtime/session/link.h"
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
	f->fd = memfd_create("sonde-link", MFD_CLOEXEC);
	if (f->fd < 0)
		return -errno;
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	for (size_t done = 0; done < len;) {
		ssize_t n = write(f->fd, (const char *)bytes + done, len - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
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

enum { SCRIPT, FUNCTIONS, LINKED, N_FILES };

static int link_files(const struct file files[N_FILES])
{
	struct bpf_linker *linker = bpf_linker__new(files[LINKED].path, NULL);
	int err;

	if (!linker)
		return -errno;
	err = bpf_linker__add_file(linker, files[SCRIPT].path, NULL);
	if (!err)
		err = bpf_linker__add_file(linker, files[FUNCTIONS].path, NULL);
	if (!err)
		err = bpf_linker__finalize(linker);
	bpf_linker__free(linker);
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
	struct file files[N_FILES] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
	int err;

	*out = NULL;
	if (!plan->needs.ustack && !plan->needs.kstack)
		return 0;
	err = make_file(&files[SCRIPT], elf, len);
	if (!err)
		err = make_object(&files[FUNCTIONS], plan, unwinds);
	if (!err)
		err = make_file(&files[LINKED], NULL, 0);
	if (!err)
		err = link_files(files);
	if (!err)
		err = read_file(&files[LINKED], out, out_len);
	if (err) {
		free(*out);
		*out = NULL;
	}
	for (int i = 0; i < N_FILES; i++)
		if (files[i].fd >= 0)
			close(files[i].fd);
	return err;
}
