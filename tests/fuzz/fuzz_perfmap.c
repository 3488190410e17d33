/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz target: the reader of /tmp/perf-PID.map, which any user can write. The first byte says how
 * much of the file is there at the first lookup, so that it also grows.
 */
#include "fuzz.h"
#include "runtime/symbols/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = {0, 1, 0x10, 0x1000, 0x7f0000000000, UINT64_MAX};
	size_t first = size ? data[0] * size / 256 : 0;
	struct perfmap *m;
	uint64_t offset;
	const char *name;
	int fd = fuzz_file(data, first);

	m = perfmap_new(dup(fd));
	for (size_t i = 0; m && i < 2 * sizeof(addresses) / sizeof(*addresses); i++) {
		uint64_t at = addresses[i / 2];

		if (perfmap_find(m, at, &name, &offset) && (!*name || offset > at))
			abort();
		if (!i && pwrite(fd, data + first, size - first, (off_t)first) < 0)
			abort();
	}
	perfmap_free(m);
	close(fd);
	return 0;
}
