/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of the cache of unwind tables, with changes that the input describes, and with checksums
 * that are correct nevertheless. It is refused, or gives a table that a program in the kernel can
 * search.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/cache_bytes.h"
#include "tests/unit/unwind_lookup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t *made;
	static size_t n;
	struct unwind_rules rules = {0};
	struct unwind_table table = {0};
	uint8_t *bytes;

	if (!made)
		made = cache_bytes_make(&n);
	bytes = malloc(n);
	memcpy(bytes, made, n);
	cache_bytes_change(bytes, n, data, size);
	cache_bytes_correct(bytes, n);
	if (!cache_bytes_read(bytes, n, &rules, &table))
		unwind_table_check(&table, &rules);
	free(bytes);
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	return 0;
}
