/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Frames of an interpreter in a walk (unwind.bpf.c): those of CPython. One call of its function
 * _PyEval_EvalFrameDefault() runs several functions of a program, since functions of Python that
 * call each other need no C frame. Such a run of frames takes the place of the C frame.
 *
 * The state of the thread is the value of one of its pthread keys. It is recognized by the thread's
 * pthread_self() in it. It leads to the innermost frame; each frame leads to its caller, also from
 * one run to the next. A run belongs to the C frame that holds its struct _PyCFrame (3.11, 3.12) or
 * its shim (from 3.12 on), both of which are local variables of the function. If it belongs to
 * another one, the function was just entered or is returning, and the C frame stays.
 *
 * A frame is one word of the stack (SONDE_RUN_WORD). The function's number is 1 + its place in a
 * table of hashes: the address of a code object is not enough, nor are the pointers in it, because
 * CPython gives a new function the memory of an old one. When a function gets its place, its name
 * is sent.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#ifdef SONDE_TARGET_x86

#ifndef SONDE_WHOLE

/* By number; a look-up in a map would cost the kernel more when it loads the program. */
static const volatile struct unwind_layout layouts[UNWIND_LAYOUTS] = {
	{},
#define RUNTIME(id, name, version, ...) {__VA_ARGS__},
#include "bpf_helpers/runtimes.def"
};

struct codes {
	uint64_t hash[UNWIND_CODES]; /* 0: free */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct codes);
} sonde_codes SEC(".maps");

enum {
	/* glibc: struct pthread has an array of { sequence, value } of the first 32 keys */
	PTHREAD_KEYS = 0x310,
	KEYS = 8,
	RUN_NEAR = 64, /* frames of a run, before 3.11 */
	TRIES_FOR_CODE = 8,
	CODE_ALIGN = 8, /* from 3.14 on, bits of a pointer to a code object may be set */
};

/* A text of CPython: struct PyASCIIObject and those that begin with it, after struct _object. */
struct text_head {
	uint64_t n_references, type, length, hash;
	uint32_t state; /* bytes of a character: bits 2 to 4; compact: bit 5; ASCII: bit 6 */
	uint32_t unused;
};

static INLINE uint64_t word_of_run(const struct sonde_walk *w, uint64_t at)
{
	uint64_t i = at >> 3;

	OPAQUE(i);
	return w->run[i & (RUN_WORDS - 1)];
}

/* ---- functions ---------------------------------------------------------------------------- */

/* min(n, most) of a number of less than 64 bits, without a branch, of which the verifier would
 * follow both sides; `most` is one less than a power of two. */
static INLINE uint64_t at_most(uint64_t n, uint64_t most)
{
	uint64_t less = n - most;

	OPAQUE(less);
	n = most + (less & -(less >> 63));
	OPAQUE(n);
	return n & most;
}

/* Find the characters of the text at `at`: w->look is their address. Returns how many bytes there
 * are; of a path with more than `most`, w->look is that of the last ones. What cannot be read is
 * 0. */
static INLINE uint64_t find_text(struct sonde_walk *w, uint64_t at, struct sonde_code_text *out,
				 uint64_t most, uint32_t is_path)
{
	struct text_head *head = (struct text_head *)w->node;
	uint64_t bytes, n, state, skip;

	bpf_probe_read_user(head, sizeof(*head), (void *)at);
	state = head->state;
	bytes = state >> 2 & 7 & -(state >> 5 & 1);
	n = (head->length & 0xffffffff) * bytes;
	out->n = head->length;
	out->bytes = bytes;
	skip = n - most;
	skip &= (skip >> 63) - 1;
	w->look = at + w->layout.text_other + (is_path ? skip : 0) -
		  (w->layout.text_other - w->layout.text_ascii) * (state >> 6 & 1);
	return n;
}

static INLINE uint64_t code_word(const struct sonde_walk *w, uint64_t at)
{
	uint64_t i = (at - UNWIND_CODE_AT) >> 3;

	OPAQUE(i);
	return w->code[i & 15];
}

static INLINE void read_names(struct sonde_walk *w, struct sonde_code_event *ev)
{
	uint64_t n;

	n = find_text(w, code_word(w, w->layout.code_name), &ev->name, UNWIND_CODE_TEXT, 0);
	bpf_probe_read_user(ev->name_bytes, at_most(n, UNWIND_CODE_TEXT), (void *)w->look);
	n = find_text(w, code_word(w, w->layout.code_file), &ev->file, UNWIND_CODE_TEXT, 1);
	bpf_probe_read_user(ev->file_bytes, at_most(n, UNWIND_CODE_TEXT), (void *)w->look);
}

/* The table of lines is an object `bytes`. */
static INLINE void read_lines(struct sonde_walk *w, struct sonde_code_event *ev)
{
	uint64_t at = code_word(w, w->layout.code_lines);

	w->look = bpf_probe_read_user(w->node, 8, (void *)(at + 16)); /* failed: too long */
	w->look |= w->node[0];
	ev->lines_at = at;
	ev->n_lines = w->look;
	bpf_probe_read_user(ev->lines, at_most(w->look & 0xffffffff, UNWIND_CODE_TABLE),
			    (void *)(at + 32));
}

/* The hash that tells a function from all others, whose code object is at `code`; 0: it cannot be
 * read. */
static INLINE uint64_t hash_of(struct sonde_walk *w, uint64_t code)
{
	uint64_t hash = code, version = w->layout.code_version, tgid, name, line;

	if (bpf_probe_read_user(w->code, UNWIND_CODE_BYTES, (void *)(code + UNWIND_CODE_AT)))
		return 0;
	name = code_word(w, w->layout.code_name);
	line = code_word(w, w->layout.code_line) >> 8 * (w->layout.code_line & 4);
	w->look = 0;
	if (!version) /* the hash that the name keeps */
		bpf_probe_read_user(&w->look, 8, (void *)(name + 24));
	else
		w->look = code_word(w, version) >> 8 * (version & 4);
	tgid = w->stack.tgid;
	hash = (hash ^ (tgid << 32 | w->stack.exec_id)) * FACTOR;
	hash = (hash ^ name) * FACTOR;
	hash = (hash ^ code_word(w, w->layout.code_file)) * FACTOR;
	hash = (hash ^ code_word(w, w->layout.code_lines)) * FACTOR;
	hash = (hash ^ (uint32_t)w->look ^ line << 32) * FACTOR;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/* Begin an event about a function whose place in the table is `at`; NULL: there is no space in the
 * ring. */
static INLINE struct sonde_code_event *begin_code(const struct sonde_walk *w, uint32_t runtime,
						  uint64_t at)
{
	struct sonde_code_event *ev = sonde_ring_try(sizeof(*ev));

	if (!ev)
		return NULL;
	ev->head.probe = 0;
	ev->runtime = runtime;
	ev->code = at + 1;
	ev->tgid = w->stack.tgid;
	ev->line = 0;
	return ev;
}

/* Put the hash of a function into the table, and send the function. Returns the hash that is
 * there. */
static INLINE uint64_t put_code(struct codes *codes, struct sonde_code_event *ev, uint64_t at,
				uint64_t hash)
{
	uint64_t was = __sync_val_compare_and_swap(&codes->hash[at & (UNWIND_CODES - 1)], 0, hash);

	ev->head.id = was ? SONDE_EV_NOTHING : SONDE_EV_CODE;
	sonde_ring_submit(ev, sizeof(*ev));
	return was ?: hash;
}

/* Send a new function, and put its hash into the table. Returns the hash that is there; 0: there is
 * no space in the ring. */
static INLINE uint64_t send(struct sonde_walk *w, struct codes *codes, uint64_t at, uint64_t hash)
{
	struct sonde_code_event *ev = begin_code(w, w->run_runtime, at);
	uint64_t line;

	if (!ev)
		return 0;
	line = w->layout.code_line;
	ev->line = code_word(w, line) >> 8 * (line & 4);
	ev->at = word_of_run(w, w->layout.frame_code) & -(uint64_t)CODE_ALIGN;
	read_names(w, ev);
	read_lines(w, ev);
	return put_code(codes, ev, at, hash);
}

/* Look for a hash in the table. Returns what is at *at: the hash; 0: it is not in the table; else
 * there is no place for it. */
static INLINE uint64_t find_code(struct codes *codes, uint64_t hash, uint64_t *at)
{
	uint64_t found = 0;

	LOOP for (uint32_t i = 0; i < TRIES_FOR_CODE; i++)
	{
		*at = hash + i & (UNWIND_CODES - 1);
		OPAQUE(*at);
		found = codes->hash[*at & (UNWIND_CODES - 1)];
		if (!found || found == hash)
			break;
	}
	OPAQUE(found);
	return found;
}

/* The number of the function with that code object: 1 + its place in the table of hashes. 0: it has
 * none. */
static INLINE uint64_t number_of(struct sonde_walk *w, uint64_t code)
{
	uint64_t hash = hash_of(w, code), at = hash, found;
	uint32_t zero = 0;
	struct codes *codes = bpf_map_lookup_elem(&sonde_codes, &zero);

	if (!hash || !codes)
		return 0;
	found = find_code(codes, hash, &at);
	if (!found)
		found = send(w, codes, at, hash);
	return found == hash ? at + 1 : 0;
}

/* ---- runs --------------------------------------------------------------------------------- */

/* All bits, unless x is 0. */
static INLINE uint64_t mask_of(uint64_t x)
{
	uint64_t y = -x;

	OPAQUE(y); /* the compiler would make a branch */
	y = -((x | y) >> 63);
	OPAQUE(y);
	return y;
}

/* Find the state of the current thread, and what it leads to, without branches. If there is none,
 * w->run_at is 0, as nothing can be read there. */
static INLINE_CORE void find_thread(struct sonde_walk *w)
{
	struct task_struct___unwind *task = (void *)w->task;
	uint64_t base = BPF_CORE_READ(task, thread.fsbase), found = 0, at, state, is_none, differs;

	w->run_at = 0;
	if (bpf_probe_read_user(w->run, KEYS * 16, (void *)(base + PTHREAD_KEYS)))
		return;
	LOOP for (uint32_t i = 0; i < KEYS; i++)
	{
		state = w->run[2 * i + 1];
		is_none = ~mask_of(state);
		at = (state + w->layout.thread_id) & ~is_none;
		at |= (base + 8) & is_none; /* another word of struct pthread: no fault */
		bpf_probe_read_user(&w->look, 8, (void *)at);
		differs = mask_of(w->look ^ base);
		found = (found & differs) | (state & ~differs);
	}
	bpf_probe_read_user(&w->run_at, 8, (void *)(found + w->layout.thread_frame));
}

struct running;
static INLINE void find_php(struct sonde_walk *w); /* unwind_run_php.bpf.c */
static INLINE uint64_t begin_php(struct sonde_walk *w, uint64_t sp);
static INLINE void end_php(struct sonde_walk *w, uint64_t is_own);
static __attribute__((noinline)) long next_php(uint64_t i, struct running *r);
static INLINE_CORE void find_perl(struct sonde_walk *w); /* unwind_run_perl.bpf.c */
static INLINE uint64_t begin_perl(struct sonde_walk *w, uint64_t sp);
static INLINE void end_perl_run(struct sonde_walk *w, uint64_t is_own);

/* Prepare for the runs of a walk. Returns 0 if there are none. */
GLOBAL uint32_t sonde_unwind_run_begin(struct sonde_walk *w)
{
	uint32_t number;

	if (!w)
		return 0;
	number = UNWIND_RUNTIME_OF(w->flags);
	if (w->run_runtime)
		return w->run_runtime == number && w->run_at;
	w->run_runtime = number;
	w->layout = layouts[number & (UNWIND_LAYOUTS - 1)];
	w->run_rest = RUN_MOST;
	w->run_at = 0;
	if (w->layout.kind == UNWIND_CPYTHON)
		find_thread(w);
	else if (w->layout.kind == UNWIND_PHP)
		find_php(w);
	else if (w->layout.kind == UNWIND_PERL)
		find_perl(w);
	return w->run_at != 0;
}

/* A run has ended; is_own: it is one of the function's. Otherwise the function's own frame stays.
 * There are few branches: the verifier follows both sides of each. */
GLOBAL uint32_t sonde_unwind_run_end(struct sonde_walk *w, uint64_t is_own)
{
	uint64_t mask;

	if (!w)
		return 0;
	mask = -(is_own & !w->layout.has_cframe);
	OPAQUE(mask);
	w->run_at = (w->run_at & ~mask) | (w->run_frame & mask);
	w->run_frame = 0;
	is_own &= ((uint64_t)w->run_n - w->n_frames) >> 63; /* else it has returned already */
	OPAQUE(is_own);
	w->n_left -= is_own;
	w->run_wanted -= ((uint64_t)w->n_frames - w->run_n) & -is_own;
	w->is_deep = (uint64_t)w->run_wanted >> 63;
	if (!is_own) {
		/* the outermost frames before the run may have been overwritten */
		w->is_deep |= (WALK_OUTER_AT - WALK_OUTER - 1 - (uint64_t)w->n_frames) >> 63;
		w->n_frames = w->run_n;
		w->ip = w->run_ip;
		add_frame(w);
	}
	w->run_after = w->n_frames + 1;
	w->ip = w->run_caller;
	return 0;
}

/* Is a shim in the frame of the C function? */
static INLINE uint64_t is_in_frame(const struct sonde_walk *w, uint64_t shim)
{
	int64_t at = shim - w->run_low;

	return (uint64_t)(~at & (at - (int64_t)w->run_bytes)) >> 63;
}

struct running {
	struct sonde_walk *w;
	uint64_t is_own; /* has the run ended, and is it one of the function's? */
};

/* Add the next frame of the run. Returns 1 at its end. It calls no function: a program can nest
 * only 8 calls, and a script's loops are calls, too. */
static __attribute__((noinline)) long next_frame(uint64_t i, struct running *r)
{
	struct sonde_walk *w = r->w;
	uint64_t code, number = 0, at = w->run_frame, is_end, start;

	if (bpf_probe_read_user(w->run, w->layout.frame_bytes & 127, (void *)at))
		return 1;
	w->run_frame = word_of_run(w, w->layout.frame_previous);
	is_end = word_of_run(w, w->layout.frame_end) >> 8 * (w->layout.frame_end & 7);
	is_end = ((uint64_t)((uint8_t)is_end ^ w->layout.end) - 1) >> 63;
	is_end |= ~mask_of(at ^ w->run_last) & 1;
	OPAQUE(is_end);
	if (is_end & w->layout.has_shim) {
		r->is_own = is_in_frame(w, at);
		return 1;
	}
	code = word_of_run(w, w->layout.frame_code) & -(uint64_t)CODE_ALIGN;
	if ((int64_t)((uint64_t)w->n_frames - w->run_n) <= w->run_wanted) /* else it is cut off */
		number = number_of(w, code);
	start = (code + w->layout.code_bytes) & ~mask_of(w->layout.frame_locals);
	w->ip = SONDE_RUN_WORD(w->run_runtime, (uint32_t)number,
			       ((word_of_run(w, w->layout.frame_at) << (w->layout.at_shift & 1)) -
				start) >>
				       1);
	add_frame(w);
	r->is_own = is_end;
	return is_end || !w->run_frame;
}

/* Where the run of the C frame begins, which the walk has just left; 0: it has none. */
static INLINE uint64_t first_of_run(struct sonde_walk *w)
{
	uint64_t first = w->run_at;

	w->run_last = 0;
	if (w->layout.frame_locals) {
		if (bpf_probe_read_user(&w->look, 8, (void *)(w->sp - UNWIND_SLOT_OF(w->flags))))
			return 0;
		w->run_last = w->look - w->layout.frame_locals;
	}
	if (!w->layout.has_cframe)
		return first;
	if (first - w->run_low >= w->run_bytes || bpf_probe_read_user(w->run, 24, (void *)first))
		return 0;
	w->run_at = word_of_run(w, w->layout.cframe_previous);
	return word_of_run(w, w->layout.cframe_frame);
}

/* Take the C frame off the stack; sonde_unwind_run_end() may put it back. */
static INLINE void take_frame(struct sonde_walk *w)
{
	uint64_t last;

	w->run_caller = w->ip;
	w->n_frames--;
	w->run_n = w->n_frames;
	last = w->n_frames;
	OPAQUE(last);
	w->run_ip = w->words[WALK_OUTER_AT + (last & (WALK_OUTER - 1))];
}

/* Put frames of the interpreter in place of the function's, which the walk has left; it was at `sp`
 * there. */
static INLINE void add_run(struct sonde_walk *w, uint64_t sp)
{
	struct running r = {w, 0};
	uint32_t has_run, most;

	if (w->other)
		return;
	has_run = sonde_unwind_run_begin(w);
	if (w->layout.kind == UNWIND_PHP || w->layout.kind == UNWIND_PERL) {
		if (UNWIND_RUNTIME_OF(w->flags) != w->run_runtime)
			return;
		w->look = w->layout.kind == UNWIND_PHP ? begin_php(w, sp) : begin_perl(w, sp);
		if (!AGAIN(w->look))
			return;
		w->run_rest -= bpf_loop(w->run_rest, next_php, &r, 0);
		if (w->layout.kind == UNWIND_PHP)
			end_php(w, r.is_own);
		else
			end_perl_run(w, r.is_own);
		return;
	}
	if (!has_run)
		return;
	w->run_low = sp;
	w->run_bytes = w->sp - sp;
	w->run_frame = first_of_run(w);
	if (!w->run_frame)
		return;
	take_frame(w);
	most = w->run_rest;
	if (w->layout.frame_locals && most > RUN_NEAR)
		most = RUN_NEAR;
	w->run_rest -= bpf_loop(most, next_frame, &r, 0);
	sonde_unwind_run_end(w, r.is_own & 1);
}

#else

static INLINE void add_run(struct sonde_walk *w, uint64_t sp)
{
}

#endif

/* Go to the caller, and put frames of the interpreter in place of the function's. It may have none:
 * the function was just entered or is returning, or the thread is not the current one. */
static INLINE uint32_t leave_run(struct sonde_walk *w, const struct unwind_rule *rule)
{
	uint64_t sp = w->sp, fp = w->fp, cfa;

	cfa = (rule->cfa == UNWIND_RUN_FP ? fp : sp) + (int64_t)rule->cfa_offset;
	if (cfa <= sp)
		return UNWIND_BAD_FRAME;
	if (UNWIND_SAVED_FP(rule->saved) == UNWIND_FP_AT_CFA) {
		if (!sonde_unwind_follow(w, cfa + fp_offset(rule)))
			return UNWIND_UNREADABLE;
		fp = w->look;
	}
	if (!sonde_unwind_follow(w, cfa - 8))
		return UNWIND_UNREADABLE;
	enter_caller(w, rule, cfa, fp);
	w->ip = w->look;
	if (w->is_native)
		return UNWIND_GOES_ON;
	w->n_left++;
	add_run(w, sp);
	return w->is_deep ? UNWIND_DEEP : UNWIND_GOES_ON;
}

#endif
