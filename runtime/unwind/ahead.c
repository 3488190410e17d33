/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See ahead.h.
 */
#include "runtime/unwind/ahead.h"
#include "runtime/unwind/files.h"
#include "runtime/unwind/program_files.h"
#include "runtime/unwind/store.h"

enum { STEP_WORDS = 24 * UNWIND_CHUNK_WORDS }; /* 6 MiB; a larger step would take 10 ms */

static void add_file(const char *path, void *ahead)
{
	struct unwind_ahead *a = ahead;
	struct unwind_binary *b = unwind_files_of_path(a->files, path);

	if (b && vec_push(&a->awaited, b))
		unwind_files_release(a->files, b);
}

void unwind_ahead_program(struct unwind_ahead *a, const char *path)
{
	unwind_program_files(path, add_file, a);
	unwind_files_add_vdso(a->files);
	(void)unwind_files_publish(a->files);
}

/* Compile and publish a file. It stays published for a while without a process. */
static void prepare_file(const char *path, void *ahead)
{
	const struct unwind_ahead *a = ahead;
	struct unwind_binary *b = unwind_files_of_path(a->files, path);

	if (!b)
		return;
	(void)unwind_files_publish(a->files);
	unwind_files_release(a->files, b);
}

void unwind_ahead_exec(struct unwind_ahead *a, uint32_t tgid)
{
	unwind_process_files(tgid, prepare_file, a);
}

void unwind_ahead_used(struct unwind_ahead *a, const char *path)
{
	unwind_survey_read(&a->survey, path);
	unwind_files_add_vdso(a->files);
	a->n_surveyed++;
}

/* Requests are answered between two files. Files are published as soon as that need not wait for
 * the kernel, and all of them at the end. */
uint32_t unwind_ahead_work(struct unwind_ahead *a)
{
	uint32_t n_done = a->n_surveyed;
	uint64_t n_words = unwind_survey_words(&a->survey);
	bool is_end;

	if (!a->n_surveyed)
		return 0;
	unwind_store_reserve(a->store, n_words < STEP_WORDS ? n_words : STEP_WORDS);
	is_end = unwind_store_used_bytes(a->store) / 4 > a->most_words ||
		 !unwind_survey_compile(&a->survey, a->files);
	if (is_end || unwind_store_is_settled(a->store))
		(void)unwind_files_publish(a->files);
	if (!is_end)
		return 0;
	unwind_survey_end(&a->survey, a->files);
	a->n_surveyed = 0;
	return n_done;
}

void unwind_ahead_free(struct unwind_ahead *a)
{
	unwind_survey_end(&a->survey, a->files);
	for (size_t i = 0; i < a->awaited.n; i++)
		unwind_files_release(a->files, a->awaited.items[i]);
	vec_free(&a->awaited);
}
