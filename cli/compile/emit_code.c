/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See emit_code.h.
 */
#include "cli/compile/emit_code.h"
#include "cli/compile/compile.h"
#include "cli/compile/code_lines.h"
#include "parser/lang/ast.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/load/link.h"
#include <stdlib.h>

/* An object that any loader can load: with the functions that the script's programs call. */
static int write_linked(const struct compile *c, const struct plan *plan, FILE *f)
{
	void *linked;
	size_t len;
	int err = session_link(plan, plan->needs.unwind, plan->needs.reason, c->bytes, c->len,
			       &linked, &len);

	if (err) {
		log_error("cannot link the object: %s%s", strerror(-err), limit_hint(err));
		return 2;
	}
	fwrite(linked ? linked : c->bytes, 1, linked ? len : c->len, f);
	free(linked);
	return 0;
}

static int write_listing(const struct program *program, const struct compile *c, FILE *f)
{
	int err = code_lines_write(program->source, c->bytes, c->len, f);

	if (err)
		log_error("cannot read the object: %s", strerror(-err));
	return err ? 2 : 0;
}

int emit_code(enum emit_stage stage, const struct program *program, const struct plan *plan,
	      FILE *f)
{
	static const enum codegen_stage stages[] = {
		[EMIT_IR] = CODEGEN_IR,
		[EMIT_IR_OPT] = CODEGEN_IR_OPT,
		[EMIT_ASM] = CODEGEN_ELF,
		[EMIT_ELF] = CODEGEN_ELF,
	};
	struct compile c;
	int status = 2;

	if (!compile_start(&c, program, plan, stages[stage]))
		status = compile_wait(&c);
	if (!status && stage == EMIT_ELF)
		status = write_linked(&c, plan, f);
	else if (!status && stage == EMIT_ASM)
		status = write_listing(program, &c, f);
	else if (!status)
		fwrite(c.bytes, 1, c.len, f);
	compile_end(&c);
	return status;
}
