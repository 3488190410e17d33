/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -lv of functions: the BTF section that describes a function, the kernel's or
 * /sys/kernel/btf/MODULE, which is opened when its first function is looked up.
 */
#include "runtime/btf/btf_raw.h"
#include "runtime/btf/btf_text.h"
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
	struct btf_text *text; /* NULL: not opened, or unreadable */
	bool is_queried;
};

/* List the modules that have BTF, without opening it. */
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

	if (m->is_queried)
		return m->text;
	m->is_queried = true;
	snprintf(path, sizeof(path), BTF_DIR "/%s", m->name);
	if (btf_raw_open_split(&m->raw, path))
		return NULL;
	m->text = btf_text_new_split(&m->raw, l->btf);
	return m->text;
}

struct list_function list_function(struct listing *l, const char *name)
{
	const char *colon = strrchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0; /* of the module's name */
	struct list_function f = {.types = list_btf(l)};
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
