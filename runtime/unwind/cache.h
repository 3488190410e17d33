/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache on disk: unwind tables of files that have a build ID, so that the next run need not
 * make them. Each table is a file, which has its own rules; a reader adds them to its dictionary
 * and renumbers the rows. Nothing in a file is trusted: one that is damaged, was written by another
 * build of sonde, or belongs to another user is as good as none. Not thread-safe.
 */
#pragma once
#include "bpf_helpers/unwind_v8.h"
#include "runtime/elf/elfsym.h"

struct unwind_cache;
struct unwind_rules;
struct unwind_table;

/* Identifies the content of a file. */
struct unwind_image_id {
	uint64_t size;
	uint32_t owner;
	uint32_t n; /* number of bytes of the build ID; 0: none */
	unsigned char build_id[BUILD_ID_BYTES];
};

bool unwind_image_id_is(const struct unwind_image_id *a, const struct unwind_image_id *b);

/* The cache in `folder`, which need not exist yet. NULL: there is none, since `folder` is NULL, or
 * others than root and this user may write to it, or sonde's program has no build ID, or there is
 * no memory. */
struct unwind_cache *unwind_cache_open(const char *folder);
void unwind_cache_close(struct unwind_cache *c);

/* Read the table of the file `id`; its rules are added to `rules`. Returns 0 and a table, which the
 * caller frees; or -errno, and nothing to free. `c` may be NULL. */
int unwind_cache_load(struct unwind_cache *c, const struct unwind_image_id *id,
		      struct unwind_rules *rules, struct unwind_table *out);

/* Begin to write the table of the file `id`, which must stay as it is until the end. The bytes are
 * written by unwind_cache_write(), a piece of the table at each call, which returns 1 if there are
 * more, 0 when the file is in place, or -errno: then there is no file. */
int unwind_cache_begin(struct unwind_cache *c, const struct unwind_image_id *id,
		       const struct unwind_rules *rules, const struct unwind_table *t);
int unwind_cache_write(struct unwind_cache *c);

/* cache_file.c */

enum { CACHE_SEGMENTS = 256, CACHE_BYTES_MAX = 64 << 20 };

/* The start of a file. Its segments, pieces and rules follow; then the words of the pieces. */
struct cache_head {
	char magic[8];
	uint64_t checksum;	      /* of all that follows, up to the words */
	struct unwind_image_id maker; /* the program that wrote the file */
	struct unwind_image_id id;
	uint64_t n_rows, n_unsupported, n_refused;
	uint32_t n_segments, n_pieces, n_rules, is_go, runtime, unused;
	uint64_t runtime_variable;
	struct unwind_v8 v8;
};

struct cache_piece {
	uint64_t start, end;
	uint64_t checksum;
	uint64_t n_words;
};

/* Read the table from an open file. */
int cache_file_read(int fd, const struct unwind_image_id *maker, const struct unwind_image_id *id,
		    struct unwind_rules *rules, struct unwind_table *out);
uint64_t cache_file_checksum(const void *bytes, size_t n);

/* A file that is being written. */
struct cache_writer {
	int fd; /* -1: none */
	const struct unwind_rules *rules;
	const struct unwind_table *table;
	struct cache_head *head; /* with all that follows up to the words: n_index bytes */
	size_t n_index;
	uint32_t n_written;  /* pieces */
	uint64_t n_bytes;    /* the size of the file so far */
	uint32_t *words;     /* UNWIND_CHUNK_WORDS */
	uint16_t *number_of; /* 1 + a rule's number in the file, by its index in `rules`; 0: none */
};

/* Begin to write to w->fd. Returns 0 or -errno. Call cache_writer_end() in either case. */
int cache_writer_begin(struct cache_writer *w, const struct unwind_image_id *maker,
		       const struct unwind_image_id *id, const struct unwind_rules *rules,
		       const struct unwind_table *t);
/* Write the next piece. Returns 1 if there are more, 0 at the end, or -errno. */
int cache_writer_next(struct cache_writer *w);
void cache_writer_end(struct cache_writer *w);
