/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database of a recording. A transaction is at most one block of the spool; its pages stay in
 * memory until it ends. It needs no journal: pages.h writes it so that the file has all of it or
 * nothing. So a run that is killed, or finds the disk full, leaves what had been committed.
 */
#include "runtime/recording/store.h"
#include "runtime/base/log.h"
#include "runtime/recording/pages.h"
#include "runtime/recording/row.h"
#include <errno.h>
#include <stdlib.h>

struct store {
	sqlite3 *db;
	sqlite3_stmt *insert[REC_COUNT];
	sqlite3_stmt *begin, *commit;
	uint64_t n_new[REC_COUNT], n_stored[REC_COUNT]; /* rows: of this transaction, committed */
	char *path;
};

static int failed(const struct store *s)
{
	int code = sqlite3_errcode(s->db);

	log_error("cannot write '%s': %s", s->path, sqlite3_errmsg(s->db));
	return code == SQLITE_FULL ? -ENOSPC : code == SQLITE_NOMEM ? -ENOMEM : -EIO;
}

int store_execute(struct store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(s);
}

static int prepare(struct store *s, const char *sql, sqlite3_stmt **out)
{
	return sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK
		       ? 0
		       : failed(s);
}

static int prepare_insert(struct store *s, enum recording_table table)
{
	const struct recording_row *row = &recording_tables[table];
	char sql[256];
	int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", row->name);

	for (int i = 1; i < row->n_columns; i++)
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	return prepare(s, sql, &s->insert[table]);
}

static int make_tables(struct store *s)
{
	char sql[128];
	int err;

	snprintf(sql, sizeof(sql), "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d",
		 RECORDING_APPLICATION, RECORDING_VERSION);
	err = store_execute(s, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; "
			       "PRAGMA synchronous = OFF; PRAGMA cache_spill = OFF; "
			       "PRAGMA page_size = 16384")
		      ?: store_execute(s, sql);
	for (int i = 0; i < REC_COUNT && !err; i++)
		err = store_execute(s, recording_tables[i].create[RECORDING_VERSION - 1]);
	for (int i = 0; recording_views[i] && !err; i++)
		err = store_execute(s, recording_views[i]);
	for (int i = 0; i < REC_COUNT && !err; i++)
		err = prepare_insert(s, (enum recording_table)i);
	return err ?: prepare(s, "BEGIN", &s->begin) ?: prepare(s, "COMMIT", &s->commit);
}

struct store *store_new(int fd, const char *path)
{
	struct store *s = calloc(1, sizeof(*s));

	if (s)
		s->path = strdup(path);
	if (!s || !s->path) {
		log_error("cannot write '%s': out of memory", path);
		free(s);
		return NULL;
	}
	if (pages_open(fd, PAGES_WRITE, &s->db) != SQLITE_OK) {
		failed(s);
	} else if (make_tables(s) == 0 && store_execute(s, "COMMIT") == 0) {
		return s;
	}
	store_close(s, s->n_new);
	return NULL;
}

static int insert(struct store *s, const struct row_head *head, const char *at)
{
	sqlite3_stmt *to = s->insert[head->table];
	struct row_column c;
	int code;

	for (int i = 1; i <= recording_tables[head->table].n_columns; i++) {
		row_next(&at, &c);
		switch (c.tag) {
		case ROW_NULL: sqlite3_bind_null(to, i); break;
		case ROW_INTEGER: sqlite3_bind_int64(to, i, c.integer); break;
		case ROW_TEXT: sqlite3_bind_text(to, i, c.text, (int)c.len, SQLITE_STATIC); break;
		}
	}
	code = sqlite3_step(to);
	sqlite3_reset(to);
	s->n_new[head->table]++;
	return code == SQLITE_DONE ? 0 : failed(s);
}

static int step(struct store *s, sqlite3_stmt *stmt)
{
	int code = sqlite3_step(stmt);

	sqlite3_reset(stmt);
	return code == SQLITE_DONE ? 0 : failed(s);
}

long store_add(struct store *s, const char *bytes, size_t n)
{
	size_t at = 0;
	struct row_head head;
	int err = step(s, s->begin);

	while (!err && n - at >= sizeof(head)) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.bytes > n - at)
			break;
		err = insert(s, &head, bytes + at + sizeof(head));
		at += head.bytes;
	}
	err = err ?: step(s, s->commit);
	for (int i = 0; i < REC_COUNT && !err; i++)
		s->n_stored[i] += s->n_new[i];
	memset(s->n_new, 0, sizeof(s->n_new));
	return err ?: (long)at;
}

int store_close(struct store *s, uint64_t stored[REC_COUNT])
{
	int err = 0;

	for (int i = 0; i < REC_COUNT; i++)
		sqlite3_finalize(s->insert[i]);
	sqlite3_finalize(s->begin);
	sqlite3_finalize(s->commit);
	if (sqlite3_close(s->db) != SQLITE_OK)
		err = failed(s);
	memcpy(stored, s->n_stored, sizeof(s->n_stored));
	free(s->path);
	free(s);
	return err;
}
