/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Functions of JavaScript in a walk (unwind.bpf.c): those that V8 runs. Code that V8 has made, and
 * its built-in functions, maintain rbp, so the walk finds their callers anyway. Here a frame gets
 * the name of the function, whose object is in the frame.
 *
 * The garbage collector moves objects, so no address tells a function from others. Its number
 * (SONDE_RUN_WORD) is found by the number of its script, by where in the script it begins and
 * ends, by the hash of its name, and by the thread, as each thread of node has a heap and numbers
 * of its own. A built-in function has no script: its own number takes its place. The texts are read
 * when a function gets its number, and not again.
 *
 * The type of each object is checked. If it is not what is expected, the frame stays as it is.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#if defined(SONDE_TARGET_x86) && !defined(SONDE_WHOLE)

enum {
	HOPS = 3,	     /* from a string to its characters */
	INLINE_LEAST = 64,   /* so many variables may be in a table of their own */
	NAME_TAIL = 40,	     /* bytes read after the variables of a ScopeInfo */
	V8_FRAME_LEAST = 16, /* the context and the function, below rbp */
	/* the function's object is in its frame after so many bytes, or after at least so many */
	V8_BEGINS = 6,
	V8_BEGINS_TESTED = 20,
};

/* Kinds of strings whose characters are found: those that have them, and those that lead to one. */
#define KINDS_READ (1 << V8_SEQUENTIAL | 1 << V8_CONS | 1 << V8_SLICED | 1 << V8_THIN)

/* What is the same in all objects of a type: their map. Index of w->v8_maps. */
enum { MAP_SHARED, MAP_SCOPE, MAP_SCRIPT };

static INLINE uint64_t is_no_object(uint64_t pointer)
{
	return (pointer & V8_TAG_MASK) ^ V8_TAG;
}

/* Read the start of an object. Returns 0 if it could. */
static INLINE uint64_t read_object(void *to, uint32_t bytes, uint64_t pointer)
{
	return is_no_object(pointer) | bpf_probe_read_user(to, bytes, (void *)(pointer - V8_TAG));
}

/* The word if it is an integer, else 0. */
static INLINE uint64_t only_smi(uint64_t word)
{
	return word & ~mask_of(word << 32);
}

static INLINE uint64_t word_in(const uint64_t *words, uint64_t at, uint64_t most)
{
	uint64_t i = at >> 3;

	OPAQUE(i);
	return words[i & most];
}

/* The type of an object with that map; 65535: it cannot be read. */
static INLINE uint64_t read_type(struct sonde_walk *w, uint64_t map)
{
	uint64_t bad;

	w->look = 0;
	bad = is_no_object(map) |
	      bpf_probe_read_user(&w->look, 2, (void *)(map - V8_TAG + w->v8.map_type));
	return AGAIN(w->look) | (mask_of(bad) & 0xffff);
}

/* Is it the map of that type? */
GLOBAL uint32_t sonde_unwind_v8_is(struct sonde_walk *w, uint64_t map, uint32_t i, uint32_t type)
{
	if (!w || i > MAP_SCRIPT)
		return 0;
	if (map == w->v8_maps[i])
		return 1;
	if (read_type(w, map) != type)
		return 0;
	w->v8_maps[i] = map;
	return 1;
}

static INLINE void mix(struct sonde_walk *w, uint64_t word)
{
	w->v8_hash = (w->v8_hash ^ word) * FACTOR;
}

/* ---- names -------------------------------------------------------------------------------- */

/* Read the characters of the string at w->v8_text, or of its first piece, to piece i of
 * w->v8_texts. w->v8_more is the string that follows, w->v8_total the number of characters of all.
 * Returns the number of those of the piece, and in the upper half 1 if it is a string. */
GLOBAL uint64_t sonde_unwind_v8_text(struct sonde_walk *w, uint32_t i)
{
	uint64_t at, type = 0, skip = 0, least = ~0ull >> 1, more = 0, n, next, is, bytes;

	if (!w)
		return 0;
	i &= V8_SLOTS - 1;
	at = w->v8_text;
	w->v8_more = w->v8_total = 0;
	w->v8_texts.piece[i].n = w->v8_texts.piece[i].bytes = 0;
	LOOP for (uint32_t hop = 0; hop < HOPS; hop++)
	{
		if (read_object(w->node, V8_TEXT, at))
			return 0;
		type = read_type(w, w->node[0]);
		if (type >= V8_NO_STRING || !(KINDS_READ >> (type & V8_KIND_MASK) & 1))
			return 0;
		OPAQUE(type);
		n = word_in(w->node, w->v8.text_length, 3) >> 8 * (w->v8.text_length & 4) &
		    0xffffffff;
		w->v8_total = hop ? w->v8_total : n;
		is = -((n - least) >> 63); /* is it the shortest so far? */
		OPAQUE(is);
		least = (n & is) | (least & ~is);
		OPAQUE(least);
		if (!(type & V8_KIND_MASK))
			break;
		next = word_in(w->node, w->v8.text_more, 3);
		is = ~mask_of((type & V8_KIND_MASK) ^ V8_CONS);
		more = (next & is) | (more & ~is);
		skip += next >> 32 & ~mask_of((type & V8_KIND_MASK) ^ V8_SLICED);
		at = word_in(w->node, w->v8.text_next, 3);
		OPAQUE(at);
		OPAQUE(skip);
		OPAQUE(more);
	}
	OPAQUE(type);
	bytes = 2 - (type / V8_ONE_BYTE & 1);
	at += w->v8.text_chars + skip * bytes - V8_TAG;
	n = least * bytes;
	skip = n - UNWIND_CODE_TEXT; /* of a file, the end is kept */
	skip &= ((skip >> 63) - 1) & -(uint64_t)(i / V8_NAME_PIECES);
	if (type & V8_KIND_MASK ||
	    bpf_probe_read_user(w->v8_texts.bytes[i], at_most(n, UNWIND_CODE_TEXT),
				(void *)(at + skip)))
		return 0;
	w->v8_texts.piece[i].n = least;
	w->v8_texts.piece[i].bytes = bytes;
	w->v8_more = more;
	return least | 1ull << 32;
}

/* Read both texts of a function. Returns 0 if its name cannot be read; what V8 has guessed takes
 * the place of an empty one. It is done before the function is sent: calls may not nest more. */
static INLINE uint32_t read_texts(struct sonde_walk *w)
{
	uint64_t n;

	w->v8_text = w->v8_name;
	n = sonde_unwind_v8_text(w, 0);
	if (!n && !is_no_object(w->v8_name))
		return 0;
	w->v8_text = (uint32_t)n ? w->v8_name : w->v8_inferred;
	LOOP for (uint32_t i = 0; i < V8_PIECES; i++)
	{
		if (i == V8_NAME_PIECES)
			w->v8_text = w->v8_file;
		sonde_unwind_v8_text(w, i);
		if (!i)
			w->v8_total_name = w->v8_total;
		if (i == V8_NAME_PIECES)
			w->v8_total_file = w->v8_total;
		w->v8_text = w->v8_more;
	}
	return 1;
}

/* Send a new function, as send() does. Returns the hash in its place in the table. */
static INLINE uint64_t send_function(struct sonde_walk *w, struct codes *codes, uint64_t at,
				     uint64_t hash)
{
	struct sonde_code_event *ev = begin_code(w, w->v8.runtime, at);

	if (!ev)
		return 0;
	ev->n_lines = 0;
	ev->name.n = w->v8_total_name;
	ev->file.n = w->v8_total_file;
	bpf_probe_read_kernel(ev->name_bytes, UNWIND_V8_TEXTS, &w->v8_texts);
	return put_code(codes, ev, at, hash);
}

/* The number of the function with w->v8_hash; 0: it has none. It gets one if its texts were
 * read. */
GLOBAL uint64_t sonde_unwind_v8_number(struct sonde_walk *w, uint32_t has_texts)
{
	uint64_t hash, at, found;
	uint32_t zero = 0;
	struct codes *codes = bpf_map_lookup_elem(&sonde_codes, &zero);

	if (!w || !codes)
		return 0;
	hash = at = w->v8_hash;
	found = find_code(codes, hash, &at);
	if (!found && has_texts)
		found = send_function(w, codes, at, hash);
	return found == hash ? at + 1 : 0;
}

/* ---- functions ---------------------------------------------------------------------------- */

/* The values of the process, once for each walk. */
static INLINE uint32_t read_v8(struct sonde_walk *w)
{
	uint32_t *chunk;

	if (w->v8_is_read)
		return 1;
	chunk = chunk_of(w->v8_at);
	if (!chunk)
		return 0;
	w->v8_maps[0] = w->v8_maps[1] = w->v8_maps[2] = 0;
	w->v8_is_read = 1;
	return !bpf_probe_read_kernel(&w->v8, sizeof(w->v8),
				      chunk + (w->v8_at & (UNWIND_CHUNK_WORDS - 1)));
}

/* What a ScopeInfo has after its variables: the function's name and where it is stored; the name
 * that V8 has guessed from what the function was assigned to; where the function begins and ends,
 * which newer versions have before the variables. A module or script has the last two alone.
 * Returns 0 if that is not there. */
static INLINE uint32_t read_scope(struct sonde_walk *w, uint64_t scope)
{
	uint64_t n = word_in(w->code, w->v8.scope_count, 7) >> 32, first = w->v8.scope_first;
	uint64_t start, end, bad, has_name, is_before;

	first += scope - V8_TAG;
	if (n >= INLINE_LEAST) { /* are their names in a table? */
		bpf_probe_read_user(w->node, 8, (void *)first);
		if (read_object(w->node, 8, w->node[0]))
			return 0;
		if (read_type(w, w->node[0]) >= V8_NO_STRING)
			first -= 8 * (n - 1);
	}
	OPAQUE(first);
	OPAQUE(n);
	bad = bpf_probe_read_user(w->node, NAME_TAIL, (void *)(first + 16 * n));
	has_name = -(w->node[0] & V8_TAG);
	w->v8_name = w->node[0] & has_name;
	w->v8_inferred = w->node[2];
	bad |= w->node[1] << 32 | is_no_object(w->node[2]);
	is_before = mask_of(w->v8.scope_start);
	has_name |= -(w->node[1] >> 63); /* 0 and -1: a name that was computed */
	start = (w->node[3] & has_name) | (w->node[0] & ~has_name);
	end = (w->node[4] & has_name) | (w->node[1] & ~has_name);
	start = (start & ~is_before) | (word_in(w->code, w->v8.scope_start, 7) & is_before);
	end = (end & ~is_before) | (word_in(w->code, w->v8.scope_start + 8, 7) & is_before);
	bad |= start << 32 | end << 32 | (end - start) >> 63;
	OPAQUE(bad);
	mix(w, w->code[1]); /* what kind of scope it is */
	mix(w, start);
	mix(w, end);
	/* a class's initializer of members is where its constructor is */
	read_object(w->node, 16, w->v8_name);
	mix(w, w->node[1]);
	return !bad;
}

/* Find what identifies the function whose SharedFunctionInfo is in w->run, and where its texts are.
 * Returns 0 if it has no name, or cannot be named. */
static INLINE uint32_t identify(struct sonde_walk *w)
{
	uint64_t name = word_of_run(w, w->v8.shared_name);
	uint32_t has_scope, has_script;

	w->v8_hash = bpf_get_current_pid_tgid();
	mix(w, w->stack.exec_id);
	w->v8_name = name;
	w->v8_inferred = w->v8_file = 0;
	has_scope = !read_object(w->code, RUN_CODE, name) &&
		    sonde_unwind_v8_is(w, w->code[0], MAP_SCOPE, w->v8.type_scope);
	OPAQUE(has_scope); /* the verifier need not follow the rest for each value */
	if (!has_scope) {
		mix(w, w->code[1]);	     /* the hash of the name, and its length */
		mix(w, only_smi(w->run[1])); /* the number of a built-in function */
		mix(w, only_smi(w->run[2]));
	} else if (!read_scope(w, name)) {
		w->n_left++;
		return 0;
	}
	OPAQUE(has_scope);
	has_script = !read_object(w->run, V8_SCRIPT, word_of_run(w, w->v8.shared_script)) &&
		     sonde_unwind_v8_is(w, w->run[0], MAP_SCRIPT, w->v8.type_script);
	if (!has_script) {
		w->n_left += has_scope;
		return !has_scope && w->code[1] >> 32; /* the name's length */
	}
	w->v8_file = word_of_run(w, w->v8.script_name);
	mix(w, word_of_run(w, w->v8.script_id));
	read_object(w->node, 16, w->v8_file);
	mix(w, w->node[1]);
	return 1;
}

/* Put the function in the place of the frame that was added last. */
static INLINE void add_function(struct sonde_walk *w)
{
	uint64_t number, ip = w->ip;

	w->v8_hash ^= w->v8_hash >> 32;
	w->v8_hash += !w->v8_hash;
	number = sonde_unwind_v8_number(w, 0);
	if (!number && read_texts(w))
		number = sonde_unwind_v8_number(w, 1);
	if (!number) {
		w->n_left++;
		return;
	}
	w->n_frames--;
	w->ip = SONDE_RUN_WORD(w->v8.runtime, (uint32_t)number, SONDE_RUN_AT_NONE);
	add_frame(w);
	w->ip = ip;
	w->run_wanted--;
	w->is_deep = (uint64_t)w->run_wanted >> 63;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* Of the innermost frame: is it not, or no longer, the function's whose frame is at rbp? Handlers
 * of bytecodes have no frame, and functions begin and end without one: then the return address is
 * at rsp. Returns 1 if w->java_* are the registers of the caller; more if it is not known where the
 * return address is: it is popped to remove the arguments before it (pop %r8; lea (%rsp,%rbx,8),
 * %rsp; push %r8; ret). */
static INLINE uint32_t find_edge(struct sonde_walk *w)
{
	uint64_t code;

	w->node[0] = w->node[1] = 0;
	bpf_probe_read_user(w->node, 8, (void *)w->sp);
	w->java_ip = w->node[0];
	w->java_sp = w->sp + 8;
	w->java_fp = w->fp;
	bpf_probe_read_user(w->node + 1, 8, (void *)w->ip);
	bpf_probe_read_user(w->node, 8, (void *)(w->java_ip - 8));
	code = w->node[1];
	return ends_with_call(w->node[0]) |
	       (is_equal(code & 0xfffffd, 0x248d48) | is_equal(code & 0xfff8ff, 0xc35041)) << 1;
}

/* The function that has just begun, of the innermost frame; 0: none. Its object is in rdi until it
 * is in the frame, too, and rcx is the address of its code. That begins with push %rbp; mov %rsp,
 * %rbp; push %rsi; push %rdi; up to version 12, a test is before it, which begins with
 * mov -n(%rcx), %rbx. Built-in functions and handlers begin in other ways. */
static INLINE uint64_t find_begun(struct sonde_walk *w)
{
	uint64_t start = sonde_unwind_register(w, 2), begins;

	w->node[0] = 0;
	bpf_probe_read_user(w->node, 8, (void *)start);
	begins = w->node[0];
	begins = is_equal(begins & 0xffffffffffff, 0x5756e5894855) * V8_BEGINS |
		 is_equal(begins & 0xffffff, 0x598b48) * V8_BEGINS_TESTED;
	return w->ip - start < begins ? sonde_unwind_register(w, 5) : 0;
}

/* Find the function of the frame at rbp, or the one that has just begun (0: none): its
 * SharedFunctionInfo, to w->run. Frames of other code have a number in place of the context. */
static INLINE uint32_t find_function(struct sonde_walk *w, uint64_t begun)
{
	uint64_t has_frame = ~mask_of(begun), bad;

	bad = bpf_probe_read_user(w->run, V8_FRAME, (void *)(w->fp - V8_FRAME));
	bad |= (w->fp - w->sp - V8_FRAME_LEAST) >> FRAME_BITS | (w->fp & 7);
	bad |= is_no_object(word_of_run(w, w->v8.frame_context));
	bad &= has_frame;
	begun |= word_of_run(w, w->v8.frame_function) & has_frame;
	bad |= read_object(w->run, V8_OBJECT, begun);
	bad |= read_object(w->run, V8_OBJECT, word_of_run(w, w->v8.function_shared));
	OPAQUE(bad);
	return !bad && sonde_unwind_v8_is(w, w->run[0], MAP_SHARED, w->v8.type_shared);
}

GLOBAL uint32_t sonde_unwind_v8(struct sonde_walk *w, struct sonde_trail *t, uint32_t has_begun)
{
	uint64_t begun = 0;
	uint32_t edge = 0;

	if (!w || !t || w->other || (w->is_native && w->n_frames > 1))
		return 0;
	t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
	if (!read_v8(w))
		return 0;
	if (has_begun)
		begun = find_begun(w);
	else if (w->n_frames == 1)
		edge = find_edge(w);
	if (edge || (has_begun && !begun))
		return edge & 1;
	if (!w->is_native && find_function(w, begun) && identify(w))
		add_function(w);
	return 0;
}

#else

GLOBAL uint32_t sonde_unwind_v8(struct sonde_walk *w, struct sonde_trail *t, uint32_t has_begun)
{
	return 0;
}

#endif
