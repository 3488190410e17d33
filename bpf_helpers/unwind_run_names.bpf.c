/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What tells a function of PHP or Perl from others, for the walks of unwind_run_php.bpf.c and
 * unwind_run_perl.bpf.c: its name, its class, its file, each by its address and a hash. The numbers
 * of functions are those of unwind_run.bpf.c.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#if defined(SONDE_TARGET_x86) && !defined(SONDE_WHOLE)

enum {
	/* struct _zend_string */
	PHP_TEXT_HASH = 8,
	PHP_TEXT_LENGTH = 16,
	PHP_TEXT_BYTES = 24,
	PERL_TEXT_BYTES = 8, /* struct hek */
	PHP_HASHED = 63,
};

/* What the next call of next_php() does. In one, the verifier would follow each way through the
 * first to the last of them. */
enum {
	STEP_FRAME, /* read a frame */
	STEP_TEXT,  /* make the hashes of its three texts */
	STEP_ADD = STEP_TEXT + 3,
	STEP_GENERATOR, /* look for a generator */
	PHP_STEPS = STEP_ADD + 1,
	/* Perl: read a context; find the sub. Then STEP_ADD */
	STEP_CONTEXT = STEP_GENERATOR + 1,
	STEP_SUB,
};

/* Words of w->code: what tells a function from others; three texts first. */
enum { PHP_NAME, PHP_CLASS, PHP_FILE, PHP_LINE };

/* The address, or one that can be read if it is 0: a fault takes 15 us. */
static INLINE uint64_t readable(const struct sonde_walk *w, uint64_t address)
{
	uint64_t is_some = mask_of(address);

	return (address & is_some) | (w->php_globals & ~is_some);
}

/* Set w->look to a hash of the length and up to PHP_HASHED bytes of the text at `at`: the first
 * ones, or the last ones of a path. 0: it cannot be read. */
static INLINE void hash_bytes(struct sonde_walk *w, uint64_t at, uint64_t length, uint32_t is_path)
{
	uint64_t hash = length * FACTOR, n = at_most(length & 0xffffffff, PHP_HASHED);

	at += is_path ? length - n : 0;
	for (uint32_t i = 0; i < (PHP_HASHED + 1) / 8; i++)
		w->node[i] = 0;
	w->look = 0;
	if (bpf_probe_read_user(w->node, n & PHP_HASHED, (void *)at))
		return;
	for (uint32_t i = 0; i < (PHP_HASHED + 1) / 8; i++)
		hash = (hash ^ w->node[i]) * FACTOR;
	w->look = hash;
}

/* 0: the function cannot be told from others. */
static INLINE uint64_t hash_of_php(struct sonde_walk *w)
{
	uint64_t hash = (uint64_t)w->stack.tgid << 32 | w->stack.exec_id, is_known = ~0ull;

	for (uint32_t i = 0; i < PHP_LINE; i++) {
		is_known &= mask_of(w->php_texts[i]);
		hash = (hash * FACTOR ^ w->code[i]) * FACTOR ^ w->php_texts[i];
	}
	hash = (hash * FACTOR ^ w->code[PHP_LINE]) * FACTOR;
	hash = (hash ^ hash >> 32) & is_known;
	OPAQUE(hash);
	return hash;
}

/* Find the bytes of one of the texts, as find_text() does of CPython. */
static INLINE uint64_t find_php_text(struct sonde_walk *w, uint32_t i, struct sonde_code_text *out)
{
	uint64_t at = w->code[i], skip;

	w->look = w->perl_length[i];
	if (w->layout.kind == UNWIND_PHP) {
		bpf_probe_read_user(&w->look, 8, (void *)(readable(w, at) + PHP_TEXT_LENGTH));
		w->look &= mask_of(at);
		at += PHP_TEXT_BYTES;
	} else if (i != PHP_FILE) {
		at += PERL_TEXT_BYTES;
	}
	out->n = w->look;
	out->bytes = 1;
	skip = w->look - UNWIND_CODE_TEXT;
	skip &= (skip >> 63) - 1;
	at += i == PHP_FILE ? skip : 0;
	skip = w->look & 0xffffffff;
	w->look = at;
	return at_most(skip, UNWIND_CODE_TEXT);
}

/* As send(). The name of the class takes the place of the table of lines. */
static INLINE uint64_t send_php(struct sonde_walk *w, struct codes *codes, uint64_t at,
				uint64_t hash)
{
	struct sonde_code_event *ev = begin_code(w, w->run_runtime, at);
	uint64_t n;

	if (!ev)
		return 0;
	n = find_php_text(w, PHP_CLASS, &ev->name);
	ev->n_lines = ev->name.n;
	bpf_probe_read_user(ev->lines, n & UNWIND_CODE_TEXT, (void *)w->look);
	n = find_php_text(w, PHP_NAME, &ev->name);
	bpf_probe_read_user(ev->name_bytes, n & UNWIND_CODE_TEXT, (void *)w->look);
	n = find_php_text(w, PHP_FILE, &ev->file);
	bpf_probe_read_user(ev->file_bytes, n & UNWIND_CODE_TEXT, (void *)w->look);
	return put_code(codes, ev, at, hash);
}

/* The number of the function, as number_of(). */
static INLINE uint64_t php_number(struct sonde_walk *w)
{
	uint64_t hash = hash_of_php(w), at, found;
	uint32_t zero = 0;
	struct codes *codes = bpf_map_lookup_elem(&sonde_codes, &zero);

	if (!hash || !codes)
		return 0;
	found = find_code(codes, hash, &at);
	if (!found)
		found = send_php(w, codes, at, hash);
	return found == hash ? at + 1 : 0;
}

/* Begin the walk again. */
static INLINE void walk_again(struct sonde_walk *w)
{
	w->ip = w->first[0];
	w->sp = w->first[1];
	w->fp = w->first[2];
	w->extra_at = EXTRA_IN_REGISTER;
	w->exact = 1;
	w->by_fp = w->is_sp_least = 0;
	w->n_frames = w->n_certain = 0;
	w->file = w->files = w->bytes = 0;
	w->run_wanted = w->first[3];
	w->run_runtime = w->is_deep = w->php_n = w->php_is_wrong = 0;
	w->run_after = ~0u;
	w->end = UNWIND_GOES_ON;
}

#endif
