/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Frames of HotSpot, the virtual machine of Java, in a walk (unwind.bpf.c). Its code is in heaps.
 * The table of a heap's segments leads from an address to the block that contains it, which begins
 * with a struct CodeBlob.
 *
 * Compiled code has a frame of a fixed size, which the CodeBlob states; the caller's rbp and the
 * return address are in its last two words. So it needs no frame pointer. A frame of the
 * interpreter is at rbp. Frames of other code, such as stubs, have a size in their CodeBlob, or
 * are left by the frame pointer; they stay as they are.
 *
 * The number of a method (SONDE_RUN_WORD) is found by the address of the compiled code and the
 * number of its compilation, which no other has. That of an interpreted method is found by the
 * addresses of the Method, its class and both names, and by what identifies these names, a random
 * number among others: memory of unloaded classes is used again. The names are read when a method
 * gets its number. They are accepted only if the class that the method's constants lead to has the
 * same constants.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#if defined(SONDE_TARGET_x86) && !defined(SONDE_WHOLE)

enum {
	SEGMENT_STEPS = 12, /* from a segment to the start of its block */
	FRAME_BITS = 24,    /* a frame has fewer bytes */
	/* words of a frame of the interpreter, from rbp - FRAME_BELOW on */
	FRAME_BELOW = 24,
	FRAME_METHOD = 0,
	FRAME_SENDER_SP = 2,
	FRAME_FP = 3,
	FRAME_IP = 4,
	FRAME_WORDS = 5,
	KEEPS_FP = 4, /* see sonde_unwind_java_edge() */
};

/* The first eight characters of the names of CodeBlobs. */
#define NAME_NMETHOD 0x00646f6874656d6e	    /* nmethod */
#define NAME_NATIVE 0x6e2065766974616e	    /* native nmethod */
#define NAME_INTERPRETER 0x6572707265746e49 /* Interpreter */

static INLINE uint64_t word_of_block(const struct sonde_walk *w, uint64_t at)
{
	return word_of_run(w, at) >> 8 * (at & 4);
}

/* ---- methods ------------------------------------------------------------------------------ */

/* Note the text of the symbol at `at`. Returns what identifies it. */
static INLINE uint64_t note_symbol(struct sonde_walk *w, uint32_t i, uint64_t at, uint64_t *bad)
{
	w->look = 0;
	*bad |= bpf_probe_read_user(&w->look, 8, (void *)at);
	w->java_text[i] = at + w->java.symbol_body;
	w->java_bytes[i] = w->look >> 8 * (w->java.symbol_length & 7) & 0xffff;
	return (at * FACTOR ^ w->look >> 16) * FACTOR; /* without the count of references */
}

static INLINE uint64_t mix_process(const struct sonde_walk *w, uint64_t hash)
{
	uint64_t tgid = w->stack.tgid;

	hash = (hash ^ (tgid << 32 | w->stack.exec_id)) * FACTOR;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/* Find the names of w->java_method, and its hash if that is not known. Returns 0 if it is no
 * method. What must be kept over calls is in w->run: all functions of a program share 512 bytes of
 * stack. */
GLOBAL uint32_t sonde_unwind_java_names(struct sonde_walk *w)
{
	struct {
		uint64_t hash, pool, class, bad;
	} *kept;
	uint64_t index;

	if (!w)
		return 0;
	kept = (void *)w->run;
	kept->hash = w->java_method;
	kept->bad =
		bpf_probe_read_user(&w->look, 8, (void *)(w->java_method + w->java.const_method));
	kept->bad |= bpf_probe_read_user(w->code, HOTSPOT_CONST_METHOD, (void *)w->look);
	kept->hash = (kept->hash * FACTOR ^ w->look) * FACTOR;
	kept->pool = w->code[w->java.constants >> 3 & 7];
	kept->bad |= bpf_probe_read_user(&w->look, 8, (void *)(kept->pool + w->java.pool_holder));
	kept->class = w->look;
	kept->bad |=
		bpf_probe_read_user(&w->look, 8, (void *)(kept->class + w->java.class_constants));
	kept->bad |= w->look ^ kept->pool;
	index = w->code[w->java.name_index >> 3 & 7] >> 8 * (w->java.name_index & 6) & 0xffff;
	kept->bad |= bpf_probe_read_user(&w->look, 8,
					 (void *)(kept->pool + w->java.pool_bytes + 8 * index));
	kept->hash = (kept->hash ^ kept->pool) * FACTOR ^ note_symbol(w, 0, w->look, &kept->bad);
	kept->bad |= bpf_probe_read_user(&w->look, 8, (void *)(kept->class + w->java.class_name));
	kept->hash = (kept->hash ^ kept->class) * FACTOR ^ note_symbol(w, 1, w->look, &kept->bad);
	if (AGAIN(kept->bad))
		return 0;
	if (!w->java_hash)
		w->java_hash = mix_process(w, kept->hash);
	w->java_is_named = 1;
	return 1;
}

static INLINE uint64_t read_symbol(struct sonde_walk *w, uint32_t i, struct sonde_code_text *out,
				   uint8_t *bytes, uint32_t keeps_end)
{
	uint64_t n = w->java_bytes[i], skip = n - UNWIND_CODE_TEXT;

	skip &= (skip >> 63) - 1;
	out->n = n;
	out->bytes = 1;
	return bpf_probe_read_user(bytes, at_most(n, UNWIND_CODE_TEXT),
				   (void *)(w->java_text[i] + (keeps_end ? skip : 0)));
}

/* Send a new method, as send() does. The texts are UTF-8; the class takes the place of the file. Of
 * compiled code, user space reads more: its block takes the place of the table of lines, whose
 * place has what is needed to read it. */
static INLINE uint64_t send_method(struct sonde_walk *w, struct codes *codes, uint64_t at,
				   uint64_t hash)
{
	struct sonde_code_event *ev = begin_code(w, w->java.runtime, at);

	if (!ev)
		return 0;
	ev->n_lines = 0;
	ev->line = w->java_compile;
	ev->at = w->java_method;
	ev->lines_at = w->java_place == SONDE_RUN_AT_NONE ? 0 : w->java_block;
	bpf_probe_read_kernel(ev->lines, sizeof(w->java), &w->java);
	w->run[0] = read_symbol(w, 0, &ev->name, ev->name_bytes, 0);
	w->run[0] |= read_symbol(w, 1, &ev->file, ev->file_bytes, 1);
	if (AGAIN(w->run[0])) { /* the next sight tries again */
		ev->head.id = SONDE_EV_NOTHING;
		sonde_ring_submit(ev, sizeof(*ev));
		return 0;
	}
	return put_code(codes, ev, at, hash);
}

/* The number of the method with w->java_hash; 0: it has none. It gets one if its names are
 * known. */
GLOBAL uint64_t sonde_unwind_java_number(struct sonde_walk *w)
{
	uint64_t hash, at, found;
	uint32_t zero = 0;
	struct codes *codes = bpf_map_lookup_elem(&sonde_codes, &zero);

	if (!w || !codes || !w->java_hash)
		return 0;
	hash = at = w->java_hash;
	found = find_code(codes, hash, &at);
	if (!found && w->java_is_named)
		found = send_method(w, codes, at, hash);
	return found == hash ? at + 1 : 0;
}

/* Put the method in the place of the frame that was added last. Returns 0 if it is not known. */
static INLINE uint32_t add_method(struct sonde_walk *w)
{
	uint64_t number, ip = w->ip;

	w->java_is_named = 0;
	number = sonde_unwind_java_number(w);
	if (!number) {
		if (!sonde_unwind_java_names(w)) {
			w->n_left++;
			return 0;
		}
		number = sonde_unwind_java_number(w);
	}
	w->n_frames--;
	w->ip = SONDE_RUN_WORD(w->java.runtime, (uint32_t)number, 0) | w->java_place |
		SONDE_RUN_ASK(w->limit);
	add_frame(w);
	w->ip = ip;
	w->run_wanted--;
	w->is_deep = (uint64_t)w->run_wanted >> 63;
	return 1;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* The table of the process, once for each walk. */
static INLINE uint32_t read_java(struct sonde_walk *w)
{
	uint32_t *chunk;
	uint64_t at = w->origin;

	if (w->java_at == at)
		return 1;
	chunk = chunk_of(at);
	if (!chunk)
		return 0;
	w->java_nmethod = 0;
	w->java_block_bytes = 0;
	w->java_at = at;
	at &= UNWIND_CHUNK_WORDS - 1;
	return !bpf_probe_read_kernel(&w->java, sizeof(w->java), chunk + at);
}

/* Read the start of the block that contains x, to w->run. Returns 0 if there is none. */
static INLINE uint32_t read_block(struct sonde_walk *w, uint64_t x)
{
	struct hotspot_heap *heap =
		&w->java.heaps[w->flags >> UNWIND_RANGE_HEAP_BIT & (HOTSPOT_HEAPS - 1)];
	uint64_t low = heap->low, segments = heap->segments, bits = w->java.segment_bits & 15;
	uint64_t at = (x - low) >> bits, start;

	w->look = 0;
	if (x - w->java_block < w->java_block_bytes)
		at = (w->java_block - low) >> bits;
	LOOP for (uint32_t i = 0; i < SEGMENT_STEPS; i++)
	{
		bpf_probe_read_user(&w->look, 1, (void *)(segments + at));
		if (!AGAIN(w->look))
			break;
		at -= AGAIN(w->look);
	}
	start = low + (at << bits);
	OPAQUE(start);
	if (AGAIN(w->look) || bpf_probe_read_user(w->run, HOTSPOT_BLOCK, (void *)start))
		return 0;
	w->java_hash = w->java_block = start;
	w->java_block_bytes = (uint64_t)(uint32_t)word_of_block(w, w->java.length) << bits;
	return (word_of_run(w, w->java.used) >> 8 * (w->java.used & 7) & 1) &&
	       x - start < w->java_block_bytes;
}

/* How many words the innermost frame has where compiled code makes or leaves it: 1, the return
 * address; 2, the caller's rbp, too; 0: all; with KEEPS_FP, rbp is still the caller's. Compiled
 * code begins with mov %eax, -n(%rsp); push %rbp; with frame pointers mov %rsp, %rbp; sub $n, %rsp.
 * If it calls nothing, it begins with sub $n, %rsp; mov %rbp, n(%rsp). It ends with add $n, %rsp;
 * pop %rbp; cmp n(%r15), %rsp; ja; ret. */
GLOBAL uint64_t sonde_unwind_java_edge(struct sonde_walk *w)
{
	uint64_t one, two, sub, pushed, has_fp, ends;

	if (!w)
		return 0;
	w->node[0] = w->node[1] = 0;
	bpf_probe_read_user(w->node, 16, (void *)(w->ip - 8));
#define BEFORE AGAIN(w->node[0])
#define AT AGAIN(w->node[1])
	ends = is_equal(AT & 0xffff, 0x870f);
	one = (ends & is_equal(BEFORE >> 8 & 0xffffff, 0xa73b49)) |
	      (ends & is_equal(BEFORE >> 32 & 0xffffff, 0x673b49));
	one |= is_equal(AT & 0xffffff, 0x248489) | is_equal(AT & 0xff, 0xc3);
	one |= is_equal(AT & 0xffffff, 0xa73b49) | is_equal(AT & 0xffffff, 0x673b49);
	one |= is_equal(AT & 0xff, 0x55) & is_equal(AT >> 8 & 0xfffdff, 0xec8148);
	one |= is_equal(AT & 0xffffffff, 0xec8b4855);
	sub = is_equal(AT & 0xfffdff, 0xec8148);
	pushed = is_equal(BEFORE >> 56, 0x55);
	has_fp = is_equal(BEFORE >> 32, 0xec8b4855);
	one |= sub & ~pushed & ~has_fp;
	two = (pushed & (sub | is_equal(AT & 0xffffff, 0xec8b48))) | (has_fp & sub);
	two |= is_equal(AT & 0xffffff, 0x3b495d) | is_equal(AT & 0xffff, 0xc35d);
	w->look = one | two << 1 | one * KEEPS_FP;
	sub = is_equal(BEFORE >> 8 & 0xffffff, 0xec8148) |
	      is_equal(BEFORE >> 32 & 0xffffff, 0xec8348);
	sub &= is_equal(AT & 0xffffffff, 0x246c8948) | is_equal(AT & 0xffffffff, 0x24ac8948);
#undef BEFORE
#undef AT
	return AGAIN(w->look) | sub * KEEPS_FP;
}

/* Read the caller's registers. The place of rbp is the last word but one of compiled code's frame,
 * whose size the CodeBlob states; that of the interpreter's frame is at rbp. What is the same is
 * done once, without branches, since the verifier follows both sides of each. `interpreted`: all
 * bits, or 0. Returns 0 if there is no such frame. */
static INLINE uint32_t read_caller(struct sonde_walk *w, uint64_t interpreted)
{
	uint64_t words = (uint32_t)word_of_block(w, w->java.frame_size), sp = w->sp, at, bad;
	uint64_t method = word_of_run(w, w->java.method), edge = 0;

	if (w->n_frames == 1)
		edge = sonde_unwind_java_edge(w) & ~interpreted & mask_of(w->java_hash);
	words = (words & ~mask_of(edge & 3)) | (edge & 3);
	at = (sp + 8 * words - 16) & ~interpreted;
	at |= w->fp & interpreted;
	OPAQUE(at);
	bad = bpf_probe_read_user(w->run, 8 * FRAME_WORDS, (void *)(at - FRAME_BELOW));
	w->java_method = (method & ~interpreted) | (w->run[FRAME_METHOD] & interpreted);
	edge = -(edge / KEEPS_FP & 1);
	w->java_fp = (w->run[FRAME_FP] & ~edge) | (w->fp & edge);
	w->java_ip = w->run[FRAME_IP];
	/* the sp of an interpreted method's caller may be above the frame: it has other places for
	 * arguments */
	at += 16;
	w->java_sp = (at & ~interpreted) | (w->run[FRAME_SENDER_SP] & interpreted);
	bad |= (w->java_sp - at) >> FRAME_BITS | (at - sp - 8) >> FRAME_BITS | (at & 7);
	bad |= ~mask_of(w->java_ip);
	OPAQUE(bad);
	return !bad;
}

GLOBAL uint32_t sonde_unwind_java(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t name, x, interpreted, compiled, added;

	if (!w || !t)
		return 0;
	t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
	x = w->ip - (w->n_frames > 1);
	if (w->other || !read_java(w) || !read_block(w, x)) {
		w->n_left++;
		return 0;
	}
	name = word_of_run(w, w->java.name);
	w->look = NAME_NMETHOD;
	if (name != w->java_nmethod && bpf_probe_read_user(&w->look, 8, (void *)name))
		return 0;
	interpreted = ~mask_of(AGAIN(w->look) ^ NAME_INTERPRETER);
	compiled = ~mask_of(AGAIN(w->look) ^ NAME_NMETHOD);
	w->java_nmethod = (name & compiled) | (w->java_nmethod & ~compiled);
	compiled |= ~mask_of(AGAIN(w->look) ^ NAME_NATIVE);
	w->java_compile = word_of_block(w, w->java.compile_id);
	w->java_hash = mix_process(w, w->java_hash * FACTOR ^ w->java_compile) & compiled;
	w->java_place =
		(((w->ip - w->java_block) & SONDE_RUN_AT_NONE) | SONDE_RUN_INLINES) & compiled;
	w->java_place |= SONDE_RUN_AT_NONE & ~compiled;
	if (!read_caller(w, interpreted))
		return 0;
	w->java_method &= interpreted | compiled;
	OPAQUE(interpreted);
	if (w->is_native || !w->java_method)
		return 1;
	added = add_method(w);
	w->n_certain &= ~(interpreted & -added); /* its Method was found valid */
	return added | (~interpreted & 1);
}

#else

GLOBAL uint32_t sonde_unwind_java(struct sonde_walk *w, struct sonde_trail *t)
{
	return 0;
}

#endif
