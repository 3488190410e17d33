/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the cache: see cache.h. The numbers are those of this machine, which is x86-64.
 *
 * A reader checks all that the walk in the kernel relies on: each block of a piece has rows in this
 * piece, in order of their addresses, with rules that exist. The packer (pack.c) writes the rows of
 * a piece in the order of its blocks, and a block of one row may share that of an earlier one. So
 * the check is one pass over the words. The checksums tell damage from tables.
 */
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/io.h"
#include "runtime/unwind/cache.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/runtimes.h"

static const char magic[8] = "sondeUW1";

_Static_assert(sizeof(struct cache_head) % 8 == 0 && sizeof(struct unwind_segment) % 8 == 0 &&
		       sizeof(struct cache_piece) % 8 == 0 && sizeof(struct unwind_rule) == 8,
	       "the parts of an index follow each other without gaps");

bool unwind_image_id_is(const struct unwind_image_id *a, const struct unwind_image_id *b)
{
	return a->size == b->size && a->owner == b->owner && a->n == b->n &&
	       a->n <= BUILD_ID_BYTES && memcmp(a->build_id, b->build_id, a->n) == 0;
}

/* Each step can be undone, so a change of one word changes the sum. */
uint64_t cache_file_checksum(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint64_t sum = n, word;

	for (; n; n -= n < 8 ? n : 8, at += 8) {
		word = 0;
		memcpy(&word, at, n < 8 ? n : 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	return sum;
}

/* ---- the index ----------------------------------------------------------------------------- */

static struct unwind_segment *segments_of(struct cache_head *h)
{
	return (struct unwind_segment *)(h + 1);
}

static struct cache_piece *pieces_of(struct cache_head *h)
{
	return (struct cache_piece *)(segments_of(h) + h->n_segments);
}

static struct unwind_rule *rules_of(struct cache_head *h)
{
	return (struct unwind_rule *)(pieces_of(h) + h->n_pieces);
}

static size_t index_bytes(const struct cache_head *h)
{
	return sizeof(*h) + h->n_segments * sizeof(struct unwind_segment) +
	       h->n_pieces * sizeof(struct cache_piece) + h->n_rules * sizeof(struct unwind_rule);
}

static uint64_t index_checksum(const struct cache_head *h)
{
	const uint64_t *from = &h->checksum + 1;

	return cache_file_checksum(from,
				   index_bytes(h) - (size_t)((const char *)from - (const char *)h));
}

static bool is_head(const struct cache_head *h, const struct unwind_image_id *maker,
		    const struct unwind_image_id *id)
{
	return !memcmp(h->magic, magic, sizeof(magic)) && unwind_image_id_is(&h->maker, maker) &&
	       unwind_image_id_is(&h->id, id) && h->n_segments && h->n_segments <= CACHE_SEGMENTS &&
	       h->n_pieces && h->n_pieces <= UNWIND_RANGES && h->n_rules <= UNWIND_RULES &&
	       h->runtime < UNWIND_RUNTIME_COUNT;
}

/* Of a piece. */
static uint64_t blocks_of(uint64_t start, uint64_t end)
{
	return (end - start + UNWIND_BLOCK_BYTES - 1) / UNWIND_BLOCK_BYTES;
}

/* Are segments, pieces and rules as a table may have them, and is the file's size theirs? */
static bool is_index(struct cache_head *h, uint64_t size)
{
	const struct unwind_segment *s = segments_of(h);
	const struct cache_piece *p = pieces_of(h);
	const struct unwind_rule *r = rules_of(h);
	uint64_t n_words = 0;
	bool is_valid = h->checksum == index_checksum(h);

	for (uint32_t i = 0; i < h->n_segments && is_valid; i++)
		is_valid = s[i].bytes && s[i].file_offset <= h->id.size &&
			   s[i].bytes <= h->id.size - s[i].file_offset && s[i].bytes <= INT64_MAX &&
			   s[i].address <= INT64_MAX - s[i].bytes &&
			   (!i || s[i].address >= s[i - 1].address);
	for (uint32_t i = 0; i < h->n_pieces && is_valid; i++) {
		n_words += p[i].n_words;
		is_valid =
			p[i].start % UNWIND_BLOCK_BYTES == 0 && p[i].start < p[i].end &&
			(!i || p[i - 1].end <= p[i].start) && p[i].n_words <= UNWIND_CHUNK_WORDS &&
			blocks_of(p[i].start, p[i].end) < p[i].n_words && n_words <= PACK_WORDS_MAX;
	}
	for (uint32_t i = 0; i < h->n_rules && is_valid; i++)
		is_valid = (r[i].cfa & ~UNWIND_GUESS) < UNWIND_CFA_COUNT;
	return is_valid && size == index_bytes(h) + n_words * sizeof(uint32_t);
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool read_all(int fd, void *into, size_t n, uint64_t offset)
{
	return io_read_at(fd, into, n, offset) == (ssize_t)n;
}

static struct cache_head *read_index(int fd, const struct unwind_image_id *maker,
				     const struct unwind_image_id *id)
{
	struct cache_head first, *h;
	struct stat st;

	if (fstat(fd, &st) || !read_all(fd, &first, sizeof(first), 0) ||
	    !is_head(&first, maker, id))
		return NULL;
	h = malloc(index_bytes(&first));
	if (!h)
		return NULL;
	*h = first;
	if (read_all(fd, h + 1, index_bytes(h) - sizeof(*h), sizeof(*h)) &&
	    is_index(h, (uint64_t)st.st_size))
		return h;
	free(h);
	return NULL;
}

/* Are the rows from words[at] on, which belong to a block, as the walk needs them? */
static bool are_rows(const uint32_t *words, uint32_t at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t offset = UNWIND_ROW_OFFSET(words[at + i]);

		if (i ? offset <= UNWIND_ROW_OFFSET(words[at + i - 1]) : offset)
			return false;
		if (offset >= UNWIND_BLOCK_BYTES)
			return false;
	}
	return true;
}

/* See the head of the file. */
static bool is_piece(const uint32_t *words, uint32_t n_words, uint32_t n_blocks)
{
	uint32_t end = n_blocks; /* of the rows so far */

	for (uint32_t i = 0; i < n_blocks; i++) {
		uint32_t first = UNWIND_BLOCK_FIRST(words[i]), n = UNWIND_BLOCK_ROWS(words[i]);

		if (words[i] >> 24)
			return false;
		if (first >= n_blocks && first < end && n == 1 && !UNWIND_ROW_OFFSET(words[first]))
			continue;
		if (first != end || n > n_words - end || !are_rows(words, first, n))
			return false;
		end += n;
	}
	return end == n_words;
}

/* Number the rules of rows anew. Returns false if a row has none. */
static bool renumber(uint32_t *rows, uint32_t n, const uint16_t *index_of, uint32_t n_rules)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t rule = UNWIND_ROW_RULE(rows[i]);

		if (rule >= n_rules)
			return false;
		rows[i] = UNWIND_ROW(UNWIND_ROW_OFFSET(rows[i]), index_of[rule]);
	}
	return true;
}

/* Read the words of a piece. Returns 0 or -errno. */
static int read_piece(int fd, const struct cache_piece *p, uint64_t offset,
		      const uint16_t *index_of, uint32_t n_rules, struct unwind_piece *out)
{
	size_t n = (size_t)p->n_words * sizeof(*out->words);
	uint32_t n_blocks = (uint32_t)blocks_of(p->start, p->end);

	*out = (struct unwind_piece){p->start, p->end, malloc(n), (uint32_t)p->n_words};
	if (!out->words)
		return -ENOMEM;
	if (!read_all(fd, out->words, n, offset) ||
	    p->checksum != cache_file_checksum(out->words, n) ||
	    !is_piece(out->words, out->n_words, n_blocks) ||
	    !renumber(out->words + n_blocks, out->n_words - n_blocks, index_of, n_rules))
		return -EINVAL;
	return 0;
}

static int read_pieces(int fd, struct cache_head *h, const uint16_t *index_of,
		       struct unwind_table *out)
{
	uint64_t offset = index_bytes(h);
	int err = 0;

	out->pieces = calloc(h->n_pieces, sizeof(*out->pieces));
	if (!out->pieces)
		return -ENOMEM;
	for (; out->n_pieces < h->n_pieces && !err; out->n_pieces++) {
		const struct cache_piece *p = &pieces_of(h)[out->n_pieces];

		err = read_piece(fd, p, offset, index_of, h->n_rules, &out->pieces[out->n_pieces]);
		offset += p->n_words * sizeof(uint32_t);
	}
	return err;
}

static int intern_rules(struct cache_head *h, struct unwind_rules *rules, uint16_t *index_of)
{
	unwind_rules_begin_file(rules);
	for (uint32_t i = 0; i < h->n_rules; i++) {
		int index = unwind_rules_intern(rules, rules_of(h)[i]);

		if (index < 0)
			return index;
		index_of[i] = (uint16_t)index;
	}
	return 0;
}

static int read_table(int fd, struct cache_head *h, struct unwind_rules *rules,
		      struct unwind_table *out)
{
	uint16_t *index_of = calloc(h->n_rules + 1, sizeof(*index_of));
	int err = index_of ? intern_rules(h, rules, index_of) : -ENOMEM;

	*out = (struct unwind_table){.n_rows = h->n_rows,
				     .n_unsupported = h->n_unsupported,
				     .n_refused = h->n_refused,
				     .is_go = h->is_go,
				     .runtime = h->runtime,
				     .runtime_variable = h->runtime_variable,
				     .v8 = h->v8};
	if (!err)
		err = read_pieces(fd, h, index_of, out);
	free(index_of);
	out->segments = err ? NULL : calloc(h->n_segments, sizeof(*out->segments));
	if (out->segments) {
		out->n_segments = h->n_segments;
		memcpy(out->segments, segments_of(h), h->n_segments * sizeof(*out->segments));
		return 0;
	}
	unwind_table_free(out);
	return err ? err : -ENOMEM;
}

int cache_file_read(int fd, const struct unwind_image_id *maker, const struct unwind_image_id *id,
		    struct unwind_rules *rules, struct unwind_table *out)
{
	struct cache_head *h = read_index(fd, maker, id);
	int err = h ? read_table(fd, h, rules, out) : -EINVAL;

	free(h);
	return err;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Number the rules that rows of the table have. Returns how many there are. */
static uint32_t number_rules(struct cache_writer *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->table->n_pieces; i++) {
		const struct unwind_piece *p = &w->table->pieces[i];

		for (uint64_t k = blocks_of(p->start, p->end); k < p->n_words; k++) {
			uint16_t *number = &w->number_of[UNWIND_ROW_RULE(p->words[k])];

			if (!*number)
				*number = (uint16_t)++n;
		}
	}
	return n;
}

static int make_index(struct cache_writer *w, struct cache_head head)
{
	struct cache_piece *p;

	w->n_index = w->n_bytes = index_bytes(&head);
	w->head = calloc(1, w->n_index);
	if (!w->head)
		return -ENOMEM;
	*w->head = head;
	memcpy(segments_of(w->head), w->table->segments,
	       head.n_segments * sizeof(*w->table->segments));
	p = pieces_of(w->head);
	for (uint32_t i = 0; i < head.n_pieces; i++) {
		p[i].start = w->table->pieces[i].start;
		p[i].end = w->table->pieces[i].end;
		p[i].n_words = w->table->pieces[i].n_words;
	}
	for (uint32_t i = 0; i < w->rules->list.n; i++)
		if (w->number_of[i])
			rules_of(w->head)[w->number_of[i] - 1] = w->rules->list.items[i];
	return 0;
}

int cache_writer_begin(struct cache_writer *w, const struct unwind_image_id *maker,
		       const struct unwind_image_id *id, const struct unwind_rules *rules,
		       const struct unwind_table *t)
{
	struct cache_head head = {.maker = *maker,
				  .id = *id,
				  .n_rows = t->n_rows,
				  .n_unsupported = t->n_unsupported,
				  .n_refused = t->n_refused,
				  .n_segments = t->n_segments,
				  .n_pieces = t->n_pieces,
				  .is_go = t->is_go,
				  .runtime = t->runtime,
				  .runtime_variable = t->runtime_variable,
				  .v8 = t->v8};

	*w = (struct cache_writer){.fd = w->fd, .rules = rules, .table = t};
	memcpy(head.magic, magic, sizeof(magic));
	w->words = malloc(UNWIND_CHUNK_WORDS * sizeof(*w->words));
	w->number_of = calloc(UNWIND_RULES, sizeof(*w->number_of));
	if (!w->words || !w->number_of)
		return -ENOMEM;
	head.n_rules = number_rules(w);
	return is_head(&head, maker, id) ? make_index(w, head) : -E2BIG;
}

/* The index is the last: a file that was not written to its end has none. */
static int write_index(struct cache_writer *w)
{
	w->head->checksum = index_checksum(w->head);
	if (lseek(w->fd, 0, SEEK_SET) < 0)
		return -errno;
	return io_write(w->fd, w->head, w->n_index);
}

int cache_writer_next(struct cache_writer *w)
{
	const struct unwind_piece *p = &w->table->pieces[w->n_written];
	struct cache_piece *indexed = &pieces_of(w->head)[w->n_written];
	size_t n = p->n_words * sizeof(*p->words);
	int err;

	memcpy(w->words, p->words, n);
	for (uint64_t i = blocks_of(p->start, p->end); i < p->n_words; i++)
		w->words[i] = UNWIND_ROW(UNWIND_ROW_OFFSET(w->words[i]),
					 w->number_of[UNWIND_ROW_RULE(w->words[i])] - 1u);
	indexed->checksum = cache_file_checksum(w->words, n);
	if (lseek(w->fd, (off_t)w->n_bytes, SEEK_SET) < 0)
		return -errno;
	err = io_write(w->fd, w->words, n);
	w->n_bytes += n;
	if (err || ++w->n_written < w->table->n_pieces)
		return err ? err : 1;
	return write_index(w);
}

void cache_writer_end(struct cache_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	free(w->head);
	free(w->words);
	free(w->number_of);
	*w = (struct cache_writer){.fd = -1};
}
