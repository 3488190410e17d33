/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a program switch stacks? Asked of the program, of the libraries that it needs and, with -p,
 * of what it has mapped; of a library, of what the processes that use it have mapped. Each answer
 * is kept: patterns ask for each function.
 */
#include "runtime/elf/elfsym.h"
#include "parser/base/text.h"
#include "runtime/elf/user_path.h"
#include "runtime/kernel/kernel_user.h"

struct look {
	struct user_files *files;
	struct user_switch found;
};

/* A file whose stacks are copied decides. */
static void look_at(const char *path, void *ctx)
{
	struct look *l = ctx;
	struct elfsym *e;
	const char *name;
	bool copies;
	int err;

	if (l->found.copies || !(e = elfsym_open(path, &err)))
		return;
	name = elfsym_switches(e, &copies);
	if (name && (!l->found.function || copies))
		l->found = (struct user_switch){name, string_set_intern(&l->files->names, path),
						copies};
	elfsym_close(e);
}

static void look_at_program(struct kernel *k, const char *program, struct look *l)
{
	char path[PATH_MAX];

	if (user_path_find(k->scope->pid, program, path))
		return;
	look_at(path, l);
	user_path_library(k->scope->pid, program, "", path, look_at, l);
}

bool kernel_user_switches(struct kernel *k, const char *path, struct user_switch *out)
{
	struct user_files *u = kernel_user_files(k);
	struct look l = {.files = u};
	const char *asked;
	const struct switch_answer *known =
		TEXT_ITEM(u->switches.items, u->switches.n, program, path);

	if (known) {
		*out = known->found;
		return out->function;
	}
	if (strstr(path, ".so"))
		usdt_each_beside(path, look_at, &l);
	else
		look_at_program(k, path, &l);
	asked = string_set_intern(&u->names, path);
	if (asked)
		(void)vec_push(&u->switches, (struct switch_answer){asked, l.found});
	*out = l.found;
	return out->function;
}
