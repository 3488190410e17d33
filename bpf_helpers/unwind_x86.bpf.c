/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What a walk (unwind.bpf.c) knows of x86-64: registers, instructions, and what tells that mappings
 * have changed.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#ifdef SONDE_TARGET_x86

GLOBAL uint64_t sonde_unwind_register(struct sonde_walk *w, uint32_t number)
{
	struct pt_regs___unwind *r;

	if (!w)
		return 0;
	r = (void *)w->regs;
	if (!w->other)
		r = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	switch (number) {
	case 0: return BPF_CORE_READ(r, ax);
	case 1: return BPF_CORE_READ(r, dx);
	case 2: return BPF_CORE_READ(r, cx);
	case 3: return BPF_CORE_READ(r, bx);
	case 4: return BPF_CORE_READ(r, si);
	case 5: return BPF_CORE_READ(r, di);
	case 8: return BPF_CORE_READ(r, r8);
	case 9: return BPF_CORE_READ(r, r9);
	case 10: return BPF_CORE_READ(r, r10);
	case 11: return BPF_CORE_READ(r, r11);
	case 12: return BPF_CORE_READ(r, r12);
	case 13: return BPF_CORE_READ(r, r13);
	case 14: return BPF_CORE_READ(r, r14);
	case 15: return BPF_CORE_READ(r, r15);
	default: return 0;
	}
}

/* Code bytes: the longest call instruction, and one byte more. */
union code {
	uint8_t b[8];
	uint64_t word;
};

static INLINE uint32_t read_code(struct sonde_walk *w, uint64_t address, union code *out)
{
	if (!w->other)
		return !bpf_probe_read_user(out, sizeof(*out), (void *)address);
	if (!sonde_unwind_read(w, address))
		return 0;
	out->word = w->window[0];
	return 1;
}

/* 1 if a and b, of less than 64 bits, are equal; a comparison would make a branch. */
static INLINE uint64_t is_equal(uint64_t a, uint64_t b)
{
	uint64_t differs = a ^ b;

	OPAQUE(differs);
	return (differs - 1) >> 63;
}

/* Do these 8 bytes end with a call instruction? That is e8 and four bytes, or ff with 2 in
 * bits 3 to 5 of the next byte (/2), in 2, 3, 4, 6 or 7 bytes. Prefixes need not be checked. */
static INLINE uint64_t ends_with_call(uint64_t code)
{
#define IS_CALL_AT(i) is_equal(code >> 8 * (i) & 0x38ff, 0x10ff)
	return is_equal(code >> 24 & 0xff, 0xe8) | IS_CALL_AT(6) | IS_CALL_AT(5) | IS_CALL_AT(4) |
	       IS_CALL_AT(2) | IS_CALL_AT(1);
#undef IS_CALL_AT
}

GLOBAL uint32_t sonde_unwind_follows_call(struct sonde_walk *w, uint64_t x)
{
	union code code;

	return w && read_code(w, x - sizeof(code), &code) && ends_with_call(code.word);
}

/* Before x is the start of the fiber, which stores x as the return address: push %rbp; jmp *%rbx.
 * Fibers of PHP and brpc have the same code. */
GLOBAL uint32_t sonde_unwind_is_base(struct sonde_walk *w, uint64_t x)
{
	union code code;

	return w && read_code(w, x - sizeof(code), &code) && code.word >> 40 == 0xe3ff55;
}

/* Since 6.18, a probe on a nop of 5 bytes is a call of a trampoline: push %rcx; push %r11;
 * push %rax; mov $…, %rax. */
static INLINE uint32_t is_probe(struct sonde_walk *w, uint64_t ip, uint64_t distance)
{
	union code code;

	return read_code(w, ip + 5 + (uint64_t)(int64_t)(int32_t)distance, &code) &&
	       code.word << 8 == 0xc0c7485053415100;
}

/* Where an address is in a function without rows, as the instructions there tell. At the function's
 * first instruction and at its return, the return address is at rsp; after `push %rbp` it is in the
 * word after the saved rbp. EDGE_FUNCTION + n: n words are popped before the return. */
enum sonde_edge {
	EDGE_NONE,
	EDGE_SYSCALL,
	EDGE_INT80,
	EDGE_PUSHED,
	EDGE_FUNCTION,
	EDGE_AT_CALL = 256, /* added: of a frame that is not the innermost, too */
};

/* Are the `n` bytes from code.b[i] on these, the first one the lowest? */
#define IS_CODE(i, n, bytes) ((code.word >> 8 * (i) & ~0ull >> (64 - 8 * (n))) == (bytes))

GLOBAL uint32_t sonde_unwind_edge(struct sonde_walk *w, uint64_t ip)
{
	union code code;

	if (!w || !read_code(w, ip - 2, &code))
		return EDGE_NONE;
	/* the ends of the kernel's trampolines of probes: pop %rax, pop %r11, pop %rcx, ret */
	if (IS_CODE(2, 2, 0xc359))
		return EDGE_FUNCTION + 1;
	if (IS_CODE(2, 4, 0xc3595b41))
		return EDGE_FUNCTION + 2;
	if (IS_CODE(2, 5, 0xc3595b4158))
		return EDGE_FUNCTION + 3;
	/* the trampolines of `python3 -X perf`: call *%rcx; pop %rbp; ret; before 3.14
	 * sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
	if (IS_CODE(0, 4, 0xc35dd1ff))
		return EDGE_PUSHED + EDGE_AT_CALL;
	if (IS_CODE(2, 6, 0xd1ff08ec8348))
		return EDGE_FUNCTION;
	if (IS_CODE(0, 8, 0x08c48348d1ff08ec))
		return EDGE_FUNCTION + 1;
	if (IS_CODE(2, 3, 0xc48348) && code.b[6] == 0xc3 && !(code.b[5] & 0x87))
		return EDGE_FUNCTION + (code.b[5] >> 3);
	if (IS_CODE(0, 2, 0x050f)) /* syscall */
		return EDGE_SYSCALL;
	if (IS_CODE(0, 2, 0x80cd)) /* int $0x80 */
		return EDGE_INT80;
	if (IS_CODE(2, 1, 0x55) || IS_CODE(2, 1, 0xc3) ||
	    IS_CODE(2, 1, 0xcc)) /* push %rbp, ret, a probe */
		return EDGE_FUNCTION;
	if (IS_CODE(2, 2, 0x25ff)) /* jmp *x(%rip): an entry of a PLT */
		return EDGE_FUNCTION;
	if (IS_CODE(2, 4, 0xfa1e0ff3) || IS_CODE(2, 4, 0xfb1e0ff3)) /* endbr64, endbr32 */
		return EDGE_FUNCTION;
	/* push %rbp; mov %rsp, %rbp; the same of i386 */
	if (IS_CODE(1, 4, 0xe5894855) || IS_CODE(1, 3, 0xe58955))
		return EDGE_PUSHED;
	if (IS_CODE(2, 1, 0xe8) && is_probe(w, ip, code.word >> 24))
		return EDGE_FUNCTION;
	return EDGE_NONE;
}

/* Go to the caller of a frame in code without rows, where rbp may still be the caller's. Returns 0
 * if the frame pointer has to be tried. Of frames that are not the innermost, only the instructions
 * after the call count: what they pop before they return. glibc ends the rows of clone and clone3
 * before their system call, since those rows hold for the parent thread only: in the new thread,
 * the word at rsp is not a return address. */
static INLINE uint32_t leave_edge(struct sonde_walk *w, struct sonde_trail *t, uint32_t *end)
{
	uint32_t edge = sonde_unwind_edge(w, w->ip);
	uint64_t ip, fp = w->fp, at = w->sp, more;

	*end = UNWIND_COMPLETE;
	if (edge == EDGE_INT80) /* 0: a new thread of i386 */
		return !sonde_unwind_register(w, 0);
	if (edge == EDGE_NONE || (w->n_frames > 1 && edge <= EDGE_FUNCTION))
		return 0;
	*end = UNWIND_UNREADABLE;
	edge &= EDGE_AT_CALL - 1;
	if (edge == EDGE_PUSHED) {
		if (!read_rare(w, t, at, &fp))
			return 1;
		at += WORD(w);
	} else if (edge > EDGE_FUNCTION) {
		at += WORD(w) * (edge - EDGE_FUNCTION);
	}
	if (!read_rare(w, t, at, &ip)) {
		if (edge == EDGE_SYSCALL && !sonde_unwind_register(w, 0))
			/* a new thread, which has not used its stack yet */
			*end = UNWIND_COMPLETE;
		return 1;
	}
	*end = UNWIND_COMPLETE;
	if (!sonde_unwind_follows_call(w, ip))
		return edge == EDGE_SYSCALL;
	/* the function of Python for which the trampoline was made is on the stack already */
	more = w->n_frames ^ w->run_after;
	OPAQUE(more);
	w->n_frames -= (more - 1) >>
		       63; /* without a branch, of which the verifier would follow both sides */
	w->ip = ip;
	w->fp = fp;
	w->sp = at + WORD(w);
	w->by_fp = 1;
	*end = UNWIND_GOES_ON;
	return 1;
}

/* glibc's rows do not cover the system call that makes a thread. */
static INLINE_CORE uint32_t is_new_thread(struct sonde_walk *w)
{
	return 0;
}

/* Two members of mm_context_t: ctx_id identifies the address space, no two have the same; tlb_gen
 * counts how often address translations became invalid. Code that has run has pages in memory, and
 * their translations become invalid when the code is unmapped or replaced. */
static INLINE_CORE uint64_t signs_of(struct mm_struct___unwind *mm)
{
	return (uint64_t)&mm->context.ctx_id;
}

static INLINE void read_signs(struct sonde_signs *out, uint64_t at)
{
	bpf_probe_read_kernel(out, sizeof(*out), (void *)at);
}

#endif
