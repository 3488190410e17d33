/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: unwind tables in the store, one for each content of a file. References count the files
 * with that content. Private to files.c.
 */
#pragma once
#include "runtime/unwind/cache.h"
#include "runtime/unwind/directory.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"
#include <sys/queue.h>
#include <sys/stat.h>

struct unwind_store;

struct unwind_stored_piece {
	uint32_t address, n_words;
};

struct unwind_image {
	struct unwind_image_id id;
	uint32_t refs;
	bool is_listed; /* it is in the table, so that other files can share it */
	VEC(struct unwind_stored_piece) pieces;
	struct unwind_ranges directory; /* ranges over file offsets, without gaps */
	uint32_t address; /* address of the directory in the store; 0: it is not there */
	uint32_t v8;	  /* that of the struct unwind_v8; 0: none */
	/* it is in `unsaved`, and this is the table, whose words are in the store */
	bool is_unsaved;
	struct unwind_table table;
	TAILQ_ENTRY(unwind_image) link;
};

TAILQ_HEAD(image_list, unwind_image);

HASH_TABLE(image_table, struct unwind_image *);

struct unwind_images_stats { /* of all images that were ever made */
	uint32_t n_tables, n_cached, n_refused, n_rules;
	uint64_t n_rows, compile_ns;
};

/* A set of images. */
struct unwind_images {
	struct unwind_store *store;
	struct unwind_rules rules;
	uint32_t n_rules_set; /* number of rules that are in the kernel's map */
	struct image_table table;
	struct unwind_cache *cache; /* or NULL */
	struct image_list unsaved;  /* images whose tables are to be written to the cache */
	struct unwind_image *saved; /* the one that is being written, with a reference; or NULL */
	struct unwind_images_stats stats;
};

/* An empty set, whose tables are also kept in the folder `cache`, unless that is NULL. */
void unwind_images_init(struct unwind_images *all, struct unwind_store *store, const char *cache);

/* A reference to the image of the file behind fd, which is compiled unless its image exists, or its
 * table is in the cache. `name` is for messages. NULL: no memory. */
struct unwind_image *unwind_images_of_file(struct unwind_images *all, int fd, const struct stat *st,
					   const char *name);
/* Release a reference. The last one frees the image and its words. */
void unwind_images_release(struct unwind_images *all, struct unwind_image *m);
/* Are there tables to be written to the cache? */
bool unwind_images_has_unsaved(const struct unwind_images *all);
/* Write a part of one, of 256 KiB at most. */
void unwind_images_save(struct unwind_images *all);
/* All images have been released. */
void unwind_images_free(struct unwind_images *all);
