/* SPDX-License-Identifier: Apache-2.0 */
/* A script up to its ELF file, which is not loaded. -1 is a defect in sonde: the module did not
 * verify. LLVM keeps memory that it once allocated, so leaks are not detected (run-fuzz). */
#include "codegen/codegen.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct codegen_output out = {0};
	struct fuzz_script f;

	fuzz_walk(&f, data, size);
	if (f.plan && codegen_run(f.program, f.plan, CODEGEN_ELF, &f.diags, &out) < 0) {
		fprintf(stderr, "%.*s\n", (int)out.len, out.bytes ? out.bytes : "");
		abort();
	}
	if (out.kept)
		codegen_free(&out);
	arena_free(f.arena);
	return 0;
}
