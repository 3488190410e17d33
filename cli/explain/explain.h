/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde explain`: a report of a script's way through the stages. Each stage is a row of
 * explain_stages.def, whose hook adds lines; the writers (write_text.c, write_page.c) know only
 * these lines.
 */
#pragma once
#include "cli/base/script_lines.h"
#include "cli/options/explain_stage.h"

struct code_object;
struct kernel;
struct plan;
struct program;

struct explain {
	struct arena *arena;
	const struct options *options;
	const struct program *program;
	const struct plan *plan;
	struct kernel *kernel;
	uint32_t stages; /* a bit for each requested stage */
	struct script_parts parts;
	struct script_lines texts[EXPLAIN_STAGE_COUNT];
	const void *elf; /* the compiled object; NULL: not compiled yet */
	size_t elf_len;
	const struct code_object *code; /* likewise */
	struct explain_load *load;	/* stage_load.c */
	bool has_failed;
};

/* The hooks of stages. Each returns 0, or the exit status after a message. */
#define STAGE(id, word, hook, ...) int ex_##hook(struct explain *x, struct script_lines *t);
#include "cli/options/explain_stages.def"
#undef STAGE

/* parts.c: fill `parts`. */
void explain_find_parts(struct explain *x);
/* stage_code.c: compile the script, if that was not done before. Returns 0, or the exit status
 * after a message. */
int explain_compile(struct explain *x);
/* ir_lines.c: add the functions of a module that LLVM has printed. */
void ir_lines_add(struct script_lines *t, const char *ir, size_t len);
/* stage_load.c: release the loaded programs. */
void explain_unload(struct explain *x);

/* Explain a script that has a plan; the report goes to the file of -o or to standard output.
 * Returns the exit status. */
int explain_run(struct arena *a, const struct options *o, const struct program *program,
		const struct plan *plan, struct kernel *k);
/* --explain: the same on standard error, before a run. Returns the exit status. */
int explain_before_run(struct arena *a, const struct options *o, const struct program *program,
		       const struct plan *plan, struct kernel *k);
/* True if the stage was asked for. */
static inline bool explain_has(const struct explain *x, int stage)
{
	return x->stages >> stage & 1;
}

/* write_text.c, write_page.c */
void explain_write_text(const struct explain *x, FILE *f);
void explain_write_page(const struct explain *x, FILE *f);
