/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Frames of PHP in a walk (unwind.bpf.c), in place of those of execute_ex(), as unwind_run.bpf.c
 * describes for CPython. executor_globals leads to the innermost frame, each frame to its caller.
 * Functions of C, such as usleep(), have frames too.
 *
 * A frame that C code has called has the flag CALL_TOP: if it is one of a function of PHP, it is
 * the last of a run. The first run belongs to the innermost execute_ex(), and so on. Two things
 * shift this: execute_ex() may not have been entered yet, or its function has returned and it
 * destroys variables, perhaps by functions of PHP. Most callers take the result in a variable of
 * their own: it must lie above the frame of the run's execute_ex(), and below the next one. If it
 * lies elsewhere, the walk is done again, with what was learnt. If the number of runs is not that
 * of the C frames in the end, all of them stay C frames.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#if defined(SONDE_TARGET_x86) && !defined(SONDE_WHOLE)

enum {
	/* struct _zend_execute_data */
	PHP_FRAME = 56,
	CALL_TOP = 1 << 17,
	CALL_GENERATOR = 1 << 24,
	/* struct _zend_generator: its frame, the generator that it delegates to, a frame without a
	 * function that stands for it while that one runs */
	GENERATOR_FRAME = 56,
	GENERATOR_PARENT = 152,
	GENERATOR_FAKE = 184,
	/* struct _zend_op_array, of which the first words are those of all functions */
	PHP_FUNCTION = 184,
	PHP_FUNCTION_HEAD = 24,
	PHP_FUNCTION_AT = 8, /* the word of w->run */
	PHP_OPLINE = 32,     /* bytes of an instruction */
	PHP_OPLINE_LINE = 24,
	PHP_CLASS_NAME = 8,
	PHP_STACK = 8 << 20, /* a stack is at most as large */
	PHP_TRIES = 8,
};

/* Words of w->run: a frame, and from PHP_FUNCTION_AT on its function. */
enum {
	FRAME_OPLINE = 0,
	FRAME_VALUE = 2,
	FRAME_FUNCTION = 3,
	FRAME_THIS,
	FRAME_INFO,
	FRAME_CALLER,
	FUNCTION_TYPE = PHP_FUNCTION_AT, /* in its low byte; odd: of C */
	FUNCTION_NAME,
	FUNCTION_CLASS,
};

static INLINE void find_php(struct sonde_walk *w)
{
	w->php_globals = w->origin + UNWIND_VARIABLE_OF(w->flags);
	w->php_n_skipped = w->php_n_unsure = w->php_is_wrong = w->php_is_unreadable = 0;
	w->php_value = 0;
	if (!UNWIND_VARIABLE_OF(w->flags))
		return;
	w->run_rest = PHP_STEPS * RUN_MOST;
	bpf_probe_read_user(&w->run_at, 8, (void *)(w->php_globals + w->layout.globals_frame));
}

/* ---- functions ---- */

/* Find what tells the function in w->run from all others: its texts, with the hashes that most of
 * them keep. These are not unique: those of "ab" and "bA" are equal. PHP gives new strings the
 * memory of old ones, so their addresses do not suffice either. Returns 0 if a hash is missing. */
static INLINE uint64_t find_texts(struct sonde_walk *w, uint64_t is_user)
{
	uint64_t file = 8 * PHP_FUNCTION_AT + w->layout.function_file, at, has_all = ~0ull;

	w->code[PHP_NAME] = w->run[FUNCTION_NAME];
	w->code[PHP_FILE] = word_of_run(w, file) & is_user;
	w->code[PHP_LINE] = (uint32_t)word_of_run(w, file + 8) & is_user;
	w->code[PHP_CLASS] = 0;
	bpf_probe_read_user(&w->code[PHP_CLASS], 8,
			    (void *)(readable(w, w->run[FUNCTION_CLASS]) + PHP_CLASS_NAME));
	w->code[PHP_CLASS] &= mask_of(w->run[FUNCTION_CLASS]);
	for (uint32_t i = 0; i < PHP_LINE; i++) {
		at = w->code[i];
		w->php_texts[i] = 0;
		bpf_probe_read_user(&w->php_texts[i], 8, (void *)(readable(w, at) + PHP_TEXT_HASH));
		w->php_texts[i] |= ~mask_of(at);
		has_all &= mask_of(w->php_texts[i]);
	}
	return has_all;
}

/* Make the hash of a text that keeps none. */
static INLINE void add_text(struct sonde_walk *w, uint64_t i)
{
	if (w->php_texts[i & 3])
		return;
	w->look = 0;
	bpf_probe_read_user(&w->look, 8, (void *)(w->code[i & 3] + PHP_TEXT_LENGTH));
	hash_bytes(w, w->code[i & 3] + PHP_TEXT_BYTES, w->look, i == PHP_FILE);
	w->php_texts[i & 3] = w->look;
}

/* ---- frames ---- */

/* Is the instruction one of the function in w->run? All bits, or 0. */
static INLINE uint64_t is_of_function(struct sonde_walk *w, uint64_t opline)
{
	uint64_t at = 8 * PHP_FUNCTION_AT + w->layout.function_opcodes, n, is_of;

	n = (uint32_t)word_of_run(w, at - 8) * (uint64_t)PHP_OPLINE;
	at = opline - word_of_run(w, at);
	is_of = (at - n & ~at) >> 63;
	OPAQUE(is_of);
	return -is_of;
}

/* The line that the function in w->run executes; 0: not known. */
static INLINE uint64_t php_line(struct sonde_walk *w)
{
	uint64_t at = w->php_opline, is_of = is_of_function(w, at), line = 0;

	at = (at & is_of) | (w->run[FRAME_OPLINE] & ~is_of);
	is_of = is_of_function(w, at);
	if (!is_of) { /* it handles an exception */
		bpf_probe_read_user(&w->look, 8,
				    (void *)(w->php_globals + w->layout.globals_opline));
		at = w->look;
		is_of = is_of_function(w, at);
	}
	is_of &= w->php_is_user;
	bpf_probe_read_user(&line, 4, (void *)(readable(w, at & is_of) + PHP_OPLINE_LINE));
	return line & is_of & 0xffffff;
}

/* Read the next frame. Returns 1 if there is none. */
static INLINE long read_php_frame(struct sonde_walk *w)
{
	uint64_t at = w->php_at, is_user, wanted;

	if (bpf_probe_read_user(w->run, PHP_FRAME, (void *)at))
		return 1;
	if (!w->php_generator)
		w->run_frame = w->run[FRAME_CALLER];
	else if (!(w->run[FRAME_INFO] & CALL_GENERATOR))
		return 1;
	if (!w->run[FRAME_FUNCTION]) { /* a copy of the next frame, or that of a generator */
		w->php_at = w->run_frame;
		w->php_parent = 0;
		w->php_leaf = w->php_node = w->run[FRAME_THIS];
		w->php_step = w->php_leaf + GENERATOR_FAKE == at ? STEP_GENERATOR : STEP_FRAME;
		return !w->run_frame;
	}
	if (bpf_probe_read_user(w->run + PHP_FUNCTION_AT, PHP_FUNCTION,
				(void *)w->run[FRAME_FUNCTION]) &&
	    bpf_probe_read_user(w->run + PHP_FUNCTION_AT, PHP_FUNCTION_HEAD,
				(void *)w->run[FRAME_FUNCTION]))
		return 1;
	is_user = (w->run[FUNCTION_TYPE] & 1) - 1;
	OPAQUE(is_user);
	w->php_is_user = is_user;
	w->php_line = php_line(w);
	w->php_opline &= ~AGAIN(w->php_is_user);
	w->php_step = STEP_ADD;
	wanted = (uint64_t)w->n_frames - w->run_n;
	if ((int64_t)wanted > w->run_wanted) /* it is cut off */
		w->php_texts[0] = 0;
	else if (!find_texts(w, AGAIN(w->php_is_user)))
		w->php_step = STEP_TEXT;
	return 0;
}

/* A generator that delegates to another has no frame on the stack while that one runs: callers of
 * the other lead to a frame that stands for the outermost one, w->php_leaf. From there, each
 * generator leads to the one that it delegates to, so they are in the wrong order. The next one on
 * the stack is that whose parent is the last one; the first has no parent, and runs. */
static INLINE long find_generator(struct sonde_walk *w)
{
	uint64_t node = w->php_node;

	w->look = 0;
	bpf_probe_read_user(&w->look, 8, (void *)(node + GENERATOR_PARENT));
	if (w->look != w->php_parent) {
		w->php_node = w->look;
		return !w->look;
	}
	w->php_parent = node;
	w->php_node = w->php_leaf;
	if (w->look) {
		bpf_probe_read_user(&w->php_at, 8, (void *)(node + GENERATOR_FRAME));
		w->php_generator = node;
		w->php_step = STEP_FRAME;
	}
	return 0;
}

/* The frame was added to the stack. Returns 1 if it is the last one of the run. */
static INLINE uint64_t end_php_frame(struct sonde_walk *w)
{
	uint64_t value, is_end, is_more;

	is_end = w->run[FRAME_INFO] / CALL_TOP & w->php_is_user & ~mask_of(w->php_generator);
	value = w->run[FRAME_VALUE] - w->first[1]; /* from the top of the stack */
	w->php_value = w->run[FRAME_VALUE] & -((value - PHP_STACK) >> 63 & ~value >> 63);
	/* below the C frame: its execute_ex() was not entered yet */
	is_end &= ~((value - (w->run_low - w->first[1])) >> 63 & ~value >> 63);
	w->php_at = w->run_frame;
	is_more = mask_of(w->php_generator ^ w->php_leaf) & mask_of(w->php_generator);
	w->php_step = STEP_GENERATOR & (uint32_t)is_more; /* else STEP_FRAME */
	w->php_generator = 0;
	return is_end & 1;
}

/* Do the next step of the run, as next_frame(). */
static __attribute__((noinline)) long next_php(uint64_t i, struct running *r)
{
	struct sonde_walk *w = r->w;
	uint32_t step = w->php_step;
	uint64_t number;

	if (step == STEP_FRAME)
		return read_php_frame(w);
	if (step == STEP_GENERATOR)
		return find_generator(w);
	if (step == STEP_CONTEXT)
		return read_context(w, r);
	if (step == STEP_SUB)
		return read_sub(w);
	if (step < STEP_ADD) {
		add_text(w, step - STEP_TEXT);
		w->php_step = step + 1;
		return 0;
	}
	number = php_number(w);
	w->ip = SONDE_RUN_WORD(w->run_runtime, (uint32_t)number, w->php_line);
	add_frame(w);
	r->is_own = w->layout.kind == UNWIND_PERL ? end_sub(w) : end_php_frame(w);
	return AGAIN(r->is_own) || !w->run_frame;
}

/* Begin a run, as add_run(). Returns 0 if the C frame has none. */
static INLINE uint64_t begin_php(struct sonde_walk *w, uint64_t sp)
{
	uint32_t n = w->php_n++;

	/* The last run belongs to this frame, or to one further out: its result lies above this
	 * frame; or no run is left, and where its result goes is not known, as is that of a
	 * script. Generators can run while another function's variables are destroyed. */
	if ((w->php_value && w->php_value >= w->sp) || (!w->run_at && w->php_n_unsure == 1)) {
		w->php_skip |= 1ull << (w->php_last & 63);
		w->php_is_wrong = w->is_deep = 1;
		return 0;
	}
	if (w->php_skip >> (n & 63) & 1) {
		w->php_n_skipped++;
		return 0;
	}
	if (!w->run_at)
		return 0;
	w->run_low = sp;
	w->run_frame = w->run_at;
	take_frame(w);
	w->php_generator = w->php_step = 0;
	w->php_at = w->run_at;
	w->php_opline = w->run_n ? 0 : sonde_unwind_register(w, 15);
	return 1;
}

static INLINE void end_php(struct sonde_walk *w, uint64_t is_own)
{
	w->php_last = w->php_n - 1;
	w->php_n_unsure += 1 + (w->run[FRAME_INFO] / CALL_GENERATOR & 1);
	if (w->php_value)
		w->php_n_unsure = 0;
	w->php_is_unreadable |= !is_own;
	sonde_unwind_run_end(w, is_own & 1);
	if (w->php_is_unreadable)
		w->run_at = w->php_value = 0;
}

/* Are there frames left that belong to no C frame? Those of another fiber are after a frame whose
 * function has no name. */
static INLINE uint32_t has_more_runs(struct sonde_walk *w)
{
	if (!w->run_at || bpf_probe_read_user(w->run, PHP_FRAME, (void *)w->run_at) ||
	    !w->run[FRAME_FUNCTION])
		return w->run_at != 0;
	w->run[FUNCTION_NAME] = 0;
	bpf_probe_read_user(w->run + PHP_FUNCTION_AT, PHP_FUNCTION_HEAD,
			    (void *)w->run[FRAME_FUNCTION]);
	return w->run[FUNCTION_TYPE] & 1 ? w->run[FUNCTION_NAME] != 0 : 1;
}

GLOBAL uint32_t sonde_unwind_php_end(struct sonde_walk *w)
{
	uint32_t left;

	if (!w)
		return 1;
	if (w->layout.kind == UNWIND_PERL)
		return end_perl(w);
	left = w->php_n;
	if (!w->php_is_wrong && (w->end != UNWIND_COMPLETE || w->php_is_unreadable ||
				 (w->n_left == w->php_n_skipped && !has_more_runs(w))))
		return 1;
	if (!w->php_is_wrong || w->php_tries++ == PHP_TRIES)
		w->is_native = 1;
	walk_again(w);
	w->n_left = w->is_native ? left : 0;
	return 0;
}

#else

GLOBAL uint32_t sonde_unwind_php_end(struct sonde_walk *w)
{
	return 1;
}

#endif
