/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled scripts: the lines of what they depend on (compiled_facts.c), the object, the plan
 * (parser/plan/plan_file.c). The file begins with a `#!` line, so that it can be executed.
 */
#include "cli/compile/compiled.h"
#include "cli/compile/compile.h"
#include "cli/compile/compiled_facts.h"
#include "cli/options/options.h"
#include "cli/base/replace_file.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "parser/lang/kernel.h"
#include "parser/plan/plan.h"
#include "parser/plan/plan_file.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_LINE "#!/usr/bin/env sonde\n"
#define SECOND_LINE "# compiled script 1, object %zu, plan %zu, checksum %016" PRIx64 "\n"
#define SECOND_LINE_SCAN "# compiled script 1, object %zu, plan %zu, checksum %" SCNx64
#define SECOND_LINE_BEGINS FIRST_LINE "# compiled script "
#define LAST_LINE "# end"

enum { HEAD_BYTES = 128, ALIGN = 16 };

/* FNV-1a. It finds damage, not forgery. */
static uint64_t checksum(const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ at[i]) * 0x100000001b3;
	return sum;
}

bool compiled_is(const struct source *s)
{
	size_t n = strlen(SECOND_LINE_BEGINS);

	return s->len >= n && memcmp(s->text, SECOND_LINE_BEGINS, n) == 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Behind the second line: facts, the last line padded so that the object is aligned. */
static int write_body(FILE *f, const struct options *o, const struct plan *plan, struct kernel *k,
		      const struct compile *c, const void *bytes, size_t len)
{
	long at;

	if (compiled_facts_write(o, plan, k, f))
		return 1;
	fputs(LAST_LINE, f);
	for (at = ftell(f) + 1; at % ALIGN; at++)
		fputc(' ', f);
	fputc('\n', f);
	fwrite(c->bytes, 1, c->len, f);
	fwrite(bytes, 1, len, f);
	return 0;
}

static int write_file(const struct options *o, const struct plan *plan, struct kernel *k,
		      const struct compile *c, const void *bytes, size_t len)
{
	char head[HEAD_BYTES], *file = NULL;
	size_t file_len = 0, head_len;
	FILE *f = open_memstream(&file, &file_len);
	mode_t mask = umask(0);
	int err, status;

	umask(mask);
	if (!f)
		arena_out_of_memory();
	head_len = (size_t)snprintf(head, sizeof(head), FIRST_LINE SECOND_LINE, c->len, len,
				    (uint64_t)0);
	fwrite(head, 1, head_len, f);
	status = write_body(f, o, plan, k, c, bytes, len);
	if (fclose(f))
		arena_out_of_memory();
	snprintf(head, sizeof(head), FIRST_LINE SECOND_LINE, c->len, len,
		 checksum(file + head_len, file_len - head_len));
	memcpy(file, head, head_len);
	err = status ? 0 : replace_file(o->output, file, file_len, 0777 & ~mask);
	free(file);
	if (err)
		log_error("cannot write '%s': %s%s", o->output, strerror(-err), limit_hint(err));
	return err ? 2 : status;
}

/* The values are in the compiled programs. */
static void note_parameters(const struct options *o)
{
	char text[512] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < o->n_params && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", o->params[i]);
	if (o->n_params)
		log_info("the parameters are fixed:%s", text);
}

int compiled_write(struct arena *a, const struct options *o, const struct program *program,
		   struct plan *plan, struct kernel *k)
{
	struct compile c;
	void *bytes;
	size_t len;
	int status = 2;

	if (k->unchecked) {
		log_error("cannot read the kernel's tracepoints: %s", strerror(-k->unchecked));
		return 2;
	}
	if (!compile_start(&c, program, plan, CODEGEN_ELF))
		status = compile_wait(&c);
	if (!status) {
		bytes = plan_file_write(a, plan, &len);
		status = write_file(o, plan, k, &c, bytes, len);
		free(bytes);
	}
	compile_end(&c);
	if (!status)
		note_parameters(o);
	return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

static struct plan *damaged(const struct options *o, const char *why)
{
	log_error("'%s' is damaged: %s", o->file, why);
	return NULL;
}

/* The settings of the environment are in the plan, as those of the script. */
static void warn_of_environment(const struct options *o)
{
	char name[CONFIG_VARIABLE_BYTES];

	for (uint32_t i = 0; i < n_config_rows && !o->no_warnings; i++)
		for (uint32_t j = 0; config_variable(&config_rows[i], j, name); j++)
			if (config_rows[i].kind <= CONFIG_TEXT && getenv(name))
				log_warning("%s has no effect on a compiled script", name);
}

/* The facts, up to the last line. The offset behind it, 0 after a message. */
static size_t read_facts(struct arena *a, const struct options *o, const struct source *s,
			 struct kernel *k, size_t at)
{
	for (;;) {
		const char *line = s->text + at, *end = memchr(line, '\n', s->len - at);
		size_t len = end ? (size_t)(end - line) : 0;
		char *copy;

		if (len < 2 || len > 2 * PATH_MAX || memcmp(line, "# ", 2) != 0) {
			damaged(o, "a line of what it depends on is missing");
			return 0;
		}
		at += len + 1;
		copy = arena_strndup(a, line + 2, len - 2);
		if (strncmp(copy, LAST_LINE + 2, 3) == 0 && !copy[3 + strspn(copy + 3, " ")])
			return at;
		if (!compiled_fact_holds(o, k, copy))
			return 0;
	}
}

/* A perf event's tracepoint has a number that the kernel gives when it or a module is loaded. */
static bool number_tracepoints(struct plan *p, struct kernel *k)
{
	const uint32_t others =
		PK_KERNEL_FUNCTION | PK_USER_FUNCTION | PK_PERIOD | PK_EVENT | PK_ITER | PK_TEST;

	for (uint32_t i = 0; i < p->n_progs; i++) {
		struct plan_prog *g = &p->progs[i];
		const struct tp_format *format;

		if (prog_kind_is(g->kind, others) || !g->category || !g->event)
			continue;
		if (k->tracepoint(k, g->category, g->event, &format)) {
			log_error("this kernel has no tracepoint %s:%s", g->category, g->event);
			return false;
		}
		g->tracepoint_id = format->id;
	}
	return true;
}

static struct plan *read_plan(struct arena *a, const struct options *o, const struct source *s,
			      struct kernel *k, size_t head, struct compiled *out, size_t plan_len)
{
	size_t at = read_facts(a, o, s, k, head);
	struct plan *p;

	if (!at)
		return NULL;
	if (out->len > s->len - at || plan_len != s->len - at - out->len)
		return damaged(o, "it is cut");
	out->elf = s->text + at;
	p = plan_file_read(a, s->text + at + out->len, plan_len);
	if (!p)
		return damaged(o, "its plan makes no sense");
	if (!number_tracepoints(p, k))
		return NULL;
	p->is_compiled = true;
	p->allows_unsafe = o->unsafe;
	return p;
}

struct plan *compiled_read(struct arena *a, const struct options *o, const struct source *s,
			   struct kernel *k, struct compiled *out)
{
	char head[HEAD_BYTES], expected[HEAD_BYTES];
	size_t len = strlen(FIRST_LINE), plan_len = 0;
	uint64_t sum = 0;
	const char *end;

	end = memchr(s->text + len, '\n', s->len - len);
	len = end ? (size_t)(end + 1 - s->text) : 0;
	if (!len || len >= sizeof(head))
		return damaged(o, "its second line is too long");
	memcpy(head, s->text, len);
	head[len] = '\0';
	if (sscanf(head, FIRST_LINE SECOND_LINE_SCAN, &out->len, &plan_len, &sum) != 3)
		return damaged(o, "its second line does not say what is in it");
	snprintf(expected, sizeof(expected), FIRST_LINE SECOND_LINE, out->len, plan_len, sum);
	if (strcmp(head, expected) != 0)
		return damaged(o, "its second line does not say what is in it");
	if (checksum(s->text + len, s->len - len) != sum)
		return damaged(o, "its checksum is wrong");
	warn_of_environment(o);
	return read_plan(a, o, s, k, len, out, plan_len);
}
