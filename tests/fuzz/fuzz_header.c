/* SPDX-License-Identifier: Apache-2.0 */
/* What the C preprocessor makes of an included header, and the words of the header. */
#include "tests/fuzz/fuzz.h"
#include "parser/lang/c_type.h"
#include <string.h>

static const char *header;

static const char *preprocess(struct kernel *k, struct arena *a, const char *text, const char *dir,
			      const char **why)
{
	(void)k, (void)a, (void)text, (void)dir, (void)why;
	return header;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char script[] =
		"#include <errno.h>\n#if EDOM\n#endif\nstruct s { struct errno x; };\nBEGIN { print(errno); }";
	struct kernel *k = fuzz_kernel();
	struct arena *a = arena_new();
	struct fuzz_script f;

	header = arena_strndup(a, (const char *)data, size);
	k->preprocess_c = preprocess;
	fuzz_walk_with(k, &f, (const uint8_t *)script, strlen(script));
	if (f.program && f.program->c_types->more)
		f.program->c_types->more->type(f.program->c_types->more, C_STRUCT, "errno", false);
	arena_free(f.arena);
	arena_free(a);
	return 0;
}
