/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The struct kernel of the running kernel: the hooks of parser/lang/kernel.h and the functions of
 * kernel_facts.h. tracefs and vmlinux's BTF are opened at their first use; formats and names live
 * until kernel_close(). Without root the answer is -EACCES and nothing is printed: the caller knows
 * what to say.
 *
 * The work is done in tracefs.c, btf_raw.c, btf_cut.c, ksym_names.c and capability_probe.c; the
 * hooks about programs and libraries are in kernel_user.c.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/btf.h>
#include <search.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/kernel/kernel_impl.h"
#include "runtime/base/memory_file.h"
#include "runtime/btf/btf_raw.h"
#include "runtime/elf/elfsym.h"
#include "runtime/symbols/kallsyms.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/kernel_user.h"
#include "runtime/kernel/ksym_names.h"
#include "runtime/kernel/tracefs.h"

enum {
	NOT_OPENED = -1000, /* neither a descriptor nor an -errno */
	RAW_SINGLE_LOOKUPS = 3,
};

struct live_kernel {
	struct kernel k; /* first: a struct kernel * is a struct live_kernel * */
	int tracefs_fd;	 /* or -errno, or NOT_OPENED */
	int btf_err;	 /* 0: btf is open; -errno; NOT_OPENED */
	int btf_fd;	 /* types of another kernel; or -1 */
	struct btf_raw btf;
	void *formats;	       /* tsearch trees: struct tp_format by category and event */
	void *raw_tracepoints; /* … and names after btf_trace_, once many were looked up */
	uint32_t n_raw_lookups;
	struct arena *arena; /* formats, types */
	struct kernel_types *types;
	int8_t capabilities[CAP_COUNT]; /* enum capability_state; -1: not probed yet */
	struct user_files user;
	struct bpf_object_types *imported;
};

static void live_close(struct kernel *kernel);

static struct live_kernel *live(struct kernel *k)
{
	return (struct live_kernel *)k;
}

struct user_files *kernel_user_files(struct kernel *k)
{
	return &live(k)->user;
}

struct kernel_types *kernel_types_of(struct kernel *k)
{
	return live(k)->types;
}

/* False for a struct kernel that answers from a file (facts_file.c). */
static bool is_live(const struct kernel *k)
{
	return k->close == live_close;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* ---- tracepoints ---- */

int kernel_tracefs(struct kernel *kernel)
{
	struct live_kernel *k = live(kernel);

	if (!is_live(kernel))
		return -ENOSYS;
	if (k->tracefs_fd == NOT_OPENED)
		k->tracefs_fd = tracefs_open();
	return k->tracefs_fd;
}

COMPARE(compare_formats, struct tp_format,
	strcmp(a->event, b->event) ?: strcmp(a->category, b->category))

static int live_tracepoint(struct kernel *kernel, const char *category, const char *event,
			   const struct tp_format **out)
{
	const struct tp_format key = {.category = category, .event = event}, *format, **node;
	struct live_kernel *k = live(kernel);
	int fd, err;

	node = tfind(&key, &k->formats, compare_formats);
	if (!node) {
		fd = kernel_tracefs(kernel);
		if (fd < 0)
			return fd;
		err = tracefs_format_read(k->arena, fd, category, event, &format);
		if (err)
			return err;
		node = tsearch(format, &k->formats, compare_formats);
	}
	if (!node)
		return -ENOMEM;
	*out = *node;
	return 0;
}

static int live_each_tracepoint(struct kernel *kernel, const char *category, kernel_name_fn fn,
				void *ctx)
{
	int fd = kernel_tracefs(kernel);

	return fd < 0 ? fd : tracefs_each_event(fd, category, fn, ctx);
}

/* ---- BTF ---- */

int kernel_open_btf(struct kernel *kernel)
{
	struct live_kernel *k = live(kernel);
	char path[32];

	if (!is_live(kernel))
		return -ENOSYS;
	if (k->btf_err != NOT_OPENED)
		return k->btf_err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", k->btf_fd);
	k->btf_err = btf_raw_open(&k->btf, k->btf_fd < 0 ? "/sys/kernel/btf/vmlinux" : path);
	return k->btf_err;
}

void kernel_use_types(struct kernel *kernel, int fd)
{
	kernel_trim(kernel);
	kernel_types_without_modules(live(kernel)->types);
	live(kernel)->btf_fd = fd;
}

int kernel_btf_id(struct kernel *kernel, const char *name, uint32_t kind)
{
	int err = kernel_open_btf(kernel);

	return err ? err : btf_raw_find(&live(kernel)->btf, name, kind);
}

const struct btf_raw *kernel_btf(struct kernel *kernel)
{
	return kernel_open_btf(kernel) ? NULL : &live(kernel)->btf;
}

int kernel_variables(struct kernel *kernel, const char *const *names, int64_t *offsets, size_t n)
{
	const struct btf_raw *btf = kernel_btf(kernel);

	return btf ? btf_raw_offsets(btf, ".data..percpu", names, offsets, n) : -ENOSYS;
}

/* A small BTF section for CO-RE, cut out of the kernel's. */
int kernel_btf_cut(struct kernel *kernel, const char *const *structs, size_t n)
{
	const struct btf_raw *btf = kernel_btf(kernel);
	void *section = NULL;
	size_t len = 0;
	int err = btf ? btf_raw_cut(btf, structs, n, &section, &len) : -ENOSYS;
	int fd = err ? err : memory_file("sonde_btf", section, len);

	free(section);
	return fd;
}

#define RAW_PREFIX "btf_trace_"

static int note_raw_tracepoint(const char *type, uint32_t id __attribute__((unused)), void *ctx)
{
	struct live_kernel *k = ctx;
	char *name = strdup(type + strlen(RAW_PREFIX)), **node;

	node = name ? tsearch(name, &k->raw_tracepoints, compare_names) : NULL;
	if (!node || *node != name)
		free(name);
	return node ? 0 : -ENOMEM;
}

/* Finding one name takes 0.3 ms, reading all 1 ms; a wildcard can look up a thousand. */
static bool live_has_raw_tracepoint(struct kernel *kernel, const char *name)
{
	struct live_kernel *k = live(kernel);
	char type[NAME_MAX];
	int len;

	if (k->n_raw_lookups < RAW_SINGLE_LOOKUPS) {
		k->n_raw_lookups++;
		len = snprintf(type, sizeof(type), RAW_PREFIX "%s", name);
		return len < (int)sizeof(type) && kernel_btf_id(kernel, type, BTF_KIND_TYPEDEF) > 0;
	}
	if (!k->raw_tracepoints && !kernel_open_btf(kernel))
		btf_raw_each(&k->btf, BTF_KIND_TYPEDEF, RAW_PREFIX, note_raw_tracepoint, k);
	return tfind(name, &k->raw_tracepoints, compare_names);
}

/* ---- variables of user files ---- */

static int live_user_object(struct kernel *kernel, const char *path, const char *name,
			    struct user_object *out)
{
	int err = kernel_user_open(kernel, path);
	struct elfsym *elf = live(kernel)->user.elf;

	out->path = live(kernel)->user.path;
	if (err)
		return err;
	out->is_movable = elfsym_is_movable(elf);
	return elfsym_object(elf, name, &out->address, &out->size);
}

/* ---- the rest ---- */

static int live_kernel_function(struct kernel *kernel, const char *name)
{
	uint64_t address = 0;

	if (ksyms_addresses(&name, &address, 1))
		return -EPERM;
	if (address && kernel->is_thorough && kernel_function_is_ambiguous(name))
		return -ENOTUNIQ;
	return address ? 0 : -ENOENT;
}

struct function_walk {
	kernel_name_fn fn;
	void *ctx;
};

/* Functions only, without the parts that the compiler splits off. */
static int offer_kallsym(void *ctx, const struct kallsym *l)
{
	const struct function_walk *w = ctx;
	char text[1024];

	if ((l->type != 't' && l->type != 'T') || strstr(l->name, ".cold") ||
	    strncmp(l->name, "__pfx_", 6) == 0)
		return 0;
	kallsym_text(l, text, sizeof(text));
	w->fn(text, w->ctx);
	return 0;
}

/* An ordinary user may read the names in kallsyms, but not tracefs. */
static bool is_for_root(int err)
{
	return (err == -EACCES || err == -EPERM) && geteuid() != 0;
}

/* The functions that can be traced: those of --traceable-functions, or of the kernel's list; all
 * functions if the kernel has no function tracer or this process may not read its list. Locked-down
 * kernels show neither. */
static int live_each_kernel_function(struct kernel *kernel, kernel_name_fn fn, void *ctx)
{
	struct function_walk w = {fn, ctx};
	int dir = kernel_tracefs(kernel), err;

	if (kernel->traceable_functions)
		return tracefs_each_line(AT_FDCWD, kernel->traceable_functions, fn, ctx);
	err = dir < 0 ? dir : tracefs_each_line(dir, "available_filter_functions", fn, ctx);
	return err == -ENOENT || is_for_root(err) ? kallsyms_each(offer_kallsym, &w) : err;
}

static const char *live_read_bpf(struct kernel *kernel, struct arena *a, struct bpf_import *import)
{
	return bpf_object_read(kernel, a, import, &live(kernel)->imported);
}

static enum capability_state live_capability(struct kernel *kernel, enum capability_id id)
{
	struct live_kernel *k = live(kernel);

	if (k->capabilities[id] < 0)
		k->capabilities[id] = (int8_t)capability_probe(kernel, id);
	return (enum capability_state)k->capabilities[id];
}

void kernel_trim(struct kernel *kernel)
{
	struct live_kernel *k = live(kernel);

	if (!is_live(kernel))
		return;
	kernel_user_trim(&k->user);
	kernel_types_trim(k->types);
	btf_raw_close(&k->btf);
	k->btf_err = NOT_OPENED;
}

struct kernel *kernel_open(void)
{
	static const struct trace_scope everything;
	struct live_kernel *k = calloc(1, sizeof(*k));

	if (!k)
		arena_out_of_memory();
	k->k = (struct kernel){
		.scope = &everything,
		.tracepoint = live_tracepoint,
		.each_tracepoint = live_each_tracepoint,
		.has_raw_tracepoint = live_has_raw_tracepoint,
		.each_usdt = usdt_each_note,
		.each_mapped_file = usdt_each_mapped,
		.kernel_function = live_kernel_function,
		.kernel_offset = kernel_offset,
		.each_kernel_function = live_each_kernel_function,
		.user_object = live_user_object,
		.preprocess_c = c_preprocessor_run,
		.read_bpf = live_read_bpf,
		.capability = live_capability,
		.close = live_close,
	};
	k->arena = arena_new();
	k->types = kernel_types_init(&k->k, k->arena);
	kernel_user_init(&k->k);
	kernel_symbols_init(&k->k);
	k->tracefs_fd = k->btf_err = NOT_OPENED;
	k->btf_fd = -1;
	memset(k->capabilities, -1, sizeof(k->capabilities));
	return &k->k;
}

/* It is in the arena. */
static void leave_format(void *format)
{
}

static void live_close(struct kernel *kernel)
{
	struct live_kernel *k = live(kernel);

	kernel_trim(kernel);
	bpf_object_forget(k->imported);
	if (k->btf_fd >= 0)
		close(k->btf_fd);
	tdestroy(k->formats, leave_format);
	kernel_user_close(&k->user);
	tdestroy(k->raw_tracepoints, free);
	arena_free(k->arena);
	if (k->tracefs_fd >= 0)
		close(k->tracefs_fd);
	free(k);
}

void kernel_close(struct kernel *kernel)
{
	if (kernel && kernel->stock)
		kernel_close(kernel->stock);
	if (kernel && kernel->symbols)
		kernel_close(kernel->symbols);
	if (kernel && kernel->close)
		kernel->close(kernel);
}
