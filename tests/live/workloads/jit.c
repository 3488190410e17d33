/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit MODE [N]: a program that generates two functions, generated_one() and generated_two(), which
 * call point(), and lists them in /tmp/perf-PID.map as run times do. It calls both 10 times; after
 * that it calls the second one N times more, ten times a second. MODE:
 *   plain    the lines of functions that were discarded come first
 *   grow     generated_two is added after generated_one has been called
 *   late     the file appears after the first calls; 20 ms later come more
 *   asked    the file appears 0.5 s after the calls; the program ends 1.5 s later
 *   names    names with control characters, one without an end
 *   foreign  the file belongs to another user
 *   stale    the file is older than the process
 *   link     it is a symbolic link
 *   fifo     it is a named pipe
 *   none     there is no file
 *   pidns    in a pid namespace of its own (needs root)
 *   root     with another root directory, below $PWD (needs root)
 *   pushed   x86-64: the functions push the address that point() returns to, and jump to it
 *   nowhere  x86-64: they give point() a frame pointer that leads to an address in generated code
 *            which nothing returns to
 *   trampoline  x86-64: they are the trampolines of `python3 -X perf`, which have no frame pointer
 *   spin     the same; then a trampoline calls a function that does nothing, for 0.5 s
 * The file is removed at the end, except in mode `kept`, which is otherwise plain.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 10, FUNCTION_BYTES = 64, OTHER_USER = 12345 };

static char path[64];
static char *code;

__attribute__((noinline)) static void point(void)
{
	volatile int kept = 1;

	__asm__ volatile("" ::"r"(kept) : "memory");
}

struct text {
	const char *mode; /* NULL: all others */
	unsigned char bytes[FUNCTION_BYTES];
};

static const struct text texts[] = {
#if defined(__x86_64__)
	/* push rbp; mov rbp, rsp; lea rax, [1f]; push rax; jmp rdi; 1: pop rbp; ret */
	{"pushed",
	 {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05, 3, 0, 0, 0, 0x50, 0xff, 0xe7, 0x5d, 0xc3}},
	/* push rbp; mov rbp, rsp; lea rax, [1f]; 1: push rax; push 1; mov rbp, rsp; call rdi;
	 * add rsp, 16; pop rbp; ret */
	{"nowhere", {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05, 0,    0,	   0,	 0,    0x50, 0x6a,
		     1,	   0x48, 0x89, 0xe5, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3}},
	/* sub rsp, 8; call rcx; add rsp, 8; ret */
	{"trampoline", {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3}},
	{"spin", {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3}},
	/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret */
	{NULL, {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3}},
#elif defined(__aarch64__)
	/* stp x29, x30, [sp, -16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], 16; ret */
	{NULL, {0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 3,    0,	  0x91, 0,    0,
		0x3f, 0xd6, 0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 3,	0x5f, 0xd6}},
#else
#error "no code for this machine"
#endif
};

static void generate(const char *mode)
{
	const struct text *text = texts;

	while (text->mode && strcmp(text->mode, mode))
		text++;
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (code == MAP_FAILED)
		exit(1);
	code += FUNCTION_BYTES; /* the byte before it can be read */
	memcpy(code, text->bytes, FUNCTION_BYTES);
	memcpy(code + FUNCTION_BYTES, text->bytes, FUNCTION_BYTES);
	__builtin___clear_cache(code, code + 2 * FUNCTION_BYTES);
}

typedef void (*target_fn)(void);
typedef void (*generated_fn)(target_fn, long, long,
			     target_fn); /* a trampoline calls the last one */

#if defined(__x86_64__)
/* Call generated code while the frame pointer leads nowhere, and then a function that does
 * nothing. */
void lost(target_fn target, generated_fn fn);
void nothing(void);
__asm__(".text\n"
	".type lost, @function\n"
	"lost:\n"
	"	.cfi_startproc\n"
	"	push	%rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov	$1, %ebp\n"
	"	mov	%rdi, %rcx\n"
	"	call	*%rsi\n"
	"	pop	%rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size lost, . - lost\n"
	".type nothing, @function\n"
	"nothing:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size nothing, . - nothing\n");
#else
static void lost(target_fn target, generated_fn fn)
{
	fn(target, 0, 0, target);
}

static void nothing(void)
{
}
#endif

static int is_lost; /* mode trampoline */

static void call(int which)
{
	generated_fn fn = (generated_fn)(code + which * FUNCTION_BYTES);

	for (int i = 0; i < CALLS; i++)
		if (is_lost)
			lost(point, fn);
		else
			fn(point, 0, 0, point);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void spin(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;

	while (clock() < end)
		for (int i = 0; i < 1000000; i++)
			lost(nothing, (generated_fn)code);
}

static void line(FILE *f, int which, int bytes, const char *name)
{
	fprintf(f, "%lx %x %s\n", (unsigned long)(uintptr_t)(code + which * FUNCTION_BYTES), bytes,
		name);
}

static void write_map(const char *mode, const char *one, const char *two)
{
	FILE *f = fopen(path, mode);

	if (!f)
		exit(1);
	if (one)
		line(f, 0, FUNCTION_BYTES, one);
	if (two)
		line(f, 1, FUNCTION_BYTES, two);
	fclose(f);
}

static void write_plain(void)
{
	FILE *f = fopen(path, "we");

	if (!f)
		exit(1);
	line(f, -1, 3 * FUNCTION_BYTES, "discarded");
	fputs("not a line\n12 zz bad\n0 0 empty\nffffffffffffffff ff over\n", f);
	line(f, 0, FUNCTION_BYTES, "generated_one");
	line(f, 1, FUNCTION_BYTES, "generated_two");
	fprintf(f, "%lx 1000 incomplete", (unsigned long)(uintptr_t)code);
	fclose(f);
}

static void nap_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void set_stale(void)
{
	struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

	utimensat(AT_FDCWD, path, old, 0);
}

static void make_names(void)
{
	static char name[3000];

	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "\033[31mred\r\t\001", 11);
	write_map("we", name, "\xff\xfe %s \\");
}

static void prepare(const char *mode)
{
	if (!strcmp(mode, "none") || !strcmp(mode, "late") || !strcmp(mode, "asked"))
		return;
	if (!strcmp(mode, "link")) {
		char target[80];

		snprintf(target, sizeof(target), "%s.target", path);
		if (symlink(target, path))
			exit(1);
		write_map("we", "wrong", "wrong");
	} else if (!strcmp(mode, "fifo")) {
		if (mkfifo(path, 0600))
			exit(1);
	} else if (!strcmp(mode, "grow")) {
		write_map("we", "generated_one", NULL);
	} else if (!strcmp(mode, "names")) {
		make_names();
	} else {
		write_plain();
	}
	if (!strcmp(mode, "foreign") && chown(path, OTHER_USER, OTHER_USER))
		exit(1);
	if (!strcmp(mode, "stale"))
		set_stale();
}

static void run(const char *mode, int more)
{
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	is_lost = !strcmp(mode, "trampoline") || !strcmp(mode, "spin");
	generate(mode);
	prepare(mode);
	call(0);
	if (!strcmp(mode, "grow"))
		write_map("ae", NULL, "generated_two");
	if (!strcmp(mode, "late")) {
		write_plain();
		nap_ms(20);
	}
	call(1);
	for (; more > 0; more--) {
		nap_ms(100);
		((generated_fn)(code + FUNCTION_BYTES))(point, 0, 0, point);
		__asm__ volatile("" ::: "memory");
	}
	if (!strcmp(mode, "spin"))
		spin();
	nap_ms(50); /* the tracer opens the file now */
	if (!strcmp(mode, "asked")) {
		nap_ms(450);
		write_plain();
		nap_ms(999);
		nap_ms(501);
	}
	if (!strcmp(mode, "kept"))
		return;
	if (!strcmp(mode, "link")) {
		char target[80];

		snprintf(target, sizeof(target), "%s.target", path);
		unlink(target);
	}
	unlink(path);
}

/* In a child, for the namespace begins with it. */
static int run_in_pidns(void)
{
	int status = 1;
	pid_t child;

	if (unshare(CLONE_NEWPID))
		return 1;
	child = fork();
	if (!child) {
		run("plain", 0);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status != 0;
}

static void enter_root(void)
{
	char dir[] = "jit-root-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) || mkdir("tmp", 0777) || chroot("."))
		exit(1);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";

	if (!strcmp(mode, "pidns"))
		return run_in_pidns();
	if (!strcmp(mode, "root"))
		enter_root();
	run(mode, argc > 2 ? atoi(argv[2]) : 0);
	return 0;
}
