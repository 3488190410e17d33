/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a recording and reads what its items refer to: see recording.h.
 */
#include "runtime/recording/recording.h"
#include "parser/base/find.h"
#include "parser/base/limits.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/recording/pages.h"
#include "runtime/recording/row_views.h"
#include "runtime/output/type_json.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	VALUE_BYTES = 64 << 20, /* the longest text */
	HEAP_BYTES = 1 << 30,	/* of SQLite */
	TYPES_MOST = 1 << 16,
};

/* ---- rows -------------------------------------------------------------------------------- */

int recording_failed(struct recording *r)
{
	switch (sqlite3_extended_errcode(r->db)) {
	case SQLITE_IOERR_DATA:
		log_error("'%s' is damaged: a page of it is not as it was written", r->path);
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: log_error("'%s' is damaged: a part of it is missing", r->path); break;
	default: log_error("cannot read '%s': %s", r->path, sqlite3_errmsg(r->db));
	}
	return -1;
}

sqlite3_stmt *recording_prepare(struct recording *r, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) == SQLITE_OK)
		return s;
	recording_failed(r);
	return NULL;
}

int recording_step(struct recording *r, sqlite3_stmt *s)
{
	int code = sqlite3_step(s);

	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : recording_failed(r);
}

int recording_fact(struct recording *r, const char *name, sqlite3_stmt **s)
{
	*s = recording_prepare(r, "SELECT value FROM run WHERE name = ?");
	if (!*s)
		return -1;
	sqlite3_bind_text(*s, 1, name, -1, SQLITE_STATIC);
	return recording_step(r, *s);
}

int recording_damaged(struct recording *r, enum recording_table table, int64_t id)
{
	return log_error("'%s' is damaged: row %lld of %s is not valid", r->path, (long long)id,
			 recording_tables[table].name);
}

const char *recording_text(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_TEXT
		       ? (const char *)sqlite3_column_text(s, column)
		       : NULL;
}

const json_t *recording_json(struct arena *a, sqlite3_stmt *s, int column)
{
	const char *text;

	if (sqlite3_column_type(s, column) == SQLITE_INTEGER)
		return json_of_integer(a, sqlite3_column_int64(s, column));
	text = recording_text(s, column);
	return text ? json_read(a, text, (size_t)sqlite3_column_bytes(s, column)) : NULL;
}

const char *recording_kept(struct recording *r, sqlite3_stmt *s, int column)
{
	const char *text = recording_text(s, column);

	return text ? arena_strdup(r->arena, text) : NULL;
}

/* ---- opening ----------------------------------------------------------------------------- */

static uint32_t big_endian(const unsigned char *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static const char magic[] = "SQLite format 3";

bool recording_is(const char *path)
{
	char head[sizeof(magic) + 1];

	return io_read_head(path, head, sizeof(head)) == (ssize_t)sizeof(magic) &&
	       memcmp(head, magic, sizeof(magic)) == 0;
}

bool recording_is_empty(const char *path)
{
	char head[2];

	return io_read_head(path, head, sizeof(head)) >= 0 && !head[0];
}

static int hint_record(void)
{
	return log_hint("'sonde record -o FILE SCRIPT' makes a recording, and sonde -f jsonl lines "
			"that 'sonde report' adds up, too");
}

int recording_unread(const char *path)
{
	int err = errno;

	log_error("cannot read '%s': %s", path, strerror(err));
	if (err == ENOENT && strpbrk(path, "*?["))
		return log_hint("no file has such a name: a shell replaces a pattern by names only "
				"if there are some");
	return hint_record();
}

/* Open the file and keep others from writing it: its writer holds a lock. */
static int open_file(struct recording *r)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct stat st;

	r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0)
		return recording_unread(r->path);
	if (fstat(r->fd, &st) == 0 && S_ISDIR(st.st_mode))
		return log_error("'%s' is a folder: write its files, %s/*.rec", r->path, r->path);
	if (fstat(r->fd, &st) == 0 && !S_ISREG(st.st_mode))
		log_error("'%s' is not a regular file", r->path);
	else if (fcntl(r->fd, F_SETLK, &lock) && (errno == EAGAIN || errno == EACCES))
		log_error("'%s' is being recorded", r->path);
	else
		return 0;
	return -1;
}

/* The head of an SQLite file, as its documentation has it. The first bytes are 0 before the first
 * commit. The pages of version 1 have no checksums. */
static int check_head(struct recording *r, enum pages_mode *mode)
{
	unsigned char head[100];
	ssize_t n = pread(r->fd, head, sizeof(head), 0);
	uint32_t version = n == (ssize_t)sizeof(head) ? big_endian(head + 60) : 0;

	if (n < 0) {
		log_error("cannot read '%s': %s", r->path, strerror(errno));
		return hint_record();
	}
	if (n == 0 || !head[0])
		return log_error("'%s' is empty: its run has not begun, or could not begin",
				 r->path);
	if (n < (ssize_t)sizeof(head) || memcmp(head, magic, sizeof(magic)) != 0 ||
	    big_endian(head + 68) != RECORDING_APPLICATION || head[18] != 1)
		return log_error("'%s' is not a recording of sonde", r->path), hint_record();
	*mode = version == 1 && !head[20] ? PAGES_UNCHECKED : PAGES_READ;
	if (*mode == PAGES_UNCHECKED)
		log_warning("'%s' has version 1 of the form of recordings, without checksums: if "
			    "it is damaged, that may not be noticed",
			    r->path);
	r->is_old = version < 3;
	if ((version > 1 && version <= RECORDING_VERSION) || *mode == PAGES_UNCHECKED)
		return 0;
	return log_error("'%s' has version %u of the form of recordings; this sonde reads 1 to %d",
			 r->path, version, RECORDING_VERSION);
}

static void defend(sqlite3 *db)
{
	static const struct {
		int what, most;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, VALUE_BYTES},
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		sqlite3_limit(db, limits[i].what, limits[i].most);
	sqlite3_hard_heap_limit64(HEAP_BYTES);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
}

/* A run writes its end last. */
static int check_end(struct recording *r)
{
	sqlite3_stmt *s;
	int got = recording_fact(r, "end", &s);

	sqlite3_finalize(s);
	if (!got)
		log_warning("'%s' is incomplete: its run was killed or could not write; what came "
			    "later is missing",
			    r->path);
	return got < 0 ? -1 : 0;
}

/* The first table that is not as `version` makes it, word by word: so it is a table, no view.
 * REC_COUNT: there is none; -1 after a message. */
static int other_table(struct recording *r, sqlite3_stmt *s, uint32_t version)
{
	int i, got = 0;
	bool is = true;

	for (i = 0; i < REC_COUNT && is && got >= 0; i += is) {
		const char *create = recording_tables[i].create[version - 1];

		sqlite3_bind_text(s, 1, recording_tables[i].name, -1, SQLITE_STATIC);
		got = recording_step(r, s);
		is = !create || (got > 0 && strcmp(recording_text(s, 0) ?: "", create) == 0);
		sqlite3_reset(s);
	}
	return got < 0 ? -1 : i;
}

/* The tables are those that some version makes. */
static int check_tables(struct recording *r)
{
	sqlite3_stmt *s = recording_prepare(
		r, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
	int newest = s ? other_table(r, s, RECORDING_VERSION) : -1, other = newest;

	for (r->form = RECORDING_VERSION; other >= 0 && other < REC_COUNT && --r->form;)
		other = other_table(r, s, r->form);
	sqlite3_finalize(s);
	if (other >= 0 && !r->form)
		log_error("'%s' is not a recording of sonde: it has no table %s, or another one",
			  r->path, recording_tables[newest].name);
	return other == REC_COUNT ? 0 : -1;
}

int recording_open(struct recording *r, const char *path)
{
	enum pages_mode mode;

	*r = (struct recording){.path = path, .fd = -1, .arena = arena_new()};
	if (open_file(r) || check_head(r, &mode))
		return -1;
	if (pages_open(r->fd, mode, &r->db) != SQLITE_OK)
		return recording_failed(r);
	defend(r->db);
	if (sqlite3_exec(r->db, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON", NULL, NULL,
			 NULL) != SQLITE_OK)
		return recording_failed(r);
	return check_tables(r) ?: check_end(r);
}

void recording_close(struct recording *r)
{
	sqlite3_finalize(r->stack);
	sqlite3_finalize(r->frames);
	sqlite3_close(r->db);
	if (r->fd >= 0)
		close(r->fd);
	hash_free(&r->stacks);
	arena_free(r->arena);
}

/* ---- types and calls --------------------------------------------------------------------- */

const struct type *recording_type(const struct recording *r, uint64_t number)
{
	return number && number <= r->n_types ? r->types[number - 1] : NULL;
}

const struct type **recording_types(struct recording *r, struct arena *a, const json_t *list)
{
	const struct type **types;
	uint64_t number;

	if (!json_is_array(list) || json_array_size(list) > LIMIT_CALL_ARGS)
		return NULL;
	types = arena_alloc(a, (json_array_size(list) + 1) * sizeof(*types));
	for (uint32_t i = 0; i < json_array_size(list); i++) {
		if (!json_number(json_array_get(list, i), &number))
			return NULL;
		types[i] = recording_type(r, number);
		if (!types[i])
			return NULL;
	}
	return types;
}

/* Call `take` for each row. 0 or -1. */
static int each_row(struct recording *r, const char *sql,
		    int (*take)(struct recording *r, sqlite3_stmt *s))
{
	sqlite3_stmt *s = recording_prepare(r, sql);
	int got = s ? 1 : -1;

	while (got > 0 && (got = recording_step(r, s)) > 0)
		got = take(r, s) ? -1 : 1;
	sqlite3_finalize(s);
	return got;
}

static int take_type(struct recording *r, sqlite3_stmt *s)
{
	const struct type *t = type_json_read(r->arena, recording_json(r->arena, s, 1));

	if (!t || sqlite3_column_int64(s, 0) != (int64_t)r->n_types + 1 || r->n_types == TYPES_MOST)
		return recording_damaged(r, REC_TYPES, sqlite3_column_int64(s, 0));
	arena_push(r->arena, r->types, r->n_types, t);
	return 0;
}

/* A number of a piece of a format; `usual` if it is not there. */
static bool number_of(const json_t *j, const char *name, int64_t usual, int64_t least, int64_t most,
		      int64_t *out)
{
	const json_t *member = json_object_get(j, name);
	uint64_t x = (uint64_t)usual;

	if (member && !json_number(member, &x))
		return false;
	*out = (int64_t)x;
	return *out >= least && *out <= most;
}

static bool read_piece(const json_t *j, uint32_t n_fields, struct format_piece *out)
{
	const json_t *text = json_object_get(j, "text");
	int64_t x;

	*out = (struct format_piece){.text = json_string_value(text),
				     .is_recorded = true,
				     .text_len = (uint32_t)json_string_length(text)};
#define FIELD(name, usual, least, most)                   \
	if (!number_of(j, #name, usual, least, most, &x)) \
		return false;                             \
	out->name = (typeof(out->name))x;
#include "runtime/recording/piece_fields.def"
	if (out->origin != FORMAT_FROM_NAME)
		out->origin = FORMAT_FROM_MEMORY;
	return out->text && (!out->conv || out->field < n_fields) && out->width_arg <= n_fields &&
	       out->precision_arg <= n_fields;
}

static bool read_pieces(struct recording *r, const json_t *list, struct plan_event *e)
{
	struct format_piece piece;

	if (!json_is_array(list))
		return false;
	for (uint32_t i = 0; i < json_array_size(list); i++) {
		if (!read_piece(json_array_get(list, i), e->n_fields, &piece))
			return false;
		arena_push(r->arena, e->pieces, e->n_pieces, piece);
	}
	return true;
}

static int take_build(struct recording *r, sqlite3_stmt *s)
{
	const char *id = recording_kept(r, s, 1);

	if (!id || sqlite3_column_int64(s, 0) != (int64_t)r->n_builds + 1 ||
	    r->n_builds == TYPES_MOST)
		return recording_damaged(r, REC_BUILDS, sqlite3_column_int64(s, 0));
	arena_push(r->arena, r->builds, r->n_builds, id);
	return 0;
}

static int take_call(struct recording *r, sqlite3_stmt *s)
{
	int64_t id = sqlite3_column_int64(s, 0);
	const char *kind = recording_text(s, 1);
	const json_t *list = recording_json(r->arena, s, 2);
	const struct type **types = recording_types(r, r->arena, list);
	struct plan_event e = {.kind = kind ? recording_find(plan_event_names, PE_KIND_COUNT, kind)
					    : PE_KIND_COUNT};

	if (!types || e.kind == PE_KIND_COUNT || id != (int64_t)r->plan.n_events + 1 ||
	    r->plan.n_events == TYPES_MOST)
		return recording_damaged(r, REC_CALLS, id);
	e.n_fields = (uint32_t)json_array_size(list);
	e.fields = arena_alloc(r->arena, (e.n_fields + 1) * sizeof(*e.fields));
	for (uint32_t i = 0; i < e.n_fields; i++)
		e.fields[i].type = types[i];
	if (!read_pieces(r, recording_json(r->arena, s, 3), &e) ||
	    ((e.kind == PE_ROW || (e.kind == PE_SPAN && e.n_pieces)) && !row_views_fit(&e)))
		return recording_damaged(r, REC_CALLS, id);
	if (e.kind == PE_ROW)
		e.table = plan_row_table(&r->plan, &e);
	arena_push(r->arena, r->plan.events, r->plan.n_events, e);
	r->n_calls++;
	return 0;
}

/* ---- maps and the run -------------------------------------------------------------------- */

static int take_map(struct recording *r, sqlite3_stmt *s)
{
	const json_t *list = recording_json(r->arena, s, 1);
	const struct type **types = recording_types(r, r->arena, list);
	struct plan_map m = {.name = recording_kept(r, s, 0),
			     .is_time = sqlite3_column_int(s, 4) != 0};

	if (!types || !m.name || r->plan.n_maps == TYPES_MOST)
		return recording_damaged(r, REC_PRINTS, sqlite3_column_int64(s, 2));
	m.value = recording_type(r, (uint64_t)sqlite3_column_int64(s, 3));
	m.n_keys = json_array_size(list);
	m.keys = arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*m.keys));
	for (uint32_t i = 0; i < json_array_size(list); i++)
		m.keys[i].type = types[i];
	arena_push(r->arena, r->plan.maps, r->plan.n_maps, m);
	return 0;
}

static void take_label(struct recording *r, const char *name, const char *value)
{
	struct view_label *labels = (struct view_label *)r->run.labels,
			  label = {.name = name, .value = value};

	if (!value)
		return;
	label.name_len = (uint32_t)strlen(name);
	arena_push(r->arena, labels, r->run.n_labels, label);
	r->run.labels = labels;
}

static int take_fact(struct recording *r, sqlite3_stmt *s)
{
	static const struct plan_event span = {.kind = PE_SPAN};
	const char *name = recording_text(s, 0);
	const struct {
		const char *name, **to;
	} texts[] = {
#define RUN_TEXT(member, ...) {#member, &r->run.member},
#include "runtime/view/run_texts.def"
	};
	__auto_type text = FIND_ROW(texts, name && strcmp(item->name, name) == 0);

	if (text)
		*text->to = recording_kept(r, s, 1);
	if (name && strncmp(name, RECORDING_LABEL, sizeof(RECORDING_LABEL) - 1) == 0)
		take_label(r, recording_kept(r, s, 0) + sizeof(RECORDING_LABEL) - 1,
			   recording_kept(r, s, 1));
	if (name && strcmp(name, "resets") == 0)
		r->run.resets = sqlite3_column_int(s, 1) != 0;
	if (name && strcmp(name, "start") == 0)
		r->run.start = (uint64_t)sqlite3_column_int64(s, 1);
	if (name && strcmp(name, "end") == 0)
		r->run.ended = (uint64_t)sqlite3_column_int64(s, 1);
	if (name && strcmp(name, "monotonic") == 0)
		r->run.monotonic = (uint64_t)sqlite3_column_int64(s, 1);
	if (name && strcmp(name, "print_maps") == 0)
		r->plan.config.print_maps_on_exit = sqlite3_column_int(s, 1) != 0;
	if (name && strcmp(name, "spans") == 0 && sqlite3_column_int(s, 1))
		arena_push(r->arena, r->plan.events, r->plan.n_events, span);
	return 0;
}

#define MAPS \
	"SELECT map, key_types, min(seq), max(value_type), min(is_time) FROM prints GROUP BY 1, 2"

int recording_load(struct recording *r)
{
	r->lookup.find = recording_find_stack;
	r->stack = recording_prepare(r, "SELECT is_user, cut, is_lost FROM stacks WHERE id = ?");
	r->frames = recording_prepare(r, "SELECT * FROM frames WHERE stack = ? ORDER BY depth");
	if (!r->stack || !r->frames)
		return -1;
	if (r->form > 3 && each_row(r, "SELECT id, build_id FROM builds ORDER BY id", take_build))
		return -1;
	return each_row(r, "SELECT id, type FROM types ORDER BY id", take_type) ?:
	       each_row(r, "SELECT id, kind, types, pieces FROM calls ORDER BY id", take_call) ?:
	       each_row(r, MAPS, take_map) ?:
	       each_row(r, "SELECT name, value FROM run", take_fact);
}
