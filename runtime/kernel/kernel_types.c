/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds typed functions. Reads /sys/kernel/btf/NAME, one file for each module, opened at its first
 * use, and the BTF of loaded programs through bpf(2).
 */
#include "runtime/kernel/kernel_impl.h"
#include "runtime/kernel/btf_layout.h"
#include "runtime/btf/btf_iter.h"
#include "runtime/kernel/kernel_facts.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <dirent.h>
#include <linux/btf.h>
#include <stdio.h>
#include <unistd.h>

#define BTF_DIR "/sys/kernel/btf"
static const char vmlinux_name[] = "vmlinux";

struct module_types {
	const char *name;
	struct btf_raw raw;
	struct btf_types types;
	struct btf_layouts layouts;
	bool is_open;
};

struct kernel_types {
	struct arena *arena; /* the answers */
	struct btf_types vmlinux;
	struct btf_layouts layouts; /* of vmlinux */
	bool has_vmlinux;
	struct module_types **modules; /* all that have BTF, read once */
	uint32_t n_modules;
	bool has_modules;
};

void kernel_types_trim(struct kernel_types *t)
{
	for (uint32_t i = 0; i < t->n_modules; i++) {
		struct module_types *m = t->modules[i];

		if (m->is_open) {
			btf_layouts_free(&m->layouts);
			btf_types_free(&m->types);
			btf_raw_close(&m->raw);
		}
		m->is_open = false;
	}
	btf_layouts_free(&t->layouts);
	btf_types_free(&t->vmlinux);
	t->has_vmlinux = false;
}

void kernel_types_without_modules(struct kernel_types *t)
{
	t->has_modules = true;
}

/* ---- sections ------------------------------------------------------------------------------ */

/* 0 with *out, whose vmlinux is open, or -errno. */
static int need_types(struct kernel *k, struct kernel_types **out)
{
	struct kernel_types *t = *out = kernel_types_of(k);
	int err = t->has_vmlinux ? 0 : kernel_open_btf(k);

	if (err || t->has_vmlinux)
		return err;
	err = btf_types_init(&t->vmlinux, kernel_btf(k), NULL);
	if (err)
		return err;
	btf_layouts_init(&t->layouts, &t->vmlinux, NULL, t->arena);
	t->has_vmlinux = true;
	return 0;
}

static void need_modules(struct kernel_types *t)
{
	DIR *dir = t->has_modules ? NULL : opendir(BTF_DIR);
	struct dirent *e;

	t->has_modules = true;
	while (dir && (e = readdir(dir))) {
		struct module_types *m;

		if (e->d_name[0] == '.' || strcmp(e->d_name, vmlinux_name) == 0)
			continue;
		m = arena_new_of(t->arena, struct module_types);
		m->name = arena_strndup(t->arena, e->d_name, strlen(e->d_name));
		arena_push(t->arena, t->modules, t->n_modules, m);
	}
	if (dir)
		closedir(dir);
}

static int open_module(struct kernel_types *t, struct module_types *m)
{
	int err;

	if (m->is_open)
		return 0;
	err = btf_raw_open_split(&m->raw, arena_printf(t->arena, BTF_DIR "/%s", m->name));
	if (err)
		return err;
	err = btf_types_init(&m->types, &m->raw, &t->vmlinux);
	if (err)
		btf_raw_close(&m->raw);
	else
		btf_layouts_init(&m->layouts, &m->types, &t->layouts, t->arena);
	m->is_open = !err;
	return err;
}

/* Open the next module from *i on whose name is the first `n` bytes of `name` (n 0: any); *i moves
 * past it. NULL: there are no more. */
static struct module_types *next_module(struct kernel_types *t, uint32_t *i, const char *name,
					size_t n)
{
	need_modules(t);
	while (*i < t->n_modules) {
		struct module_types *m = t->modules[(*i)++];

		if ((!n || (strncmp(m->name, name, n) == 0 && !m->name[n])) && !open_module(t, m))
			return m;
	}
	return NULL;
}

/* ---- one ----------------------------------------------------------------------------------- */

static int answer(struct kernel_types *t, struct btf_types *types, enum typed_kind kind,
		  const char *module, const char *name, const struct typed_function **out)
{
	uint32_t id = btf_types_find(types, kind, name);
	const struct typed_function *f =
		id ? btf_types_describe(types, kind, id, module, t->arena) : NULL;

	if (!f)
		return -ENOENT;
	*out = f;
	return 0;
}

static int find_in_modules(struct kernel_types *t, enum typed_kind kind, const char *name,
			   const struct typed_function **out)
{
	struct module_types *m;
	uint32_t n = 0;

	for (uint32_t i = 0; (m = next_module(t, &i, NULL, 0));)
		n += !answer(t, &m->types, kind, m->name, name, out);
	return n == 1 ? 0 : n ? -ENOTUNIQ : -ENOENT;
}

static int live_typed(struct kernel *k, enum typed_kind kind, const char *module, const char *name,
		      const struct typed_function **out)
{
	struct kernel_types *t;
	int err = need_types(k, &t);
	struct module_types *m;
	uint32_t i = 0;

	if (err)
		return err;
	if (!module || strcmp(module, vmlinux_name) == 0) {
		err = answer(t, &t->vmlinux, kind, vmlinux_name, name, out);
		return err && !module ? find_in_modules(t, kind, name, out) : err;
	}
	m = next_module(t, &i, module, strlen(module));
	return m ? answer(t, &m->types, kind, m->name, name, out) : -ESRCH;
}

const struct btf_types *kernel_btf_types(struct kernel *k)
{
	struct kernel_types *t;

	return kernel_btf(k) && !need_types(k, &t) ? &t->vmlinux : NULL;
}

const struct btf_types *kernel_btf_function(struct kernel *k, const char *name, uint32_t *id)
{
	const char *colon = strrchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0; /* of the module's name */
	bool is_own = n == strlen(vmlinux_name) && memcmp(name, vmlinux_name, n) == 0;
	struct module_types *m;
	struct kernel_types *t;

	*id = 0;
	if (!kernel_btf(k) || need_types(k, &t))
		return NULL;
	if (!n || is_own)
		*id = btf_types_find(&t->vmlinux, TYPED_FUNCTION, name + n + (n > 0));
	if (*id || is_own)
		return &t->vmlinux;
	for (uint32_t i = 0; (m = next_module(t, &i, name, n));) {
		*id = btf_types_find(&m->types, TYPED_FUNCTION, name + n + (n > 0));
		if (*id)
			return &m->types;
	}
	return NULL;
}

/* ---- all ----------------------------------------------------------------------------------- */

struct naming {
	kernel_name_fn fn;
	void *ctx;
	const char *module; /* appended to each name, or NULL */
};

static void name_one(const char *name, uint32_t id, void *ctx)
{
	const struct naming *n = ctx;
	char text[512];

	if (n->module)
		snprintf(text, sizeof(text), "%s [%s]", name, n->module);
	n->fn(n->module ? text : name, n->ctx);
}

static int live_each_typed(struct kernel *k, enum typed_kind kind, const char *module,
			   kernel_name_fn fn, void *ctx)
{
	struct naming n = {.fn = fn, .ctx = ctx};
	struct kernel_types *t;
	struct module_types *m;
	int err = need_types(k, &t);

	if (err)
		return err;
	if (!module || strcmp(module, vmlinux_name) == 0)
		btf_types_each(&t->vmlinux, kind, name_one, &n);
	if (module && strcmp(module, vmlinux_name) == 0)
		return 0;
	for (uint32_t i = 0; (m = next_module(t, &i, module, module ? strlen(module) : 0));) {
		n.module = m->name;
		btf_types_each(&m->types, kind, name_one, &n);
	}
	return module && !n.module ? -ESRCH : 0;
}

int kernel_module_btf(const char *module)
{
	uint32_t id = 0;

	while (bpf_btf_get_next_id(id, &id) == 0) {
		char name[64] = "";
		struct bpf_btf_info info = {.name = (uintptr_t)name, .name_len = sizeof(name)};
		uint32_t len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf &&
		    strcmp(name, module) == 0)
			return fd;
		close(fd);
	}
	return -ESRCH;
}

/* ---- loaded programs ----------------------------------------------------------------------- */

static void each_function_of(struct arena *a, const struct bpf_prog_info *info,
			     const struct bpf_func_info *functions, typed_function_fn fn, void *ctx)
{
	struct btf *btf = btf__load_from_kernel_by_id(info->btf_id);
	struct btf_raw raw;
	struct btf_types types = {0};
	uint32_t len = 0;
	const void *data = btf ? btf__raw_data(btf, &len) : NULL;
	bool is_good =
		data && !btf_raw_init(&raw, data, len) && !btf_types_init(&types, &raw, NULL);

	for (uint32_t i = 0; is_good && i < info->nr_func_info; i++) {
		struct typed_function *f =
			btf_types_describe(&types, TYPED_FUNCTION, functions[i].type_id, "bpf", a);

		if (!f)
			continue;
		f->prog_id = info->id;
		fn(f, ctx);
	}
	btf_types_free(&types);
	btf__free(btf);
}

static void each_of_program(struct arena *a, int fd, typed_function_fn fn, void *ctx)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info), n;
	struct bpf_func_info *functions;

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.btf_id || !info.nr_func_info)
		return;
	n = info.nr_func_info;
	functions = calloc(n, sizeof(*functions));
	if (!functions)
		return;
	info = (struct bpf_prog_info){.nr_func_info = n,
				      .func_info_rec_size = sizeof(*functions),
				      .func_info = (uintptr_t)functions};
	len = sizeof(info);
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.nr_func_info <= n)
		each_function_of(a, &info, functions, fn, ctx);
	free(functions);
}

static int live_each_bpf_function(struct kernel *k, typed_function_fn fn, void *ctx)
{
	int err = kernel_open_btf(k);
	uint32_t id = 0;

	if (err)
		return err;
	while (bpf_prog_get_next_id(id, &id) == 0) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		each_of_program(kernel_types_of(k)->arena, fd, fn, ctx);
		close(fd);
	}
	return errno == ENOENT ? 0 : -errno;
}

/* ---- types of C ---------------------------------------------------------------------------- */

struct c_question {
	enum c_kind kind;
	const char *name;
	bool is_constant;
	int64_t value; /* of the constant */
};

static const struct type *ask(struct btf_layouts *s, struct c_question *q)
{
	return q->is_constant ? btf_layouts_constant(s, q->name, &q->value)
			      : btf_layouts_find(s, q->kind, q->name);
}

/* In the kernel itself, or else in the first module that has it. */
static int find_c_type(struct kernel *k, struct c_question *q, const struct type **out)
{
	struct kernel_types *t;
	struct module_types *m;
	int err = need_types(k, &t);

	if (err)
		return err;
	*out = ask(&t->layouts, q);
	for (uint32_t i = 0; !*out && (m = next_module(t, &i, NULL, 0));)
		*out = ask(&m->layouts, q);
	return *out ? 0 : -ENOENT;
}

static int live_c_type(struct kernel *k, enum c_kind kind, const char *name,
		       const struct type **out)
{
	struct c_question q = {.kind = kind, .name = name};

	return find_c_type(k, &q, out);
}

static int live_c_constant(struct kernel *k, const char *name, const struct type **out,
			   int64_t *value)
{
	struct c_question q = {.name = name, .is_constant = true};
	int err = find_c_type(k, &q, out);

	*value = q.value;
	return err;
}

static int live_each_c_type(struct kernel *k, enum c_kind kind, kernel_name_fn fn, void *ctx)
{
	struct kernel_types *t;
	int err = need_types(k, &t);

	if (!err)
		btf_layouts_each(&t->layouts, kind, fn, ctx);
	return err;
}

/* ---- iterators ----------------------------------------------------------------------------- */

static int live_iterator(struct kernel *k, const char *name, const struct kernel_iter **out)
{
	struct kernel_types *t;
	int err = need_types(k, &t);

	return err ? err : btf_iter_read(t->arena, &t->vmlinux, name, out);
}

static int live_each_iterator(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	int err = kernel_open_btf(k);

	return err ? err : btf_iter_each(kernel_btf(k), fn, ctx);
}

struct kernel_types *kernel_types_init(struct kernel *k, struct arena *a)
{
	struct kernel_types *t = arena_new_of(a, struct kernel_types);

	t->arena = a;
	k->typed = live_typed;
	k->each_typed = live_each_typed;
	k->each_bpf_function = live_each_bpf_function;
	k->c_type = live_c_type;
	k->c_constant = live_c_constant;
	k->each_c_type = live_each_c_type;
	k->iterator = live_iterator;
	k->each_iterator = live_each_iterator;
	return t;
}
