/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of the cache of unwind tables, to be changed: for its unit test and its fuzz target.
 */
#pragma once
#include "runtime/unwind/cache.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct unwind_image_id bytes_maker = {.n = 4, .build_id = "made"};
static const struct unwind_image_id bytes_id = {.size = 0x40000000,
						.owner = 7,
						.n = 20,
						.build_id = "a program's build ID"};

/* A table of two pieces and two segments: functions of 24 bytes, each of which sets up a frame of
 * one of 40 sizes. */
static inline void cache_bytes_table(struct unwind_rules *rules, struct unwind_table *out)
{
	struct pack pack;
	int rule, err = pack_begin(&pack);

	*out = (struct unwind_table){.n_segments = 2};
	out->segments = calloc(2, sizeof(*out->segments));
	out->segments[0] = (struct unwind_segment){0x1000, 0x1000, 0x8000};
	out->segments[1] = (struct unwind_segment){0x101000, 0x100000, 0x8000};
	unwind_rules_begin_file(rules);
	for (int half = 0; half < 2 && !err; half++) {
		uint64_t start = out->segments[half].address;

		for (uint32_t i = 0; i < 800 && !err; i++) {
			rule = unwind_rules_intern(rules, (struct unwind_rule){.cfa = UNWIND_SP,
									       .cfa_offset = 8});
			err = pack_row(&pack, start + i * 24, (uint32_t)rule);
			rule = unwind_rules_intern(
				rules, (struct unwind_rule){.cfa = UNWIND_SP,
							    .cfa_offset = 16 + 8 * ((int)i % 40)});
			if (i < 600 && !err) /* then blocks that have one row */
				err = pack_row(&pack, start + i * 24 + 4, (uint32_t)rule);
		}
		err = err ?: pack_row(&pack, start + 0x8000, UNWIND_RULE_NONE);
	}
	err = err ?: pack_end(&pack, pack.address, out);
	assert(!err && out->n_pieces == 2);
	pack_free(&pack);
}

/* Write a table to a memory file, as the cache does; returns its descriptor. */
static inline int cache_bytes_write(const struct unwind_rules *rules, const struct unwind_table *t)
{
	int fd = memfd_create("cache", MFD_CLOEXEC), err;
	struct cache_writer w = {.fd = dup(fd)};

	err = cache_writer_begin(&w, &bytes_maker, &bytes_id, rules, t);
	assert(!err);
	while ((err = cache_writer_next(&w)) > 0)
		;
	assert(!err);
	cache_writer_end(&w);
	return fd;
}

/* The bytes of such a file with that table. */
static inline uint8_t *cache_bytes_make(size_t *size)
{
	struct unwind_rules rules = {0};
	struct unwind_table t;
	uint8_t *bytes;
	int fd;

	cache_bytes_table(&rules, &t);
	fd = cache_bytes_write(&rules, &t);
	*size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = malloc(*size);
	*size = (size_t)pread(fd, bytes, *size, 0);
	close(fd);
	unwind_table_free(&t);
	unwind_rules_free(&rules);
	return bytes;
}

/* Correct all checksums, as far as there is what they are of. */
static inline void cache_bytes_correct(uint8_t *bytes, size_t size)
{
	struct cache_head head;
	struct cache_piece p;
	size_t from = offsetof(struct cache_head, checksum) + 8, pieces, at;

	memcpy(&head, bytes, sizeof(head));
	pieces = sizeof(head) + head.n_segments * sizeof(struct unwind_segment);
	at = pieces + head.n_pieces * sizeof(p) + head.n_rules * sizeof(struct unwind_rule);
	if (head.n_segments > size || head.n_pieces > size || head.n_rules > size || at > size)
		return;
	for (size_t i = 0, words = at; i < head.n_pieces; i++) {
		memcpy(&p, bytes + pieces + i * sizeof(p), sizeof(p));
		if (p.n_words > (size - words) / 4)
			break;
		p.checksum = cache_file_checksum(bytes + words, p.n_words * 4);
		memcpy(bytes + pieces + i * sizeof(p), &p, sizeof(p));
		words += p.n_words * 4;
	}
	head.checksum = cache_file_checksum(bytes + from, at - from);
	memcpy(bytes, &head, sizeof(head));
}

/* Make changes that `data` describes: the place and the value of a word, in eight bytes. A third of
 * the places is in the first KiB, where counts and sizes are. */
static inline void cache_bytes_change(uint8_t *bytes, size_t size, const uint8_t *data, size_t n)
{
	uint32_t at, value;

	for (; n >= 8; n -= 8, data += 8) {
		memcpy(&at, data, 4);
		memcpy(&value, data + 4, 4);
		at = at % 3 ? at / 3 % (uint32_t)(size - 4) : at / 3 % 1024;
		memcpy(bytes + at, &value, 4);
	}
}

/* Read a file with these bytes. Returns 0 and a table, or -errno. */
static inline int cache_bytes_read(const uint8_t *bytes, size_t size, struct unwind_rules *rules,
				   struct unwind_table *out)
{
	int fd = memfd_create("cache", MFD_CLOEXEC), err;

	assert(write(fd, bytes, size) == (ssize_t)size);
	err = cache_file_read(fd, &bytes_maker, &bytes_id, rules, out);
	close(fd);
	return err;
}
