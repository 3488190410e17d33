/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: unwind tables in the store, one for each content of a file. References count the files
 * with that content. Private to files.c.
 */
#pragma once
#include "runtime/elf/elfsym.h"
#include "runtime/unwind/directory.h"
#include "runtime/unwind/rules.h"
#include <sys/stat.h>

struct unwind_store;

struct unwind_stored_piece {
	uint32_t address, n_words;
};

/* Identifies the content of a file. */
struct unwind_image_id {
	uint64_t size;
	uint32_t owner;
	uint32_t n; /* number of bytes of the build ID; 0: none */
	unsigned char build_id[BUILD_ID_BYTES];
};

struct unwind_image {
	struct unwind_image_id id;
	uint32_t refs;
	bool is_listed; /* it is in the table, so that other files can share it */
	VEC(struct unwind_stored_piece) pieces;
	struct unwind_ranges directory; /* ranges over file offsets, without gaps */
	uint32_t address; /* address of the directory in the store; 0: it is not there */
};

HASH_TABLE(image_table, struct unwind_image *);

struct unwind_images_stats { /* of all images that were ever compiled */
	uint32_t n_tables, n_refused, n_rules;
	uint64_t n_rows, compile_ns;
};

/* A set of images. All members 0, except for the store, make an empty set. */
struct unwind_images {
	struct unwind_store *store;
	struct unwind_rules rules;
	uint32_t n_rules_set; /* number of rules that are in the kernel's map */
	struct image_table table;
	struct unwind_images_stats stats;
};

/* A reference to the image of the file behind fd, which is compiled unless its image exists. `name`
 * is for messages. NULL: no memory. */
struct unwind_image *unwind_images_of_file(struct unwind_images *all, int fd, const struct stat *st,
					   const char *name);
/* Release a reference. The last one frees the image and its words. */
void unwind_images_release(struct unwind_images *all, struct unwind_image *m);
void unwind_images_free(struct unwind_images *all);
