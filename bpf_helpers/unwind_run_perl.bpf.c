/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Frames of Perl in a walk (unwind.bpf.c), in place of those of Perl_runops_standard(), as
 * unwind_run.bpf.c describes for CPython. The pthread key PL_thr_key has the interpreter. Its
 * contexts (of subs, evals, blocks, loops) are on stacks, each of which leads to the one before. A
 * context has the line from which it was entered.
 *
 * A sub that C code has called has no operation to return to: it is the last one of a run. So are
 * the block of a sort and the like. A run belongs to one C frame, but there may be more C frames:
 * where an eval needs a place to jump to when it fails (a JMPENV), Perl calls the function again in
 * the middle of a run, which the inner C frame finishes. Such a place is a local variable of C. If
 * one lies between two C frames, the outer one has no run, unless the run has ended in an eval that
 * C code has made with that place. And an eval must be in the frame next to the place that it has.
 *
 * If anything is not so, or the runs are not as many as the C frames in the end, all of them stay C
 * frames. Code for a sort and the like may not run at present: then the walk is done again without
 * its run.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#if defined(SONDE_TARGET_x86) && !defined(SONDE_WHOLE)

enum {
	/* struct interpreter: the statement, then the stack of contexts; layout.thread_frame: the
	 * innermost JMPENV, before the outermost */
	PERL_STATEMENT = 208,
	/* struct stackinfo */
	PERL_STACK = 40,
	/* struct context */
	PERL_CONTEXT = 104,
	CONTEXT_STATEMENT = 16,
	/* struct cop, from its line on */
	STATEMENT_LINE = 36,
	STATEMENT_FILE = 48,
	/* the bodies of a sub, a glob and a stash, from which on they are read, and a flag */
	PERL_BODY = 32,
	PERL_SUB = 64,
	SUB_NAMED = 0x8000,
	SUB_LEXICAL = 0x10000,
	PERL_KEYS = 32,
	PERL_ENVS = 4,	  /* places to jump to between two C frames, at most */
	PERL_STACKS = 8,  /* stacks without contexts behind each other */
	PERL_STEPS = 3,	  /* of next_php() for a context */
	PERL_PATH = 512,  /* bytes of w->run */
	PERL_IS_LEFT = 2, /* w->php_skip: all C frames stay; 1: the first run is left out */
};

/* Words of w->run: the context below, and from PERL_THIS on the context. */
enum {
	PERL_THIS = PERL_CONTEXT / 8,
	CONTEXT_TYPE = 0,
	CONTEXT_COP = CONTEXT_STATEMENT / 8,
	CONTEXT_RETURN = 6,
	CONTEXT_SUB = 9,
	CONTEXT_ENV = 12,
};

/* Low bits of CONTEXT_TYPE, and flags above. */
enum {
	CX_NULL = 0, /* the block of a sort */
	CX_SUB = 9,
	CX_FORMAT = 10,
	CX_EVAL = 11,
	CX_DEFER = 13,
	CX_NONE = 15, /* there is no context */
	CX_KIND = 15,
	CX_MULTICALL = 0x10, /* C code calls it many times */
	CX_BLOCK = 0x40,     /* of an eval: not of a text */
	CX_FAKE = 0x80,	     /* of a sub: code in a pattern */
};

/* 1 if a is b. */
static INLINE uint64_t is_same(uint64_t a, uint64_t b)
{
	return ~mask_of(a ^ b) & 1;
}

/* Go to a stack of contexts. */
static INLINE void enter_stack(struct sonde_walk *w, uint64_t at)
{
	w->run[1] = w->run[2] = w->run[4] = 0;
	bpf_probe_read_user(w->run, PERL_STACK, (void *)at);
	w->perl_base = w->run[1];
	w->perl_outer = w->run[2];
	w->perl_at = w->perl_base + (int64_t)(int32_t)w->run[4] * PERL_CONTEXT;
}

static INLINE_CORE void find_perl(struct sonde_walk *w)
{
	struct task_struct___unwind *task = (void *)w->task;
	uint64_t base = BPF_CORE_READ(task, thread.fsbase), key = 0;

	w->php_is_wrong = w->perl_is_done = w->perl_is_matched = 0;
	w->php_texts[PHP_FILE] = 0; /* of another walk */
	if (w->php_skip == PERL_IS_LEFT)
		return;
	if (!UNWIND_VARIABLE_OF(w->flags) ||
	    bpf_probe_read_user(&key, 4, (void *)(w->origin + UNWIND_VARIABLE_OF(w->flags))) ||
	    key >= PERL_KEYS ||
	    bpf_probe_read_user(&w->run_at, 8, (void *)(base + PTHREAD_KEYS + 16 * key + 8)) ||
	    bpf_probe_read_user(w->run, 24, (void *)(w->run_at + PERL_STATEMENT)) ||
	    bpf_probe_read_user(&w->perl_env, 8, (void *)(w->run_at + w->layout.thread_frame))) {
		w->run_at = 0;
		return;
	}
	w->php_globals = w->run_at;
	w->run_rest = PERL_STEPS * RUN_MOST;
	w->perl_cop = w->run[0];
	enter_stack(w, w->run[2]);
	w->run[0] = CX_NONE;
	bpf_probe_read_user(w->run, 24, (void *)w->perl_at);
	w->perl_is_idle = w->perl_at >= w->perl_base &&
			  (is_same(w->run[0] & CX_KIND, CX_NULL) |
			   is_same(w->run[0] & (CX_KIND | CX_MULTICALL), CX_SUB | CX_MULTICALL));
	if (w->php_skip && w->perl_is_idle) {
		w->perl_cop = w->run[CONTEXT_COP];
		w->perl_at -= PERL_CONTEXT;
	}
}

/* ---- functions ---- */

/* Find the texts that tell the function from others, as find_texts() does of PHP: the name of the
 * sub, that of its package, and the file of the statement; and its line. */
static INLINE void find_perl_texts(struct sonde_walk *w)
{
	uint64_t named, has_package, stash, at, length;

	/* the sub: its package, its name or glob, its flags */
	bpf_probe_read_user(&w->look, 8, (void *)readable(w, w->perl_sub));
	bpf_probe_read_user(w->run, PERL_SUB, (void *)(w->look + PERL_BODY));
	named = -(w->run[7] >> 32 & SUB_NAMED) >> 63;
	has_package = (w->run[7] >> 32 & SUB_LEXICAL) / SUB_LEXICAL ^ 1;
	OPAQUE(named);
	named = -named;
	stash = w->run[0] & named & -has_package;
	w->code[PHP_NAME] = w->run[3] & named;
	/* the glob: its name, its package */
	w->run[8] = w->run[9] = 0;
	bpf_probe_read_user(&w->look, 8, (void *)readable(w, w->run[3] & ~named));
	bpf_probe_read_user(w->run + 8, 16, (void *)(w->look + PERL_BODY));
	w->code[PHP_NAME] |= w->run[8] & ~named;
	stash |= w->run[9] & ~named;
	/* the package: its name, or an array of names */
	bpf_probe_read_user(&w->look, 8, (void *)readable(w, stash));
	w->run[3] = w->run[0] = 0;
	bpf_probe_read_user(w->run, 32, (void *)(w->look + PERL_BODY));
	at = w->look = w->run[0];
	if (w->run[3] >> 32)
		bpf_probe_read_user(&w->look, 8, (void *)readable(w, at));
	at = mask_of(w->perl_sub);
	w->code[PHP_NAME] &= at;
	w->code[PHP_CLASS] = w->look & at & mask_of(stash);
	LOOP for (uint32_t i = PHP_NAME; i <= PHP_CLASS; i++)
	{
		w->look = 0;
		bpf_probe_read_user(&w->look, 8, (void *)readable(w, w->code[i]));
		w->php_texts[i] = w->look * FACTOR | ~mask_of(w->code[i]);
		w->perl_length[i] = w->look >> 32 & mask_of(w->code[i]);
	}
	/* a sub has both, or a name alone: else something could not be read */
	w->php_texts[PHP_NAME] &= mask_of(w->code[PHP_NAME]) | ~at;
	/* the statement */
	w->run[0] = w->run[2] = 0;
	bpf_probe_read_user(w->run, 24, (void *)(w->perl_cop + STATEMENT_LINE - 4));
	w->php_line = w->run[0] >> 32 & 0xffffff;
	at = w->run[2];
	if (at == w->code[PHP_FILE] && w->php_texts[PHP_FILE])
		return;
	w->code[PHP_FILE] = at;
	w->code[PHP_LINE] = w->php_texts[PHP_FILE] = 0;
	length = bpf_probe_read_user_str(w->run, PERL_PATH, (void *)at) - 1;
	if (length - 1 >= PERL_PATH - 2) /* it is empty, too long, or cannot be read */
		return;
	w->perl_length[PHP_FILE] = length;
	hash_bytes(w, at, length, 1);
	w->php_texts[PHP_FILE] = w->look;
}

/* ---- contexts ---- */

/* Leave a stack of contexts, which has no more. Returns 1 if the run is none. */
static INLINE long leave_stack(struct sonde_walk *w)
{
	if (w->perl_outer) {
		enter_stack(w, w->perl_outer);
		return w->perl_has_context & 1;
	}
	/* the program itself has no context; what runs it has the first place to jump to */
	w->perl_sub = 0;
	w->perl_ends = w->perl_is_matched = 1;
	w->perl_next_cop = w->perl_cop;
	w->php_step = STEP_SUB;
	if (w->perl_is_done || w->perl_env_outer != w->run_at + w->layout.thread_frame + 8)
		return 1;
	w->perl_is_done = 1;
	return 0;
}

/* Was the context made by C code that calls a function in an eval, before it has set the place to
 * jump to? */
static INLINE uint64_t is_fake_eval(const uint64_t *context)
{
	return is_same(context[CONTEXT_TYPE] & (CX_KIND | CX_BLOCK), CX_EVAL | CX_BLOCK) &
	       is_same(context[CONTEXT_RETURN], 0);
}

/* Does code of its own begin in the context, without an operation to which it returns? */
static INLINE uint64_t is_code(uint64_t type)
{
	return is_same(type & CX_KIND, CX_NULL) | is_same(type & CX_KIND, CX_DEFER) |
	       is_same(type & (CX_KIND | CX_FAKE), CX_SUB | CX_FAKE);
}

/* Read the next context of the run. Returns 1 at the end of the run. */
static INLINE long read_context(struct sonde_walk *w, struct running *r)
{
	uint64_t *this = w->run + PERL_THIS, at = w->perl_at, type, is_eval, is_fake, is_called,
		 is_shown, ends, env;

	if ((int64_t)(at - w->perl_base) < 0)
		return leave_stack(w);
	w->run[CONTEXT_TYPE] = CX_NONE;
	if (at == w->perl_base
		    ? bpf_probe_read_user(this, PERL_CONTEXT, (void *)at)
		    : bpf_probe_read_user(w->run, 2 * PERL_CONTEXT, (void *)(at - PERL_CONTEXT)))
		return 1;
	w->perl_at = at - PERL_CONTEXT;
	type = this[CONTEXT_TYPE];
	env = this[CONTEXT_ENV];
	is_eval = is_same(type & CX_KIND, CX_EVAL);
	is_fake = is_fake_eval(this);
	/* is it that of C code which has called this run, though its sub has none? */
	ends = is_fake & is_same(env, w->perl_env_outer);
	w->perl_is_matched = ends;
	/* an eval of the frame has its place; those of C code may have been set after it */
	if (is_eval & ~ends & ~is_same(env, w->perl_env) & ~(is_fake & (env < w->perl_env)))
		return 1;
	w->perl_has_context |= !is_fake;
	/* a sub, a format or a text */
	is_called = is_same(type & CX_KIND, CX_SUB) | is_same(type & CX_KIND, CX_FORMAT) |
		    (is_eval & ~(type / CX_BLOCK));
	is_shown = is_called & ~is_same(type & CX_KIND, CX_FORMAT) &
		   ~is_same(type & (CX_KIND | CX_FAKE), CX_SUB | CX_FAKE);
	ends |= is_called & is_same(this[CONTEXT_RETURN], 0) & ~is_code(w->run[CONTEXT_TYPE]);
	ends |= is_called & ~is_eval & is_same(type & CX_MULTICALL, CX_MULTICALL);
	ends |= is_code(type);
	OPAQUE(ends);
	/* that of C code which has called the run */
	is_fake = ends & is_fake_eval(w->run) & is_same(w->run[CONTEXT_ENV], w->perl_env_outer);
	OPAQUE(is_fake);
	w->perl_at -= PERL_CONTEXT & -is_fake;
	w->perl_is_matched |= is_fake | (ends & is_eval);
	w->perl_ends = ends;
	w->perl_sub = this[CONTEXT_SUB] & -(is_called & ~is_eval);
	w->perl_next_cop = w->perl_cop;
	if (ends | is_shown)
		w->perl_next_cop = this[CONTEXT_COP];
	if (is_shown & 1) {
		w->php_step = STEP_SUB;
		return 0;
	}
	w->perl_cop = w->perl_next_cop;
	r->is_own = ends;
	return ends & 1;
}

/* Find out of which function the frame is, if it is wanted. */
static INLINE long read_sub(struct sonde_walk *w)
{
	uint64_t n = (uint64_t)w->n_frames - w->run_n;

	if ((int64_t)n > w->run_wanted)
		w->php_texts[PHP_NAME] = 0;
	else
		find_perl_texts(w);
	w->perl_cop = w->perl_next_cop;
	w->php_step = STEP_ADD;
	return 0;
}

/* The frame was added to the stack. Returns 1 if it is the last one of the run. */
static INLINE uint64_t end_sub(struct sonde_walk *w)
{
	w->php_step = STEP_CONTEXT;
	return w->perl_ends & 1;
}

/* Pass the places to jump to that are below sp. Returns their number. */
static INLINE uint64_t pass_places(struct sonde_walk *w, uint64_t sp)
{
	uint64_t n = 0, first = w->run_at + w->layout.thread_frame + 8;

	LOOP for (; n < PERL_ENVS && w->perl_env < sp && w->perl_env != first;
		  n++) if (bpf_probe_read_user(&w->perl_env, 8, (void *)w->perl_env)) break;
	w->perl_env_outer = 0;
	bpf_probe_read_user(&w->perl_env_outer, 8, (void *)w->perl_env);
	return n;
}

/* Take the C frame off the stack, whose run another one has; was it called by an eval of C code? */
static INLINE void pass_loop(struct sonde_walk *w)
{
	uint64_t is_fake;

	w->run[CONTEXT_TYPE] = CX_NONE;
	if ((int64_t)(w->perl_at - w->perl_base) >= 0)
		bpf_probe_read_user(w->run, PERL_CONTEXT, (void *)w->perl_at);
	is_fake = is_fake_eval(w->run) & is_same(w->run[CONTEXT_ENV], w->perl_env_outer);
	w->perl_at -= PERL_CONTEXT & -is_fake;
	w->perl_is_matched = is_fake;
}

static INLINE void end_perl_run(struct sonde_walk *w, uint64_t is_own)
{
	if (!is_own) {
		w->php_is_wrong = w->is_deep = 1;
	} else if (w->n_frames == w->run_n) { /* a run without a function */
		w->n_left--;
		w->run_after = w->n_frames + 1;
		w->ip = w->run_caller;
	} else {
		sonde_unwind_run_end(w, 1);
	}
}

/* As begin_php(). */
static INLINE uint64_t begin_perl(struct sonde_walk *w, uint64_t sp)
{
	uint64_t n_places;

	w->php_n++;
	if (!w->run_at)
		return 0;
	n_places = pass_places(w, sp);
	w->run_frame = w->run_at;
	take_frame(w);
	w->php_step = STEP_CONTEXT;
	w->perl_has_context = 0;
	if (w->php_n == 1 || !n_places || w->perl_is_matched)
		return 1;
	pass_loop(w);
	end_perl_run(w, 1);
	return 0;
}

/* Are there contexts left that belong to no C frame? */
static INLINE uint32_t has_more_contexts(struct sonde_walk *w)
{
	LOOP for (uint32_t i = 0; i < PERL_STACKS && !w->perl_is_done; i++)
	{
		if ((int64_t)(w->perl_at - w->perl_base) >= 0)
			return 1;
		if (!w->perl_outer)
			return 0;
		enter_stack(w, w->perl_outer);
	}
	return !w->perl_is_done;
}

/* As sonde_unwind_php_end(). */
static INLINE uint32_t end_perl(struct sonde_walk *w)
{
	if (!w->run_at ||
	    (!w->php_is_wrong && (w->end != UNWIND_COMPLETE || !has_more_contexts(w))))
		return 1;
	w->php_skip = w->perl_is_idle && !w->php_skip ? 1 : PERL_IS_LEFT;
	walk_again(w);
	w->n_left = 0;
	return 0;
}

#endif
