/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules: names that their BTF has, and which section has a function that -lv names: the kernel's
 * own, or /sys/kernel/btf/MODULE, opened when the first of its functions is asked for.
 */
#include "runtime/kernel/btf_raw.h"
#include "runtime/kernel/btf_text.h"
#include "runtime/list/list_impl.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BTF_DIR "/sys/kernel/btf"

struct list_module {
	struct list_module *next;
	char name[256];
	struct btf_raw raw;
	struct btf_text *text; /* NULL: not opened, or cannot be read */
	bool is_asked;
};

/* All that have BTF, by name alone. */
static void need_modules(struct listing *l)
{
	DIR *dir = l->has_modules ? NULL : opendir(BTF_DIR);
	struct list_module *m;
	struct dirent *e;

	l->has_modules = true;
	while (dir && (e = readdir(dir))) {
		m = e->d_name[0] == '.' || strcmp(e->d_name, "vmlinux") == 0
			    ? NULL
			    : calloc(1, sizeof(*m));
		if (!m)
			continue;
		snprintf(m->name, sizeof(m->name), "%s", e->d_name);
		m->next = l->modules;
		l->modules = m;
	}
	if (dir)
		closedir(dir);
}

static struct btf_text *types_of_module(struct listing *l, struct list_module *m)
{
	char path[sizeof(BTF_DIR) + sizeof(m->name)];

	if (m->is_asked)
		return m->text;
	m->is_asked = true;
	snprintf(path, sizeof(path), BTF_DIR "/%s", m->name);
	if (btf_raw_open_split(&m->raw, path))
		return NULL;
	m->text = btf_text_new_split(&m->raw, l->types);
	return m->text;
}

struct list_function list_function(struct listing *l, const char *name)
{
	const char *colon = strrchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0; /* of the module's name */
	struct list_function f = {.types = list_types(l)};
	bool is_own = n == 7 && memcmp(name, "vmlinux", n) == 0;

	name = colon ? colon + 1 : name;
	if (f.types && (!n || is_own))
		f.id = btf_text_function(f.types, name);
	if (!f.types || f.id || is_own)
		return f;
	need_modules(l);
	for (struct list_module *m = l->modules; m && !f.id; m = m->next) {
		if (n && (strncmp(m->name, name - n - 1, n) != 0 || m->name[n]))
			continue;
		f.types = types_of_module(l, m);
		f.id = f.types ? btf_text_function(f.types, name) : 0;
	}
	return f;
}

/* ---- names --------------------------------------------------------------------------------- */

struct module_names {
	struct listing *l;
	const char *module, *prefix;
};

static void offer_of_module(const char *name, void *ctx)
{
	const struct module_names *of = ctx;
	size_t n = strlen(of->prefix);
	char line[512];

	if (strncmp(name, of->prefix, n) != 0)
		return;
	snprintf(line, sizeof(line), "%s:%s", of->module, name + n);
	list_offer(of->l, line);
}

void list_modules_names(struct listing *l, uint32_t kind, const char *prefix)
{
	need_modules(l);
	for (struct list_module *m = l->modules; m; m = m->next) {
		struct module_names of = {l, m->name, prefix};
		struct btf_text *types = types_of_module(l, m);

		if (types)
			btf_text_each(types, kind, offer_of_module, &of);
	}
}

void list_modules_free(struct listing *l)
{
	while (l->modules) {
		struct list_module *m = l->modules;

		l->modules = m->next;
		btf_text_free(m->text);
		btf_raw_close(&m->raw);
		free(m);
	}
}
