/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of an object: see json_names.h. Hashes are enough, because a name that is taken for another
 * one gets a suffix and nothing else.
 */
#include "runtime/output/json_names.h"

static uint64_t json_names_hash(uint64_t hash)
{
	return hash;
}

static bool json_names_equal(uint64_t a, uint64_t b)
{
	return a == b;
}

static uint64_t json_names_key(const struct json_names *names, const uint64_t *e)
{
	(void)names;
	return *e;
}

static bool json_names_is_free(const uint64_t *e)
{
	return !*e;
}

HASH_TABLE_FUNCTIONS(json_names, uint64_t, uint64_t)

int json_names_add(struct json_names *names, const char *bytes, size_t n)
{
	uint64_t hash = hash_bytes(bytes, n);

	hash += !hash; /* 0 is a free slot */
	if (json_names_find(names, hash))
		return 0;
	return json_names_insert(names, hash) ? -ENOMEM : 1;
}
