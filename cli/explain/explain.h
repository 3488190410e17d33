/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde explain`: a report of a script's way through the stages. Each stage is a row of
 * stages.def, whose hook adds lines to a text; the writers (write_text.c, write_page.c) know only
 * these texts.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct arena;
struct code_object;
struct kernel;
struct options;
struct plan;
struct program;
struct source;

enum explain_stage {
#define STAGE(id, ...) EXPLAIN_##id,
#include "cli/explain/stages.def"
#undef STAGE
	EXPLAIN_STAGE_COUNT,
};

struct explain_line {
	const char *text;
	uint32_t line; /* of the script, from which it comes; 0: none */
};

struct explain_text {
	VEC(struct explain_line) lines;
	bool is_empty; /* not asked for */
};

struct explain {
	struct arena *arena;
	const struct options *options;
	const struct program *program;
	const struct plan *plan;
	struct kernel *kernel;
	struct explain_text texts[EXPLAIN_STAGE_COUNT];
	const void *elf; /* of compiled(); NULL: not compiled yet */
	size_t elf_len;
	const struct code_object *code; /* likewise */
	struct explain_load *load;	/* stage_load.c */
	bool has_failed;
};

/* A row of stages.def. */
struct explain_row {
	const char *word, *what;
	bool is_beside;
	int (*hook)(struct explain *x, struct explain_text *t);
};
extern const struct explain_row explain_rows[];

/* The hooks; 0, or the exit status after a message. */
#define STAGE(id, word, hook, ...) int ex_##hook(struct explain *x, struct explain_text *t);
#include "cli/explain/stages.def"
#undef STAGE

/* Add a line. */
void explain_add(struct explain *x, struct explain_text *t, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Add the lines of a text, which need not end with a NUL. */
void explain_add_text(struct explain *x, struct explain_text *t, const char *text, size_t len);
/* stage_code.c: compile the script, once. 0, or the exit status after a message. */
int explain_compile(struct explain *x);
/* stage_load.c: release the loaded programs. */
void explain_unload(struct explain *x);

/* --stage STAGE[,STAGE…]. 0, or -1 after a message. */
int explain_take_stages(struct options *o, const char *words);
/* Explain a script that was planned, to -o FILE or standard output. The exit status. */
int explain_run(struct arena *a, const struct options *o, const struct program *program,
		const struct plan *plan, struct kernel *k);
/* --explain: the same on standard error, before a run. */
int explain_before_run(struct arena *a, const struct options *o, const struct program *program,
		       const struct plan *plan, struct kernel *k);
/* --emit asm: the instructions of an object beside the lines of the script. 0 or -errno. */
int explain_listing(const struct source *s, const void *elf, size_t len, FILE *f);

/* write_text.c, write_page.c */
void explain_write_text(const struct explain *x, FILE *f);
void explain_write_lines(const struct source *s, const struct explain_text *t, bool is_beside,
			 FILE *f);
void explain_write_page(const struct explain *x, FILE *f);
