/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with debug information, of which nothing may be trusted, behind every form of attach
 * point: names, patterns, addresses, offsets, source lines, libraries, USDT probes, arguments by
 * name, and listings. The first four bytes of an input select the forms.
 */
#include "runtime/load/uprobe_entry.h"
#include "runtime/list/list.h"
#include "tests/fuzz/fuzz.h"
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* %s: the file; %llu: its entry point */
static const char *const scripts[] = {
	"uprobe:%s:handle { print(arg0) }",
	"uretprobe:%s:handle { print(retval) }",
	"uprobe:%s:h* { print(func) }",
	"uretprobe:%s:* { @[func] = count() }",
	"uprobe:%s:%llu { print(1) }",
	"uretprobe:%s:%llu { print(1) }",
	"uprobe:%s:handle+4 { print(1) }",
	"uprobe:%s@a.c:2 { print(func) }",
	"uprobe:%s@a.c:1 { print(ustack) }",
	"uprobe:%s@libc:malloc { print(arg0) }",
	"uprobe:%s:cpp:handle { print(1) }",
	"uprobe:%s:handle { print(args.x); print(args) }",
	"uprobe:%s:h* { print(args.v->b) }",
	"uretprobe:%s:handle { print(args.x); print(retval) }",
	"usdt:%s:app:begin { print(arg0); print(arg1) }",
	"usdt:%s:* { print(func) }",
	"uprobe:%s:h* { print(uaddr(\"table\")) }",
	"uretprobe:%s:handle { @ = hist(delta) }",
};
static const char *const patterns[] = {"uprobe:%s", "uretprobe:%s:h*", "usdt:%s:*",
				       "uprobe:%s:%llu"};

enum {
	N_SCRIPTS = sizeof(scripts) / sizeof(*scripts),
	N_PATTERNS = sizeof(patterns) / sizeof(*patterns),
};

static enum capability_state has_all(struct kernel *k, enum capability_id id)
{
	return CAPABILITY_YES;
}

static char path[64];

static void remove_file(void)
{
	unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
	int fd;

	if (!*path) {
		snprintf(path, sizeof(path), "/dev/shm/sonde-fuzz.%d", getpid());
		atexit(remove_file);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
		exit(2);
}

static uint64_t entry_point(const uint8_t *data, size_t size)
{
	Elf64_Ehdr h = {0};

	memcpy(&h, data, size < sizeof(h) ? size : sizeof(h));
	return h.e_entry;
}

static void fill(const char *form, uint64_t address, char *out, size_t size)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(out, size, form, path, (unsigned long long)address);
#pragma GCC diagnostic pop
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel *k;
	uint64_t address;
	uint32_t forms;
	char text[512];

	if (size < sizeof(forms))
		return 0;
	memcpy(&forms, data, sizeof(forms));
	data += sizeof(forms);
	size -= sizeof(forms);
	write_file(data, size);
	address = entry_point(data, size);
	k = kernel_open();
	k->capability = has_all;
	k->any_place = forms >> 31;
	for (int i = 0; i < N_SCRIPTS; i++) {
		struct fuzz_script f;

		if (!(forms >> i & 1))
			continue;
		fill(scripts[i], address, text, sizeof(text));
		fuzz_walk_with(k, &f, (const uint8_t *)text, strlen(text));
		if (f.plan)
			uprobe_entry_move(f.plan, false);
		arena_free(f.arena);
	}
	for (int i = 0; i < N_PATTERNS; i++) {
		if (!(forms >> (N_SCRIPTS + i) & 1))
			continue;
		fill(patterns[i], address, text, sizeof(text));
		list_probes(k, text, true, fuzz_sink());
	}
	kernel_close(k);
	return 0;
}
