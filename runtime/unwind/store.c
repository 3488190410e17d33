/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of unwind tables: see store.h.
 *
 * A chunk is an inner map, filled through mmap. Putting one into the outer map makes the kernel
 * wait for an RCU grace period (10 to 20 ms), so unwind_store_commit() puts all new chunks there in
 * one batch. A thread puts reserved ones there, while they are being filled already.
 *
 * Running programs may still read words that were dropped. Such words are collected, and become
 * free after an RCU grace period, for which the store waits only when no free words are left. If
 * this process is not allowed to wait for one, the words become free one second after the last of
 * them was dropped.
 */
#include "runtime/unwind/store.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/rcu_wait.h"
#include "runtime/base/thread.h"
#include "runtime/unwind/extents.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = UNWIND_CHUNK_WORDS * 4,
	RULES_BYTES = UNWIND_RULES * sizeof(struct unwind_rule),
	/* with fewer words, wait only if the store cannot grow */
	SETTLE_WORDS = UNWIND_CHUNK_WORDS / 4,
};
#define DROPPED_NS 1000000000ull

enum { MAP_STORE, MAP_RULES, MAP_SPACES, MAP_FILES, MAP_CODES, MAP_COUNT };

static const struct map_kind {
	const char *name;
	uint32_t type, key_size, value_size, max_entries, flags;
} kinds[] = {
	[MAP_STORE] = {"sonde_unwind_store", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, UNWIND_CHUNKS, 0},
	[MAP_RULES] = {"sonde_unwind_rules", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct unwind_rule),
		       UNWIND_RULES, BPF_F_MMAPABLE},
	[MAP_SPACES] = {"sonde_unwind_spaces", BPF_MAP_TYPE_HASH, 4, sizeof(struct unwind_space),
			UNWIND_SPACES, BPF_F_NO_PREALLOC},
	[MAP_FILES] = {"sonde_unwind_files", BPF_MAP_TYPE_HASH, sizeof(struct unwind_file_key),
		       sizeof(struct unwind_file), UNWIND_FILES, BPF_F_NO_PREALLOC},
	[MAP_CODES] = {"sonde_codes", BPF_MAP_TYPE_ARRAY, 4, UNWIND_CODES * sizeof(uint64_t), 1, 0},
};

_Static_assert(sizeof(kinds) / sizeof(*kinds) == MAP_COUNT, "one row for each map");

struct chunk {
	int fd; /* descriptor of the chunk; -1: it is in the outer map */
	uint32_t *words;
};

/* Chunks to be put into the outer map. */
struct commit {
	uint32_t n, keys[UNWIND_CHUNKS], fds[UNWIND_CHUNKS];
	int err;
};

struct unwind_store {
	int fds[MAP_COUNT];
	struct unwind_rule *rules;
	VEC(struct chunk) chunks;
	uint32_t max_chunks, n_committed;
	uint32_t n_used; /* the last chunk in which words were taken, and those before it */
	struct extents extents;
	uint64_t dropped_ns; /* the time of the last drop */
	uint32_t generation; /* generation of the space that was published last */
	unwind_store_full_fn *full;
	void *full_ctx;
	pthread_t reserver;
	bool is_reserving;    /* the thread runs */
	struct commit commit; /* its work, or that of a later commit */
};

/* Create a map by calling bpf(2) directly. libbpf leaves out the map's name if a trial program of
 * its own fails to load, and a map without a name would not be recognized later. */
static int create(const struct map_kind *k, int inner_fd)
{
	union bpf_attr attr = {.map_type = k->type,
			       .key_size = k->key_size,
			       .value_size = k->value_size,
			       .max_entries = k->max_entries,
			       .map_flags = k->flags};
	int fd;

	if (inner_fd >= 0)
		attr.inner_map_fd = (uint32_t)inner_fd;
	strncpy(attr.map_name, k->name, sizeof(attr.map_name) - 1);
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

static int add_chunk(struct unwind_store *s)
{
	static const struct map_kind kind = {
		"sonde_unwind_chunk", BPF_MAP_TYPE_ARRAY, 4, CHUNK_BYTES, 1, BPF_F_MMAPABLE};
	struct chunk c = {.fd = create(&kind, -1)};
	int err;

	if (c.fd < 0)
		return c.fd;
	c.words = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, 0);
	err = c.words == MAP_FAILED ? -errno : vec_push(&s->chunks, c);
	if (!err && extents_add_chunk(&s->extents, (uint32_t)s->chunks.n - 1)) {
		s->chunks.n--;
		err = -ENOMEM;
	}
	if (!err)
		return 0;
	if (c.words != MAP_FAILED)
		munmap(c.words, CHUNK_BYTES);
	close(c.fd);
	return err;
}

static int create_all(struct unwind_store *s)
{
	int err = add_chunk(s); /* the outer map is defined by this inner map */

	for (int i = 0; i < MAP_COUNT && !err; i++) {
		s->fds[i] = create(&kinds[i], i == MAP_STORE ? s->chunks.items[0].fd : -1);
		err = s->fds[i] < 0 ? s->fds[i] : 0;
	}
	if (err)
		return err;
	s->rules =
		mmap(NULL, RULES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->fds[MAP_RULES], 0);
	if (s->rules == MAP_FAILED) {
		s->rules = NULL;
		return -errno;
	}
	return 0;
}

int unwind_store_open(struct unwind_store **out, uint32_t max_chunks)
{
	struct unwind_store *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	for (int i = 0; i < MAP_COUNT; i++)
		s->fds[i] = -1;
	s->max_chunks = max_chunks < UNWIND_CHUNKS ? max_chunks : UNWIND_CHUNKS;
	err = create_all(s);
	if (err)
		unwind_store_close(s);
	else
		*out = s;
	return err;
}

static void end_reserve(struct unwind_store *s);

void unwind_store_close(struct unwind_store *s)
{
	if (!s)
		return;
	end_reserve(s);
	for (size_t i = 0; i < s->chunks.n; i++) {
		munmap(s->chunks.items[i].words, CHUNK_BYTES);
		if (s->chunks.items[i].fd >= 0)
			close(s->chunks.items[i].fd);
	}
	if (s->rules)
		munmap(s->rules, RULES_BYTES);
	for (int i = 0; i < MAP_COUNT; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	vec_free(&s->chunks);
	extents_free(&s->extents);
	free(s);
}

void unwind_store_hand_over(const struct unwind_store *s, struct bpf_object *object)
{
	for (int i = 0; i < MAP_COUNT; i++) {
		struct bpf_map *m = bpf_object__find_map_by_name(object, kinds[i].name);

		if (m && bpf_map__reuse_fd(m, s->fds[i]))
			log_verbose("map %s: created again by libbpf", kinds[i].name);
	}
}

/* ---- words --------------------------------------------------------------------------------- */

/* Free the dropped words, once all programs that may read them have ended. Returns false if that is
 * not possible yet. */
static bool settle(struct unwind_store *s)
{
	if (!s->extents.n_returned)
		return false;
	if (rcu_wait() && monotonic_ns() < s->dropped_ns + DROPPED_NS)
		return false;
	extents_settle(&s->extents);
	return true;
}

void unwind_store_on_full(struct unwind_store *s, unwind_store_full_fn *fn, void *ctx)
{
	s->full = fn;
	s->full_ctx = ctx;
}

/* Make the owners of words drop enough of them to be worth the wait for running programs. */
static bool make_room(struct unwind_store *s, uint32_t n)
{
	uint64_t want = n > SETTLE_WORDS ? n : SETTLE_WORDS;

	while (s->extents.n_returned < want && s->full && s->full(s->full_ctx))
		;
	return settle(s);
}

uint32_t unwind_store_add(struct unwind_store *s, const void *words, uint32_t n)
{
	uint32_t address = 0;

	if (!n || n > UNWIND_CHUNK_WORDS)
		return 0;
	address = extents_allocate(&s->extents, n);
	if (!address && s->extents.n_returned >= SETTLE_WORDS && settle(s))
		address = extents_allocate(&s->extents, n);
	if (!address && s->chunks.n < s->max_chunks && !add_chunk(s))
		address = extents_allocate(&s->extents, n);
	while (!address && make_room(s, n))
		address = extents_allocate(&s->extents, n);
	if (!address)
		return 0;
	memcpy((uint32_t *)unwind_store_at(s, address), words, (size_t)n * 4);
	if (address >> UNWIND_CHUNK_BITS >= s->n_used)
		s->n_used = (address >> UNWIND_CHUNK_BITS) + 1;
	return address;
}

void unwind_store_drop(struct unwind_store *s, uint32_t address, uint32_t n)
{
	if (!address)
		return;
	extents_return(&s->extents, address, n);
	s->dropped_ns = monotonic_ns();
}

const void *unwind_store_at(const struct unwind_store *s, uint32_t address)
{
	return s->chunks.items[address >> UNWIND_CHUNK_BITS].words + address % UNWIND_CHUNK_WORDS;
}

void unwind_store_rules(struct unwind_store *s, const struct unwind_rule *rules, uint32_t first,
			uint32_t n)
{
	if (first < UNWIND_RULES && n <= UNWIND_RULES - first)
		memcpy(&s->rules[first], rules, n * sizeof(*rules));
}

/* Choose the chunks that are not in the outer map. */
static void commit_begin(struct unwind_store *s)
{
	struct commit *c = &s->commit;

	c->n = (uint32_t)s->chunks.n - s->n_committed;
	for (uint32_t i = 0; i < c->n; i++) {
		c->keys[i] = s->n_committed + i;
		c->fds[i] = (uint32_t)s->chunks.items[s->n_committed + i].fd;
	}
}

/* Put the chunks into the outer map: in one batch, or one by one in kernels without batches. */
static void *commit_run(void *store)
{
	struct unwind_store *s = store;
	struct commit *c = &s->commit;
	int map_fd = s->fds[MAP_STORE];
	uint32_t n = c->n;

	c->err = 0;
	if (c->n > 1 && !bpf_map_update_batch(map_fd, c->keys, c->fds, &n, NULL))
		return NULL;
	for (uint32_t i = 0; i < c->n && !c->err; i++)
		if (bpf_map_update_elem(map_fd, &c->keys[i], &c->fds[i], BPF_ANY))
			c->err = -errno;
	return NULL;
}

/* Close the descriptors of the chunks: the outer map and the memory mapping hold references now. */
static int commit_end(struct unwind_store *s)
{
	for (uint32_t i = 0; i < s->commit.n && !s->commit.err; i++) {
		struct chunk *chunk = &s->chunks.items[s->n_committed++];

		close(chunk->fd);
		chunk->fd = -1;
	}
	return s->commit.err;
}

static void end_reserve(struct unwind_store *s)
{
	if (!s->is_reserving)
		return;
	pthread_join(s->reserver, NULL);
	commit_end(s);
	s->is_reserving = false;
}

void unwind_store_reserve(struct unwind_store *s, uint64_t n)
{
	if (s->extents.n_free >= n / 2)
		return;
	while (s->extents.n_free < n && s->chunks.n < s->max_chunks && !add_chunk(s))
		;
	unwind_store_is_settled(s);
}

bool unwind_store_is_settled(struct unwind_store *s)
{
	if (s->is_reserving && !pthread_tryjoin_np(s->reserver, NULL)) {
		commit_end(s);
		s->is_reserving = false;
	}
	if (!s->is_reserving) {
		commit_begin(s);
		s->is_reserving = s->commit.n && !thread_start(&s->reserver, NULL, commit_run, s);
	}
	return s->n_used <= s->n_committed;
}

int unwind_store_commit(struct unwind_store *s)
{
	if (s->n_used <= s->n_committed)
		return 0;
	end_reserve(s);
	if (s->n_used <= s->n_committed)
		return 0;
	commit_begin(s);
	commit_run(s);
	return commit_end(s);
}

/* ---- hashes -------------------------------------------------------------------------------- */

int unwind_store_set_space(struct unwind_store *s, uint32_t tgid, const struct unwind_space *space)
{
	struct unwind_space fresh = *space;

	s->generation += s->generation == UINT32_MAX ? 2 : 1; /* 0 is left out */
	fresh.generation = s->generation;
	return bpf_map_update_elem(s->fds[MAP_SPACES], &tgid, &fresh, BPF_ANY) ? -errno : 0;
}

void unwind_store_remove_space(struct unwind_store *s, uint32_t tgid)
{
	bpf_map_delete_elem(s->fds[MAP_SPACES], &tgid);
}

int unwind_store_set_file(struct unwind_store *s, const struct unwind_file_key *key,
			  const struct unwind_file *file)
{
	return bpf_map_update_elem(s->fds[MAP_FILES], key, file, BPF_ANY) ? -errno : 0;
}

void unwind_store_remove_file(struct unwind_store *s, const struct unwind_file_key *key)
{
	bpf_map_delete_elem(s->fds[MAP_FILES], key);
}

bool unwind_store_next_space(const struct unwind_store *s, bool is_first, uint32_t *tgid)
{
	uint32_t after = *tgid;

	return !bpf_map_get_next_key(s->fds[MAP_SPACES], is_first ? NULL : &after, tgid);
}

uint64_t unwind_store_bytes(const struct unwind_store *s)
{
	return (uint64_t)s->chunks.n * CHUNK_BYTES;
}

uint64_t unwind_store_used_bytes(const struct unwind_store *s)
{
	return unwind_store_bytes(s) - (s->extents.n_free + s->extents.n_returned) * 4;
}
