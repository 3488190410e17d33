/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/btf/btf_raw.c and btf_cut.c on small BTF sections, intact, truncated and damaged, and
 * on the running kernel's BTF if readable. As root and with clang-19 a program whose CO-RE
 * relocations libbpf resolves against a cut section must read correct values.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "runtime/btf/btf_raw.h"

#define VMLINUX "/sys/kernel/btf/vmlinux"

/* ---- making sections ---- */

struct blob {
	uint32_t words[1024];
	uint32_t n_words, n_types;
	char strings[1024];
	uint32_t strings_len;
};

static uint32_t blob_string(struct blob *b, const char *s)
{
	uint32_t at = b->strings_len;

	if (!s)
		return 0;
	strcpy(b->strings + at, s);
	b->strings_len += strlen(s) + 1;
	return at;
}

static void blob_word(struct blob *b, uint32_t w)
{
	assert_true(b->n_words < 1024);
	b->words[b->n_words++] = w;
}

/* The head of a type; what follows it is added with blob_word(). Returns its id. */
static uint32_t blob_type(struct blob *b, const char *name, uint32_t kind, uint32_t vlen,
			  uint32_t size_or_type)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, kind << 24 | vlen);
	blob_word(b, size_or_type);
	return ++b->n_types;
}

static void blob_member(struct blob *b, const char *name, uint32_t type, uint32_t bits)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, type);
	blob_word(b, bits);
}

static uint32_t blob_int(struct blob *b, const char *name, uint32_t bytes)
{
	uint32_t id = blob_type(b, name, BTF_KIND_INT, 0, bytes);

	blob_word(b, bytes * 8);
	return id;
}

static struct blob *blob_new(void)
{
	struct blob *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->strings_len = 1;
	return b;
}

/* The section, in a block of its exact size. Frees b. */
static void *blob_done(struct blob *b, size_t *len)
{
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = BTF_HEADER_BYTES,
		.type_len = b->n_words * 4,
		.str_off = b->n_words * 4,
		.str_len = b->strings_len,
	};
	uint8_t *p;

	*len = BTF_HEADER_BYTES + h.type_len + h.str_len;
	p = malloc(*len);
	assert_non_null(p);
	memcpy(p, &h, BTF_HEADER_BYTES);
	memcpy(p + BTF_HEADER_BYTES, b->words, h.type_len);
	memcpy(p + BTF_HEADER_BYTES + h.type_len, b->strings, h.str_len);
	free(b);
	return p;
}

/* One type of each kind, then a typedef "last". */
static void *every_kind(size_t *len)
{
	struct blob *b = blob_new();
	uint32_t i = blob_int(b, "int", 4), in,
		 kinds[] = {
			 BTF_KIND_PTR,	    BTF_KIND_VOLATILE, BTF_KIND_CONST,
			 BTF_KIND_RESTRICT, BTF_KIND_TYPE_TAG,
		 };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		blob_type(b, NULL, kinds[k], 0, i);
	blob_type(b, NULL, BTF_KIND_ARRAY, 0, 0);
	blob_member(b, NULL, i, 3);
	blob_type(b, "xlast", BTF_KIND_STRUCT, 2, 8);
	blob_member(b, "a", i, 0);
	blob_member(b, "last", i, 32);
	blob_type(b, "u", BTF_KIND_UNION, 1, 4);
	blob_member(b, "b", i, 0);
	blob_type(b, "e", BTF_KIND_ENUM, 1, 4);
	blob_word(b, blob_string(b, "E"));
	blob_word(b, 1);
	blob_type(b, "fwd", BTF_KIND_FWD, 0, 0);
	blob_type(b, NULL, BTF_KIND_FUNC_PROTO, 1, i);
	blob_word(b, blob_string(b, "arg"));
	blob_word(b, i);
	blob_type(b, "f", BTF_KIND_FUNC, 0, b->n_types);
	/* before its variable, as in Linux 7, which sorts types by name */
	in = blob_type(b, ".data", BTF_KIND_DATASEC, 1, 4);
	blob_word(b, in + 1);
	blob_word(b, 12); /* the offset of the variable */
	blob_word(b, 4);
	blob_type(b, "v", BTF_KIND_VAR, 0, i);
	blob_word(b, 0);
	blob_type(b, "double", BTF_KIND_FLOAT, 0, 8);
	blob_type(b, "tag", BTF_KIND_DECL_TAG, 0, i);
	blob_word(b, 0xffffffff);
	blob_type(b, "e64", BTF_KIND_ENUM64, 1, 8);
	blob_member(b, "E64", 1, 2);
	blob_type(b, "last", BTF_KIND_STRUCT, 0, 0);
	blob_type(b, "last", BTF_KIND_TYPEDEF, 0, i);
	return blob_done(b, len);
}

/* struct root { int pid; struct root *next; list_t lists[2]; union { enum color c; long l; };
 * const volatile int flags:3; }, among others. */
static void *small_kernel(size_t *len)
{
	struct blob *b = blob_new();
	uint32_t i = blob_int(b, "int", 4), l = blob_int(b, "long", 8), e, list, pointer, array, u,
		 cv;

	e = blob_type(b, "color", BTF_KIND_ENUM, 1, 4);
	blob_word(b, blob_string(b, "RED"));
	blob_word(b, 0);
	blob_type(b, "unrelated", BTF_KIND_STRUCT, 1, 4);
	blob_member(b, "x", i, 0);
	pointer = blob_type(b, NULL, BTF_KIND_PTR, 0, 12); /* to root */
	list = blob_type(b, "list", BTF_KIND_STRUCT, 1, 8);
	blob_member(b, "next", pointer, 0);
	blob_type(b, "list_t", BTF_KIND_TYPEDEF, 0, list); /* id 7 */
	array = blob_type(b, NULL, BTF_KIND_ARRAY, 0, 0);
	blob_member(b, (char *)NULL, 0, 0);
	b->words[b->n_words - 3] = 7; /* element, index, length */
	b->words[b->n_words - 2] = i;
	b->words[b->n_words - 1] = 2;
	u = blob_type(b, NULL, BTF_KIND_UNION, 2, 8);
	blob_member(b, "c", e, 0);
	blob_member(b, "l", l, 0);
	cv = blob_type(b, NULL, BTF_KIND_VOLATILE, 0, i);
	cv = blob_type(b, NULL, BTF_KIND_CONST, 0, cv);
	blob_type(b, "root", BTF_KIND_STRUCT | 0x80, 5, 48); /* bit fields: kind_flag; id 12 */
	blob_member(b, "pid", i, 0);
	blob_member(b, "next", pointer, 64);
	blob_member(b, "lists", array, 128);
	blob_member(b, NULL, u, 256);
	blob_member(b, "flags", cv, 3u << 24 | 320);
	return blob_done(b, len);
}

/* ---- reading ---- */

static const char *const variables[] = {"v", "w"};

static void test_find(void **state)
{
	int64_t offsets[2];
	struct btf_raw b;
	size_t len;
	void *p = every_kind(&len);

	(void)state;
	assert_int_equal(btf_raw_init(&b, p, len), 0);
	assert_int_equal(btf_raw_find(&b, "int", BTF_KIND_INT), 1);
	assert_int_equal(btf_raw_find(&b, "xlast", BTF_KIND_STRUCT), 8);
	assert_int_equal(btf_raw_find(&b, "last", BTF_KIND_STRUCT), 19);
	assert_int_equal(btf_raw_find(&b, "last", BTF_KIND_TYPEDEF), 20);
	assert_int_equal(btf_raw_find(&b, "last", BTF_KIND_UNION), -ENOENT);
	assert_int_equal(btf_raw_find(&b, "las", BTF_KIND_TYPEDEF), -ENOENT);
	assert_int_equal(btf_raw_find(&b, "ast", BTF_KIND_TYPEDEF), -ENOENT);
	assert_int_equal(btf_raw_find(&b, "", BTF_KIND_PTR), -ENOENT);
	assert_int_equal(btf_raw_offsets(&b, ".data", variables, offsets, 2), 0);
	assert_int_equal(offsets[0], 12);
	assert_int_equal(offsets[1], -ENOENT);
	assert_int_equal(btf_raw_offsets(&b, ".bss", variables, offsets, 2), 0);
	assert_int_equal(offsets[0], -ENOENT);
	free(p);
}

static int collect(const char *name, uint32_t id, void *ctx)
{
	uint32_t *sum = ctx;

	assert_true(!strncmp(name, "la", 2));
	*sum += id;
	return *sum > 100 ? -E2BIG : 0;
}

static void test_each(void **state)
{
	struct btf_raw b;
	size_t len;
	uint32_t sum = 0;
	void *p = every_kind(&len);

	(void)state;
	assert_int_equal(btf_raw_init(&b, p, len), 0);
	assert_int_equal(btf_raw_each(&b, BTF_KIND_TYPEDEF, "la", collect, &sum), 0);
	assert_int_equal(sum, 20);
	sum = 100;
	assert_int_equal(btf_raw_each(&b, BTF_KIND_STRUCT, "la", collect, &sum), -E2BIG);
	free(p);
}

static void test_bad_headers(void **state)
{
	struct btf_raw b;
	size_t len;
	uint8_t *p = every_kind(&len);
	struct btf_header *h = (void *)p, good = *h;

	(void)state;
	h->magic = 0x9feb;
	assert_int_equal(btf_raw_init(&b, p, len), -EINVAL);
	*h = good;
	h->hdr_len = 1 << 30;
	assert_int_equal(btf_raw_init(&b, p, len), -EINVAL);
	*h = good;
	h->type_off = 0xfffffffc;
	assert_int_equal(btf_raw_init(&b, p, len), -EINVAL);
	*h = good;
	h->str_len = 0;
	assert_int_equal(btf_raw_init(&b, p, len), -EINVAL);
	*h = good;
	p[len - 1] = 'x';
	assert_int_equal(btf_raw_init(&b, p, len), -EINVAL);
	assert_int_equal(btf_raw_open(&b, "/no/such/file"), -ENOENT);
	assert_int_equal(btf_raw_open(&b, "/dev/null"), -EINVAL);
	btf_raw_close(&b);
	free(p);
}

/* ---- cutting ---- */

static const char *const roots[] = {"root", "not_there"};

static void test_cut(void **state)
{
	size_t len, cut_len = 0;
	void *p = small_kernel(&len), *cut = NULL;
	const struct btf_type *t;
	struct btf_raw b, c;
	struct btf *parsed;

	(void)state;
	assert_int_equal(btf_raw_init(&b, p, len), 0);
	assert_int_equal(btf_raw_cut(&b, roots, 2, &cut, &cut_len), 0);
	assert_int_equal(btf_raw_init(&c, cut, cut_len), 0);
	assert_int_equal(btf_raw_find(&c, "root", BTF_KIND_STRUCT), 1);
	assert_int_equal(btf_raw_find(&c, "unrelated", BTF_KIND_STRUCT), -ENOENT);
	assert_int_equal(btf_raw_find(&c, "list_t", BTF_KIND_TYPEDEF), -ENOENT);
	assert_true(btf_raw_find(&c, "list", BTF_KIND_STRUCT) > 0);
	parsed = btf__new(cut, cut_len);
	assert_non_null(parsed);
	t = btf__type_by_id(parsed, 1);
	assert_int_equal(btf_vlen(t), 5);
	assert_int_equal(t->size, 48);
	assert_int_equal(btf_kind(btf__type_by_id(parsed, btf_members(t)[1].type)), BTF_KIND_PTR);
	assert_int_equal(btf__resolve_size(parsed, btf_members(t)[2].type), 16);
	assert_int_equal(btf__resolve_size(parsed, btf_members(t)[3].type), 8);
	assert_int_equal(btf_member_bitfield_size(t, 4), 3);
	assert_int_equal(btf_member_bit_offset(t, 4), 320);
	assert_string_equal(btf__name_by_offset(parsed, btf_members(t)[4].name_off), "flags");
	btf__free(parsed);
	free(cut);
	free(p);
}

static int cut_one_member(uint32_t kind, uint32_t type)
{
	struct blob *b = blob_new();
	size_t len, cut_len;
	void *p, *cut = NULL;
	struct btf_raw raw;
	int err;

	blob_type(b, "root", BTF_KIND_STRUCT, 1, 8);
	blob_member(b, "m", 2, 0);
	blob_type(b, "t", kind, 0, type);
	p = blob_done(b, &len);
	assert_int_equal(btf_raw_init(&raw, p, len), 0);
	err = btf_raw_cut(&raw, roots, 2, &cut, &cut_len);
	free(cut);
	free(p);
	return err;
}

static void test_cut_broken(void **state)
{
	(void)state;
	assert_int_equal(cut_one_member(BTF_KIND_TYPEDEF, 1), 0);
	assert_int_equal(cut_one_member(BTF_KIND_TYPEDEF, 2), -EINVAL); /* itself */
	assert_int_equal(cut_one_member(BTF_KIND_TYPEDEF, 3), -EINVAL); /* nothing there */
	assert_int_equal(cut_one_member(BTF_KIND_CONST, 0xffffffff), -EINVAL);
	assert_int_equal(cut_one_member(BTF_KIND_PTR, 0xffffffff), 0); /* not followed */
	assert_int_equal(cut_one_member(BTF_KIND_FUNC, 0), -EINVAL);
	assert_int_equal(cut_one_member(BTF_KIND_STRUCT, 4), 0);
	assert_int_equal(cut_one_member(31, 0), -EINVAL);
}

static int ignore(const char *name, uint32_t id, void *ctx)
{
	(void)id;
	(void)ctx;
	return strlen(name) > 1 << 20;
}

static void try_all(const void *data, size_t len)
{
	void *copy = malloc(len ? len : 1), *cut = NULL;
	int64_t offsets[2];
	size_t cut_len;
	struct btf_raw b;

	assert_non_null(copy);
	memcpy(copy, data, len);
	if (!btf_raw_init(&b, copy, len)) {
		btf_raw_find(&b, "last", BTF_KIND_TYPEDEF);
		btf_raw_offsets(&b, ".data", variables, offsets, 2);
		btf_raw_each(&b, BTF_KIND_STRUCT, "", ignore, NULL);
		btf_raw_cut(&b, roots, 2, &cut, &cut_len);
	}
	free(cut);
	free(copy);
}

static void test_truncated(void **state)
{
	size_t len;
	uint8_t *p = every_kind(&len);
	struct btf_header *h = (void *)p;

	(void)state;
	for (size_t n = 0; n < len; n++)
		try_all(p, n);
	while (h->type_len) { /* the types end early */
		h->type_len--;
		try_all(p, len);
	}
	free(p);
}

static void test_damaged(void **state)
{
	size_t len;
	uint8_t *p = small_kernel(&len), *q = malloc(len);
	uint32_t seed = 4711;

	(void)state;
	assert_non_null(q);
	for (int round = 0; round < 50000; round++) {
		memcpy(q, p, len);
		for (int i = 0; i < 4; i++) {
			seed = seed * 1664525 + 1013904223;
			q[(seed >> 8) % len] = seed >> 5 & 1 ? seed >> 24 : (seed >> 24) % 20;
		}
		try_all(q, len);
	}
	free(q);
	free(p);
}

/* ---- the running kernel ---- */

static const char *const kernel_structs[] = {
	"task_struct", "cred", "css_set", "cgroup", "kernfs_node", "pt_regs", "signal_struct",
};

enum { N_KERNEL_STRUCTS = sizeof(kernel_structs) / sizeof(kernel_structs[0]) };

static void test_live(void **state)
{
	size_t cut_len = 0;
	void *cut = NULL;
	struct btf_raw b;
	struct btf *full, *small;
	int err = btf_raw_open(&b, VMLINUX);

	(void)state;
	if (err == -ENOENT || err == -EACCES)
		skip();
	assert_int_equal(err, 0);
	full = btf__parse(VMLINUX, NULL);
	assert_non_null(full);
	assert_int_equal(btf_raw_find(&b, "btf_trace_sched_switch", BTF_KIND_TYPEDEF),
			 btf__find_by_name_kind(full, "btf_trace_sched_switch", BTF_KIND_TYPEDEF));
	assert_int_equal(btf_raw_find(&b, "task_struct", BTF_KIND_STRUCT),
			 btf__find_by_name_kind(full, "task_struct", BTF_KIND_STRUCT));
	assert_int_equal(btf_raw_find(&b, "btf_trace_no_such", BTF_KIND_TYPEDEF), -ENOENT);
	assert_int_equal(btf_raw_cut(&b, kernel_structs, N_KERNEL_STRUCTS, &cut, &cut_len), 0);
	small = btf__new(cut, cut_len);
	assert_non_null(small);
	for (int i = 0; i < N_KERNEL_STRUCTS; i++) {
		int id = btf__find_by_name_kind(small, kernel_structs[i], BTF_KIND_STRUCT);

		assert_true(id > 0);
		assert_int_equal(btf__resolve_size(small, id),
				 btf__resolve_size(full,
						   btf__find_by_name_kind(full, kernel_structs[i],
									  BTF_KIND_STRUCT)));
	}
	btf__free(small);
	btf__free(full);
	free(cut);
	btf_raw_close(&b);
}

/* What the program fills in: in its .bss, in this order. */
struct truth {
	uint64_t cgroup_by_relocation, cgroup_by_helper, open_files_limit, runtime;
	uint32_t pid, tgid, uid, parent_tgid, is_done;
	char comm[16];
};

static const char program[] =
	"typedef unsigned long long u64; typedef unsigned int u32;\n"
	"#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)\n"
	"typedef struct { u32 val; } kuid_t;\n"
	"struct cred { kuid_t uid; };\n"
	"struct rlimit { u64 rlim_cur; };\n"
	"struct signal_struct { struct rlimit rlim[16]; };\n"
	"struct kernfs_node { u64 id; };\n"
	"struct cgroup { struct kernfs_node *kn; };\n"
	"struct css_set { struct cgroup *dfl_cgrp; };\n"
	"struct sched_entity { u64 sum_exec_runtime; };\n"
	"struct task_struct { struct sched_entity se; int pid, tgid; struct task_struct *real_parent;\n"
	"	const struct cred *real_cred; char comm[16]; struct signal_struct *signal;\n"
	"	struct css_set *cgroups; };\n"
	"#pragma clang attribute pop\n"
	"static u64 (*get_current_task)(void) = (void *)35;\n"
	"static u64 (*get_current_cgroup_id)(void) = (void *)80;\n"
	"static long (*read_kernel)(void *, u32, const void *) = (void *)113;\n"
	"struct { u64 cgroup_by_relocation, cgroup_by_helper, open_files_limit, runtime;\n"
	"	u32 pid, tgid, uid, parent_tgid, is_done; char comm[16]; } out;\n"
	"#define GET(to, from) read_kernel(&(to), sizeof(to), &(from))\n"
	"__attribute__((section(\"raw_tp/sys_enter\"), used)) int run(void *ctx) {\n"
	"	struct task_struct *t = (void *)get_current_task(), *parent = 0;\n"
	"	struct cred *cred = 0; struct signal_struct *signal = 0; struct css_set *set = 0;\n"
	"	struct cgroup *cgroup = 0; struct kernfs_node *kn = 0;\n"
	"	GET(out.pid, t->pid); GET(out.tgid, t->tgid); GET(out.comm, t->comm);\n"
	"	GET(cred, t->real_cred); GET(out.uid, cred->uid.val);\n"
	"	GET(parent, t->real_parent); GET(out.parent_tgid, parent->tgid);\n"
	"	GET(signal, t->signal); GET(out.open_files_limit, signal->rlim[7].rlim_cur);\n"
	"	GET(set, t->cgroups); GET(cgroup, set->dfl_cgrp); GET(kn, cgroup->kn);\n"
	"	GET(out.cgroup_by_relocation, kn->id); GET(out.runtime, t->se.sum_exec_runtime);\n"
	"	out.cgroup_by_helper = get_current_cgroup_id(); out.is_done = 1; return 0; }\n"
	"char LICENSE[] __attribute__((section(\"license\"), used)) = \"GPL\";\n";

static void compile_program(const char *folder, char object[128])
{
	char command[512], source[128];
	FILE *f;

	snprintf(source, sizeof(source), "%s/t.bpf.c", folder);
	snprintf(object, 128, "%s/t.bpf.o", folder);
	f = fopen(source, "w");
	assert_non_null(f);
	fputs(program, f);
	fclose(f);
	snprintf(command, sizeof(command), "clang-19 -g -O2 -target bpf -mcpu=v3 -c %s -o %s",
		 source, object);
	assert_int_equal(system(command), 0);
	unlink(source);
}

static int cut_to_memfd(void)
{
	struct btf_raw b;
	size_t len = 0;
	void *cut = NULL;
	int fd;

	assert_int_equal(btf_raw_open(&b, VMLINUX), 0);
	assert_int_equal(btf_raw_cut(&b, kernel_structs, N_KERNEL_STRUCTS, &cut, &len), 0);
	fd = memfd_create("cut", MFD_CLOEXEC);
	assert_true(fd >= 0 && write(fd, cut, len) == (ssize_t)len);
	free(cut);
	btf_raw_close(&b);
	return fd;
}

static void run_program(const char *object, struct truth *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	int fd = cut_to_memfd();
	struct bpf_object *o;
	char path[32];
	uint32_t zero = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opts.btf_custom_path = path;
	o = bpf_object__open_file(object, &opts);
	assert_non_null(o);
	assert_int_equal(bpf_object__load(o), 0);
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(bpf_object__next_program(o, NULL)),
						&run),
			 0);
	assert_int_equal(bpf_map__lookup_elem(bpf_object__find_map_by_name(o, ".bss"), &zero, 4,
					      out, sizeof(*out), 0),
			 0);
	bpf_object__close(o);
	close(fd);
}

static void test_core(void **state)
{
	char folder[] = "/tmp/sonde-core-XXXXXX", object[128], comm[17] = "";
	struct rlimit limit;
	struct truth t;

	(void)state;
	if (geteuid() || access(VMLINUX, R_OK) || system("command -v clang-19 >/dev/null"))
		skip();
	assert_non_null(mkdtemp(folder));
	compile_program(folder, object);
	run_program(object, &t);
	unlink(object);
	rmdir(folder);
	assert_int_equal(t.is_done, 1);
	assert_int_equal(t.pid, getpid());
	assert_int_equal(t.tgid, getpid());
	assert_int_equal(t.parent_tgid, getppid());
	assert_int_equal(t.uid, getuid());
	getrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(t.open_files_limit, limit.rlim_cur);
	memcpy(comm, t.comm, 16);
	assert_true(strlen(comm) > 0 && !strncmp(comm, program_invocation_short_name, 15));
	assert_int_equal(t.cgroup_by_relocation, t.cgroup_by_helper);
	assert_true(t.runtime > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),	    cmocka_unit_test(test_each),
		cmocka_unit_test(test_bad_headers), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_broken),  cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged),	    cmocka_unit_test(test_live),
		cmocka_unit_test(test_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
