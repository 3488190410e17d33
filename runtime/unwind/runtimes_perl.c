/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perl in files: see runtimes.h. It is known by the function Perl_runops_standard(), which each
 * program or library with Perl exports, stripped or not. The version is in PL_version. Functions
 * that the file exports must read at the offsets that the walk uses. Builds without threads have no
 * PL_thr_key.
 */
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/runtimes.h"

static bool agrees(const struct elf_file *f, struct elfsym *e, const struct unwind_layout *l)
{
	/* the stack of contexts, the contexts, the stack before, the last one; the statement, its
	 * line; of a sub its glob, of a glob its package, of that its name and how many it has */
	const struct {
		const char *function;
		uint64_t offsets[4];
		uint32_t n;
	} rows[] = {
		{"Perl_caller_cx", {224, 8, 16, 32}, 4}, {"Perl_mess_sv", {208, 36}, 2},
		{"Perl_cv_name", {56, 32}, 2},		 {"Perl_gv_fullname4", {40, 32, 60}, 3},
		{"Perl_call_sv", {l->thread_frame}, 1},
	};
	bool agrees = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		agrees &= unwind_runtime_reads_at(f, e, rows[i].function, rows[i].offsets,
						  rows[i].n) == (1u << rows[i].n) - 1;
	return agrees;
}

static void find_version(const struct elf_file *f, struct elfsym *e, struct unwind_run_code *out)
{
	const struct unwind_layout *l;
	uint64_t at, size;
	uint8_t version = 0;

	if (!elfsym_object(e, "PL_version", &at, &size))
		elfsym_read_address(f, at, &version, sizeof(version));
	out->runtime = version ? unwind_runtime_row(UNWIND_PERL, version, &l) : UNWIND_NO_RUNTIME;
	if (out->runtime && !elfsym_object(e, "PL_thr_key", &at, &size) && agrees(f, e, l))
		out->variable = at;
	else
		out->runtime = UNWIND_PERL_OTHER;
}

int unwind_runtime_find_perl(const struct elf_file *f, struct unwind_run_code *out)
{
	return unwind_runtime_find_export(f, "Perl_runops_standard", "perl_run", find_version, out);
}
