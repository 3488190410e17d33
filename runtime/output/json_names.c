/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of an object: see json_names.h. Hashes are enough, because a name that is taken for another
 * one gets a suffix and nothing else.
 */
#include "runtime/output/json_names.h"

HASH_INTEGER_FUNCTIONS(json_names, uint64_t, uint64_t, hash_none, *e, *e)

int json_names_add(struct json_names *names, const char *bytes, size_t n)
{
	uint64_t hash = hash_bytes(bytes, n);

	hash += !hash; /* 0 is a free slot */
	if (json_names_find(names, hash))
		return 0;
	return json_names_insert(names, hash) ? -ENOMEM : 1;
}
