/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Reads the words of the stack that is walked (unwind.bpf.c).
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

GLOBAL uint32_t sonde_unwind_read(struct sonde_walk *w, uint64_t address)
{
	uint64_t bytes = -address & (PAGE - 1); /* bytes to the end of the page */

	if (!w)
		return 0;
	if (w->other)
		return take_given(w, address);
	w->window_at = address;
	w->window_bytes = WALK_WINDOW;
	if (!bpf_probe_read_user(w->window, WALK_WINDOW, (void *)address))
		return 1;
	if (bytes >= WALK_WINDOW || bytes < 8)
		bytes = 8;
	w->window_bytes = bytes;
	if (!bpf_probe_read_user(w->window, bytes, (void *)address))
		return 1;
	w->window_bytes = 0;
	return 0;
}

/* Read a word of the stack, and note it in the trail. */
static INLINE uint32_t read_word(struct sonde_walk *w, struct sonde_trail *t, uint64_t address,
				 uint64_t *out)
{
	uint64_t at = address - w->window_at, slot = t->n_slots, word;

	if (at + 8 > w->window_bytes || at > WALK_WINDOW || at & 7) {
		if (!sonde_unwind_read(w, address))
			return 0;
		at = address - AGAIN(w->window_at); /* 0, which the verifier need not know */
	}
	at >>= 3;
	OPAQUE(at);
	word = w->window[at & (WALK_WINDOW / 8 - 1)];
	t->n_slots = slot + 1;
	OPAQUE(slot);
	slot &= WALK_SLOTS - 1;
	address -= t->sp;
	t->at[slot] = address >> 3;
	t->word[slot] = word;
	if (address >= WALK_MOST || address & 7)
		t->n_slots = WALK_SLOTS + 1; /* not learnt */
	else if (address >= t->bytes)
		t->bytes = address + 8;
	*out = CUT_WORD(w, word);
	return 1;
}

/* The same, to w->look. */
GLOBAL uint32_t sonde_unwind_word(struct sonde_walk *w, struct sonde_trail *t, uint64_t address)
{
	return w && t && read_word(w, t, address, &w->look);
}

/* The same as read_word(), with less code, for rules that few frames have. */
static INLINE uint32_t read_rare(struct sonde_walk *w, struct sonde_trail *t, uint64_t address,
				 uint64_t *out)
{
	uint32_t is_read = sonde_unwind_word(w, t, address);

	*out = w->look;
	return is_read;
}
