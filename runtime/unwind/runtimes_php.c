/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PHP in files: see runtimes.h. It is known by the function execute_ex(), which each program or
 * library with PHP exports, stripped or not. The version of its module API is in the build ID that
 * it compares with those of modules, such as "API20220829,NTS". In the row of that version, the
 * size of executor_globals must be that of the symbol, and the functions that tell the line and the
 * file being executed must read at its offsets. Builds with threads have no executor_globals.
 */
#include "runtime/elf/elfsym_impl.h"
#include "runtime/insn/insn.h"
#include "runtime/unwind/runtimes.h"
#include <unistd.h>

enum {
	CODE_MOST = 512,       /* bytes of a function that is decoded */
	TEXTS_MOST = 16 << 20, /* bytes of .rodata that are searched */
	HASH_FIRST = 5381,     /* of .gnu.hash */
};

/* ---- is it PHP? ----------------------------------------------------------------------------- */

/* Reading the symbols of each library would take long. */
bool unwind_runtime_may_export(const struct elf_file *f, const char *name)
{
	const struct section *s = elfsym_section(f, ".gnu.hash");
	struct {
		uint32_t n_buckets, first, n_words, shift;
	} head;
	uint32_t hash = HASH_FIRST;
	uint64_t word = 0;

	if (!s || elfsym_read_at(f->fd, &head, sizeof(head), s->offset) != sizeof(head) ||
	    !head.n_words)
		return false;
	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	elfsym_read_at(f->fd, &word, sizeof(word),
		       s->offset + sizeof(head) + hash / 64 % head.n_words * sizeof(word));
	return word >> hash % 64 & word >> (hash >> (head.shift & 31)) % 64 & 1;
}

/* The version of the module API; 0: none, or threads share the process. */
static uint32_t find_api(const struct elf_file *f)
{
	static const char start[] = "API20", end[] = ",NTS";
	const struct section *s = elfsym_section(f, ".rodata");
	size_t n = s && s->size < TEXTS_MOST ? s->size : 0;
	char *texts = n ? malloc(n + 1) : NULL, *at = texts, *after;
	unsigned long version = 0;

	if (!texts || elfsym_read_at(f->fd, texts, n, s->offset) != n)
		at = NULL;
	else
		texts[n] = 0;
	while (at && !version) {
		at = memmem(at, n - (size_t)(at - texts), start, strlen(start));
		if (!at)
			break;
		version = strtoul(at + strlen("API"), &after, 10);
		at += strlen(start);
		if (strcmp(after, end))
			version = 0;
	}
	free(texts);
	return (uint32_t)version;
}

/* ---- does it agree with its row? ------------------------------------------------------------ */

uint32_t unwind_runtime_reads_at(const struct elf_file *f, struct elfsym *e, const char *name,
				 const uint64_t *offsets, uint32_t n)
{
	uint64_t address, offset, size;
	uint8_t code[CODE_MOST];
	struct insn_effect effect;
	uint32_t found = 0;

	if (elfsym_by_name(e, name, &address, &offset, &size))
		return 0;
	size = elfsym_read_address(f, address, code, size < CODE_MOST ? size : CODE_MOST);
	for (size_t at = 0; at < size; at += effect.length) {
		if (insn_effect(f->machine, code + at, size - at, &effect))
			break;
		if (effect.value != VALUE_LOAD || effect.memory.is_relative)
			continue;
		for (uint32_t i = 0; i < n; i++)
			found |= (uint32_t)((uint64_t)effect.memory.disp == offsets[i]) << i;
	}
	return found;
}

static bool agrees(const struct elf_file *f, struct elfsym *e, const struct unwind_layout *l)
{
	/* what the walk reads: of a frame its function and its caller, of an instruction its
	 * line */
	const uint64_t line[] = {l->globals_frame, 24, 48, l->globals_opline, 24},
		       file[] = {l->globals_frame, 24, 48, l->function_file},
		       scope[] = {l->globals_frame, 24, 48, 16};

	return unwind_runtime_reads_at(f, e, "zend_get_executed_lineno", line, 5) == 31 &&
	       unwind_runtime_reads_at(f, e, "zend_get_executed_filename_ex", file, 4) == 15 &&
	       unwind_runtime_reads_at(f, e, "zend_get_executed_scope", scope, 4) == 15;
}

static void find_version(const struct elf_file *f, struct elfsym *e, struct unwind_run_code *out)
{
	const struct unwind_layout *l;
	uint64_t at, size;

	out->runtime = unwind_runtime_row(UNWIND_PHP, find_api(f), &l);
	if (out->runtime && !elfsym_object(e, "executor_globals", &at, &size) &&
	    size == l->globals_bytes && agrees(f, e, l))
		out->variable = at;
	else
		out->runtime = UNWIND_PHP_OTHER;
}

int unwind_runtime_find_export(const struct elf_file *f, const char *name, const char *other,
			       unwind_runtime_version *find, struct unwind_run_code *out)
{
	uint64_t at, offset, size = 0;
	struct elfsym *e;
	int err;

	if (!unwind_runtime_may_export(f, name) || !unwind_runtime_may_export(f, other))
		return 0;
	err = unwind_runtime_symbols(f, &e);
	if (!e)
		return err;
	if (!elfsym_by_name(e, name, &at, &offset, &size) && size &&
	    !elfsym_by_name(e, other, &offset, &offset, &offset)) {
		find(f, e, out);
		unwind_run_code_add(out, at, at + size);
	}
	elfsym_close(e);
	return 0;
}

int unwind_runtime_find_php(const struct elf_file *f, struct unwind_run_code *out)
{
	return unwind_runtime_find_export(f, "execute_ex", "zend_execute_scripts", find_version,
					  out);
}
