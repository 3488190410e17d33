/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs gcc, clang or cc with -E: see kernel_impl.h.
 */
#include "runtime/kernel/kernel_impl.h"
#include "parser/base/arena.h"
#include "parser/lang/kernel.h"
#include "runtime/kernel/c_compiler.h"

enum { ARGS_MAX = 200 };

static const char *const compilers[] = {"gcc", "clang", "cc"};

struct words {
	const char *items[ARGS_MAX];
	uint32_t n;
};

static void add(struct words *w, const char *word)
{
	if (w->n + 1 < ARGS_MAX)
		w->items[w->n++] = word;
}

static void add_all(struct words *w, const struct kernel *k, const char *dir, const char *compiler)
{
	static const char *const fixed[] = {"-E",	  "-P",	     "-dD",    "-w",
					    "-std=gnu17", "-Ulinux", "-Uunix", "-D_GNU_SOURCE"};

	add(w, compiler);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		add(w, fixed[i]);
	add(w, "-iquote");
	add(w, dir);
	for (uint32_t i = 0; i < k->n_include_dirs; i++) {
		add(w, "-I");
		add(w, k->include_dirs[i]);
	}
	add(w, "-xc");
	add(w, "-");
	w->items[w->n] = NULL;
}

const char *c_preprocessor_run(struct kernel *k, struct arena *a, const char *text, const char *dir,
			       const char **why)
{
	const char *compiler =
		c_compiler_find(a, compilers, sizeof(compilers) / sizeof(compilers[0]));
	struct words words = {0};
	size_t len;

	if (!compiler) {
		*why = "reading it needs a C compiler: install gcc or clang";
		return NULL;
	}
	add_all(&words, k, dir, compiler);
	return c_compiler_run(a, words.items, text, false, &len, why);
}
