/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of -f jsonl from many hosts, as `sonde report -` reads them: what is accepted is added, kept
 * apart by host, and shown by the writers of text, lines and folded stacks.
 */
#include "runtime/output/out_format.h"
#include "runtime/recording/lines.h"
#include "tests/fuzz/fuzz.h"

static void show(struct merge *m, struct lines *l, enum out_format format)
{
	struct out *to = out_format_new(format, fuzz_sink(), merge_plan(m), NULL);

	if (!to)
		abort();
	if (merge_show_begin(m, NULL, to) || lines_pass(l, merge_pass(m, to)) || merge_show(m, to))
		to->finish = NULL;
	out_finish(to);
	to->close(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum out_format formats[] = {OUT_TEXT, OUT_JSONL, OUT_FOLDED};
	struct merge_form form = {.by = size & 1 ? "host" : NULL, .outliers = size & 2};
	struct merge *m = merge_new(&form);
	FILE *f = fdopen(fuzz_file(data, size), "r");
	struct lines *l = m && f ? lines_read(f, "fuzz", m) : NULL;

	if (!m || !f)
		abort();
	if (l && !out_format_lacks(formats[size / 4 % 3], merge_plan(m)))
		show(m, l, formats[size / 4 % 3]);
	if (l)
		lines_free(l);
	fclose(f);
	merge_free(m);
	return 0;
}
