/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking with libbpf, which takes paths: those of files in memory.
 */
#include "runtime/load/link.h"
#include "parser/lang/bpf_import.h"
#include "parser/plan/plan.h"
#include "runtime/base/memory_file.h"
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const char sonde_object_keep[], sonde_object_keep_end[];
extern const char sonde_object_unwind[], sonde_object_unwind_end[];
extern const char sonde_object_no_unwind[], sonde_object_no_unwind_end[];
extern const char sonde_object_reason[], sonde_object_reason_end[];

struct object {
	const void *bytes;
	size_t len;
};

struct path {
	char text[32];
};

static struct path path_of(int fd)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "/proc/self/fd/%d", fd);
	return p;
}

static int add_object(struct bpf_linker *linker, const struct object *o)
{
	int fd = memory_file("sonde-link", o->bytes, o->len), err;

	if (fd < 0)
		return fd;
	err = bpf_linker__add_file(linker, path_of(fd).text, NULL);
	close(fd);
	return err;
}

/* Link the objects, of which the first is the script's. */
static int link_objects(const struct object *objects, uint32_t n, void **out, size_t *out_len)
{
	int to = memory_file("sonde-link", NULL, 0), err = to < 0 ? to : 0;
	struct bpf_linker *linker = err ? NULL : bpf_linker__new(path_of(to).text, NULL);

	if (!err && !linker)
		err = -errno;
	for (uint32_t i = 0; i < n && !err; i++)
		err = add_object(linker, &objects[i]);
	if (!err)
		err = bpf_linker__finalize(linker);
	bpf_linker__free(linker);
	*out = err ? NULL : memory_file_bytes(to, SIZE_MAX, out_len);
	if (!err && !*out)
		err = -errno;
	if (to >= 0)
		close(to);
	return err;
}

/* An object of bpf_helpers/ that is part of sonde: its two symbols. */
#define PART(name)                                  \
	(struct object)                             \
	{                                           \
		name, (size_t)(name##_end - (name)) \
	}

int session_link(const struct plan *plan, bool unwinds, bool has_reasons, const void *elf,
		 size_t len, void **out, size_t *out_len)
{
	struct object objects[3] = {{elf, len}};
	uint32_t n = 1;

	*out = NULL;
	if (!plan->needs.ustack && !plan->needs.kstack)
		return 0;
	if (has_reasons) /* first: the others have a weak function of the same name */
		objects[n++] = PART(sonde_object_reason);
	objects[n++] = !plan->needs.ustack ? PART(sonde_object_keep)
		       : unwinds	   ? PART(sonde_object_unwind)
					   : PART(sonde_object_no_unwind);
	return link_objects(objects, n, out, out_len);
}

int session_link_imports(const struct bpf_import *imports, uint32_t n, const void *elf, size_t len,
			 void **out, size_t *out_len)
{
	struct object *objects = calloc(n + 1, sizeof(*objects));
	uint32_t n_objects = 1;
	int err = 0;

	*out = NULL;
	if (!objects)
		return -ENOMEM;
	objects[0] = (struct object){elf, len};
	for (uint32_t i = 0; i < n; i++)
		if (imports[i].is_used)
			objects[n_objects++] = (struct object){imports[i].bytes, imports[i].len};
	if (n_objects > 1)
		err = link_objects(objects, n_objects, out, out_len);
	free(objects);
	return err;
}
