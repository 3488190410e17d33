/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in the store: see images.h.
 *
 * Files with the same build ID, size and owner share one table, as the copies of a library in
 * containers do. The owner is compared because a file can claim any build ID: so users can mislead
 * sonde about their own files only.
 */
#include "runtime/unwind/images.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/unwind/store.h"
#include "runtime/unwind/table.h"

HASH_FUNCTIONS(image_table, struct unwind_image *, const struct unwind_image_id *,
	       hash_bytes(key->build_id, key->n) ^ hash_u64(key->size),
	       a->size == b->size && a->owner == b->owner && a->n == b->n &&
		       memcmp(a->build_id, b->build_id, a->n) == 0,
	       &(*e)->id, *e)

static void drop_words(struct unwind_images *all, struct unwind_image *m)
{
	for (size_t i = 0; i < m->pieces.n; i++)
		unwind_store_drop(all->store, m->pieces.items[i].address,
				  m->pieces.items[i].n_words);
	m->pieces.n = 0;
	unwind_store_drop(all->store, m->address, (uint32_t)m->directory.n * UNWIND_RANGE_WORDS);
	m->address = 0;
	m->directory.n = 0;
}

void unwind_images_release(struct unwind_images *all, struct unwind_image *m)
{
	if (!m || --m->refs)
		return;
	if (m->is_listed)
		image_table_remove(&all->table, &m->id);
	drop_words(all, m);
	vec_free(&m->pieces);
	vec_free(&m->directory);
	free(m);
}

static int store_pieces(struct unwind_images *all, const struct unwind_table *t,
			struct unwind_image *m, uint32_t *addresses)
{
	for (uint32_t i = 0; i < t->n_pieces; i++) {
		struct unwind_stored_piece p = {.n_words = t->pieces[i].n_words};

		p.address = unwind_store_add(all->store, t->pieces[i].words, p.n_words);
		if (!p.address)
			return -ENOSPC;
		if (vec_push(&m->pieces, p)) {
			unwind_store_drop(all->store, p.address, p.n_words);
			return -ENOMEM;
		}
		addresses[i] = p.address;
	}
	return 0;
}

static int store_table(struct unwind_images *all, const struct unwind_table *t,
		       struct unwind_image *m)
{
	uint32_t *addresses = calloc(t->n_pieces + 1, sizeof(*addresses));
	int err = addresses ? store_pieces(all, t, m, addresses) : -ENOMEM;

	if (!err)
		err = unwind_directory_make(t, addresses, &m->directory);
	free(addresses);
	return err;
}

static int store_directory(struct unwind_images *all, struct unwind_image *m)
{
	m->address = unwind_store_add(all->store, m->directory.items,
				      (uint32_t)m->directory.n * UNWIND_RANGE_WORDS);
	return m->address ? 0 : -ENOSPC;
}

/* Copy new rules before a row that names them can be found. */
static void set_rules(struct unwind_images *all)
{
	uint32_t n = (uint32_t)all->rules.list.n;

	if (n == all->n_rules_set)
		return;
	unwind_store_rules(all->store, all->rules.list.items + all->n_rules_set, all->n_rules_set,
			   n - all->n_rules_set);
	all->n_rules_set = n;
	all->stats.n_rules = n;
}

/* Some of the file's rows have no rule. */
static void warn_of_rules(const struct unwind_rules *r, const char *name)
{
	if (!r->n_refused)
		return;
	if (unwind_rules_share_is_used(r))
		log_warning("%s has more than %d different unwind rules, the most of a file: user "
			    "stacks through its other functions are truncated",
			    name, UNWIND_RULES_OF_FILE);
	else
		log_warning("the files read so far have %d different unwind rules, the most that "
			    "fit: user stacks through functions of %s are truncated",
			    UNWIND_RULES, name);
}

/* Fill an image with table `t`, or log why that failed; the image has no table in this case. */
static void fill(struct unwind_images *all, struct unwind_image *m, const struct unwind_table *t,
		 int err, const char *name)
{
	set_rules(all);
	warn_of_rules(&all->rules, name);
	m->refs = 1;
	if (!err && t->n_rows)
		err = store_table(all, t, m) ?: store_directory(all, m);
	if (err) {
		drop_words(all, m);
		all->stats.n_refused++;
		log_verbose("unwind: %s: no table: %s", name, strerror(-err));
	}
	if (m->directory.n) {
		all->stats.n_tables++;
		all->stats.n_rows += t->n_rows;
	} else if (!unwind_directory_empty(&m->directory)) {
		store_directory(all, m); /* if this fails, the image is not published */
	}
}

static struct unwind_image *compile(struct unwind_images *all, int fd, const char *name)
{
	struct unwind_image *m = calloc(1, sizeof(*m));
	struct unwind_table t = {0};
	uint64_t start_ns = monotonic_ns();
	int err;

	if (!m)
		return NULL;
	err = unwind_table_read(fd, &all->rules, &t);
	fill(all, m, &t, err, name);
	if (!err)
		unwind_table_free(&t);
	all->stats.compile_ns += monotonic_ns() - start_ns;
	return m;
}

/* The image of an open file: an existing one of a file with the same content, or a new one. */
struct unwind_image *unwind_images_of_file(struct unwind_images *all, int fd, const struct stat *st,
					   const char *name)
{
	struct unwind_image_id id = {.size = (uint64_t)st->st_size, .owner = st->st_uid};
	struct unwind_image **found, *m;

	id.n = (uint32_t)build_id_read(fd, id.build_id);
	found = id.n ? image_table_find(&all->table, &id) : NULL;
	if (found) {
		(*found)->refs++;
		return *found;
	}
	m = compile(all, fd, name);
	if (!m)
		return NULL;
	m->id = id;
	m->is_listed = id.n && !image_table_insert(&all->table, m);
	return m;
}

void unwind_images_free(struct unwind_images *all)
{
	hash_free(&all->table);
	unwind_rules_free(&all->rules);
}
