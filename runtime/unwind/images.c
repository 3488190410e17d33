/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in the store: see images.h.
 *
 * Files with the same build ID, size and owner share one table, as the copies of a library in
 * containers do. The owner is compared because a file can claim any build ID: so users can mislead
 * sonde about their own files only.
 */
#include "runtime/unwind/images.h"
#include "runtime/base/log.h"
#include "runtime/unwind/store.h"

/* Tables with fewer rows are made in less time than they are read. */
enum { SAVED_ROWS = 500 };

HASH_FUNCTIONS(image_table, struct unwind_image *, const struct unwind_image_id *,
	       hash_bytes(key->build_id, key->n) ^ hash_u64(key->size), unwind_image_id_is(a, b),
	       &(*e)->id, *e)

static void drop_words(struct unwind_images *all, struct unwind_image *m)
{
	for (size_t i = 0; i < m->pieces.n; i++)
		unwind_store_drop(all->store, m->pieces.items[i].address,
				  m->pieces.items[i].n_words);
	m->pieces.n = 0;
	unwind_store_drop(all->store, m->address, (uint32_t)m->directory.n * UNWIND_RANGE_WORDS);
	unwind_store_drop(all->store, m->v8, UNWIND_V8_WORDS);
	m->address = m->v8 = 0;
	m->directory.n = 0;
}

/* The table of an image is not to be written to the cache any more. */
static void forget_unsaved(struct unwind_images *all, struct unwind_image *m)
{
	if (m->is_unsaved)
		TAILQ_REMOVE(&all->unsaved, m, link);
	m->is_unsaved = false;
	unwind_table_free(&m->table);
}

void unwind_images_release(struct unwind_images *all, struct unwind_image *m)
{
	if (!m || --m->refs)
		return;
	forget_unsaved(all, m);
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
	if (t->v8_unknown)
		log_verbose("unwind: %s: functions of JavaScript stay addresses: v8dbg_%s is "
			    "missing, or has an unexpected value",
			    name, t->v8_unknown);
	if (!err && t->v8.runtime)
		m->v8 = unwind_store_add(all->store, &t->v8, UNWIND_V8_WORDS);
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

/* Is the table of an image, which was compiled, worth a file in the cache? */
static bool is_worth_saving(const struct unwind_images *all, const struct unwind_image *m,
			    const struct unwind_table *t)
{
	return all->cache && m->is_listed && m->pieces.n && t->n_rows >= SAVED_ROWS &&
	       !t->is_partial;
}

/* The table of a file that was compiled is to be written to the cache, from the store. */
static void add_unsaved(struct unwind_images *all, struct unwind_image *m, struct unwind_table *t)
{
	for (uint32_t i = 0; i < t->n_pieces; i++) {
		free(t->pieces[i].words);
		t->pieces[i].words = NULL;
	}
	m->table = *t;
	*t = (struct unwind_table){0};
	m->is_unsaved = true;
	TAILQ_INSERT_TAIL(&all->unsaved, m, link);
}

static struct unwind_image *make(struct unwind_images *all, const struct unwind_image_id *id,
				 int fd, const char *name)
{
	struct unwind_image *m = calloc(1, sizeof(*m));
	struct unwind_table t = {0};
	bool is_cached;
	int err = 0;

	if (!m)
		return NULL;
	m->id = *id;
	is_cached = !unwind_cache_load(all->cache, id, &all->rules, &t);
	if (!is_cached)
		err = unwind_table_read(fd, &all->rules, &t);
	all->stats.n_cached += is_cached;
	fill(all, m, &t, err, name);
	m->is_listed = id->n && !image_table_insert(&all->table, m);
	if (!is_cached && !t.v8_unknown && is_worth_saving(all, m, &t))
		add_unsaved(all, m, &t);
	unwind_table_free(&t);
	return m;
}

/* The image of an open file: an existing one of a file with the same content, or a new one. */
struct unwind_image *unwind_images_of_file(struct unwind_images *all, int fd, const struct stat *st,
					   const char *name)
{
	struct unwind_image_id id = {.size = (uint64_t)st->st_size, .owner = st->st_uid};
	struct unwind_image **found;

	id.n = (uint32_t)build_id_read(fd, id.build_id);
	found = id.n ? image_table_find(&all->table, &id) : NULL;
	if (found) {
		(*found)->refs++;
		return *found;
	}
	return make(all, &id, fd, name);
}

/* ---- the cache ----------------------------------------------------------------------------- */

void unwind_images_init(struct unwind_images *all, struct unwind_store *store, const char *cache)
{
	*all = (struct unwind_images){.store = store, .cache = unwind_cache_open(cache)};
	TAILQ_INIT(&all->unsaved);
}

bool unwind_images_has_unsaved(const struct unwind_images *all)
{
	return all->saved || !TAILQ_EMPTY(&all->unsaved);
}

/* Begin with the next image: its words are read where they are, in the store. */
static void begin_saving(struct unwind_images *all)
{
	struct unwind_image *m = TAILQ_FIRST(&all->unsaved);

	for (uint32_t i = 0; i < m->table.n_pieces; i++)
		m->table.pieces[i].words =
			(uint32_t *)unwind_store_at(all->store, m->pieces.items[i].address);
	TAILQ_REMOVE(&all->unsaved, m, link);
	m->is_unsaved = false;
	m->refs++;
	all->saved = m;
}

static void end_saving(struct unwind_images *all)
{
	struct unwind_image *m = all->saved;

	if (!m)
		return;
	for (uint32_t i = 0; i < m->table.n_pieces; i++)
		m->table.pieces[i].words = NULL;
	unwind_table_free(&m->table);
	all->saved = NULL;
	unwind_images_release(all, m);
}

/* Nothing can be written there: do not try again. */
static void give_up(struct unwind_images *all, int err)
{
	struct unwind_image *m;

	log_verbose("unwind: the cache is not written: %s", strerror(-err));
	while ((m = TAILQ_FIRST(&all->unsaved)))
		forget_unsaved(all, m);
}

void unwind_images_save(struct unwind_images *all)
{
	int err = 0;

	if (!all->saved) {
		begin_saving(all);
		err = unwind_cache_begin(all->cache, &all->saved->id, &all->rules,
					 &all->saved->table);
	}
	if (!err)
		err = unwind_cache_write(all->cache);
	if (err <= 0)
		end_saving(all);
	if (err < 0)
		give_up(all, err);
}

void unwind_images_free(struct unwind_images *all)
{
	end_saving(all);
	unwind_cache_close(all->cache);
	hash_free(&all->table);
	unwind_rules_free(&all->rules);
}
