/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the kernel what it does at nops: see uprobe_insn.h.
 *
 * A child of a child probes itself, so that no thread of sonde runs into the probe, and sonde does
 * not wait for the end of it: the kernel takes up to 100 ms to remove a probe.
 */
#include "runtime/insn/uprobe_insn.h"
#include "runtime/base/own_offset.h"
#include "runtime/base/proc_maps.h"
#include "runtime/base/uprobe_device.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
enum {
	CALLS = 16, /* the kernel replaces the breakpoint at the first */
	BREAKPOINT = 0xcc,
	CALL = 0xe8,
};

/* A function that returns the value that it keeps below the stack pointer. */
#define FUNCTION(name, operand)                                   \
	long name(long value);                                    \
	void name##_place(void);                                  \
	__asm__(".pushsection .text\n"                            \
		".p2align 6\n"                                    \
		".hidden " #name ", " #name "_place\n"            \
		".globl " #name ", " #name "_place\n"             \
		".type " #name ", @function\n" #name ":\n"        \
		"	mov %rdi, -8(%rsp)\n" #name "_place:\n"   \
		"	.byte 0x0f, 0x1f, 0x44, 0, " operand "\n" \
		"	mov -8(%rsp), %rax\n"                           \
		"	ret\n"                                          \
		".size " #name ", . - " #name "\n"                \
		".popsection\n")

FUNCTION(uprobe_nops_usual, "0");
FUNCTION(uprobe_nops_other, "8");

/* The kernel single-steps copies of instructions, in a mapping with this name. */
static int is_of_copies(const struct proc_mapping *m, void *ctx)
{
	return strcmp(m->path, "[uprobes]") == 0;
}

static bool has_copies(void)
{
	return proc_maps_each(0, is_of_copies, NULL) != 0;
}

static bool probe(int type, void (*place)(void))
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (uint32_t)type,
		.uprobe_path = (uintptr_t)"/proc/self/exe",
		.probe_offset = own_offset(place),
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0;
}

static struct uprobe_nops measure(int type)
{
	const volatile uint8_t *place = (const volatile uint8_t *)uprobe_nops_usual_place;
	struct uprobe_nops nops = {0};
	bool is_kept = true;

	if (!probe(type, uprobe_nops_usual_place))
		return nops;
	for (long i = 0; i < CALLS; i++)
		is_kept = uprobe_nops_usual(~i) == ~i && is_kept;
	nops.is_called = *place == CALL;
	nops.is_harmless = is_kept && (*place == BREAKPOINT || nops.is_called);
	nops.is_emulated = nops.is_called || (*place == BREAKPOINT && !has_copies());
	if (nops.is_emulated && !nops.is_called && probe(type, uprobe_nops_other_place)) {
		uprobe_nops_other(0);
		nops.is_any_emulated = !has_copies();
	}
	return nops;
}

static _Noreturn void run_child(int to, int type)
{
	struct uprobe_nops nops;

	if (fork() || dup2(to, 0) < 0)
		_exit(0);
	close_range(1, ~0u, 0); /* nobody waits for these to be closed */
	nops = measure(type);
	if (write(0, &nops, sizeof(nops)) < 0)
		_exit(1);
	_exit(0);
}

static void ask(struct uprobe_nops *nops)
{
	int ends[2], type = uprobe_device("type");
	pid_t pid;

	if (type < 0 || pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid)
		run_child(ends[1], type);
	close(ends[1]);
	if (read(ends[0], nops, sizeof(*nops)) != sizeof(*nops))
		*nops = (struct uprobe_nops){0};
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
#else
static void ask(struct uprobe_nops *nops)
{
}
#endif

const struct uprobe_nops *uprobe_nops(void)
{
	static struct uprobe_nops nops;
	static bool is_asked;

	if (!is_asked)
		ask(&nops);
	is_asked = true;
	return &nops;
}
