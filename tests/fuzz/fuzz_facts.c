/* SPDX-License-Identifier: Apache-2.0 */
/* A --kernel-facts file, and all queries to it. */
#include "tests/fuzz/fuzz.h"
#include "runtime/base/log.h"

static void ask_more(const char *name, void *ctx)
{
	const struct tp_format *format;
	struct user_symbol symbol;
	struct kernel *k = ctx;

	k->tracepoint(k, "sched", name, &format);
	k->user_symbol(k, "./app", name, &symbol);
	k->has_raw_tracepoint(k, name);
	k->kernel_function(k, name);
}

static void ask_function(const struct user_symbol *f, void *ctx)
{
	ask_more(f->symbol, ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tp_format *format;
	int fd = fuzz_file(data, size);
	struct kernel *k;
	char path[32];

	log_set_level(-1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	k = facts_file_open(path);
	if (k) {
		k->each_tracepoint(k, NULL, ask_more, k);
		k->each_user_function(k, "./app", ask_function, k);
		k->each_kernel_function(k, ask_more, k);
		if (!k->tracepoint(k, "a", "b", &format))
			for (uint32_t i = 0; i < format->n_fields; i++)
				fputs(format->fields[i].type_text, fuzz_sink());
		kernel_close(k);
	}
	close(fd);
	return 0;
}
