/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL of the user on a recording: only statements that read are allowed. The width of a column is
 * that of its widest value in the first rows.
 */
#include "runtime/recording/row_views.h"
#include "runtime/recording/sql.h"
#include "parser/base/arena.h"
#include "parser/base/escape.h"
#include "parser/base/find.h"
#include "parser/base/nearest.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/base/json.h"
#include <string.h>

enum { FIRST_ROWS = 1000, COLUMNS_MOST = 256, WIDTH_MOST = 200, NAMES_SHOWN = 20 };

/* ---- what is allowed --------------------------------------------------------------------- */

/* The file is open for reading only; these would open another one, or change how it is read. */
static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	return action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA
		       ? SQLITE_DENY
		       : SQLITE_OK;
}

static int refuse(void)
{
	return log_error("--sql: only SELECT is possible: a recording is not changed");
}

static const char tables[] = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')";
static const char columns[] = "SELECT DISTINCT p.name FROM sqlite_master AS m, "
			      "pragma_table_info(m.name) AS p WHERE m.type IN ('table', 'view')";

/* The name that `query` gives and that is nearest to the unknown one, such as TABLE.NAME; else the
 * first ones. */
static void hint_names(struct recording *r, const char *query, const char *unknown)
{
	struct arena *a = arena_new();
	struct nearest near;
	const char *list = "", *dot = strrchr(unknown, '.');
	int n = 0;
	sqlite3_stmt *s = NULL;

	nearest_init(&near, dot ? dot + 1 : unknown);
	near.arena = a;
	sqlite3_set_authorizer(r->db, NULL, NULL);
	sqlite3_prepare_v2(r->db, query, -1, &s, NULL);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0);

		nearest_offer(&near, name);
		if (n++ < NAMES_SHOWN)
			list = arena_list(a, list, "%s", name ?: "");
	}
	sqlite3_finalize(s);
	if (near.best && dot && !near.best_distance)
		log_hint("'%s' is a column of another table, or '%.*s' is no table here", near.best,
			 (int)(dot - unknown), unknown);
	else if (near.best)
		log_hint("did you mean '%s'?", near.best);
	else
		log_hint("%s: %s%s", query == tables ? "the tables are" : "columns are", list,
			 n > NAMES_SHOWN ? ", …" : "");
	arena_free(a);
}

/* Errors that SQL of a user has most. */
static int hint_sql(struct recording *r, const char *message)
{
	static const struct {
		const char *error, *query;
	} unknown[] = {{"no such table: ", tables}, {"no such column: ", columns}};
	__auto_type row = FIND_ROW(unknown, strstr(message, item->error) == message);

	log_error("--sql: %s", message);
	if (row)
		hint_names(r, row->query, message + strlen(row->error));
	else if (strstr(message, "syntax error"))
		log_hint("write SELECT COLUMN, … FROM TABLE WHERE CONDITION ORDER BY COLUMN");
	return -1;
}

static int failed(struct recording *r)
{
	int code = sqlite3_errcode(r->db);
	char message[200];

	if (code == SQLITE_AUTH)
		return refuse();
	if (code == SQLITE_IOERR || code == SQLITE_CORRUPT)
		return recording_failed(r);
	snprintf(message, sizeof(message), "%s", sqlite3_errmsg(r->db));
	return hint_sql(r, message);
}

/* ---- text -------------------------------------------------------------------------------- */

/* A text that grows. */
struct cell {
	char *text;
	size_t len;
	bool is_number;
};

/* `text` may be NULL. */
static int make_cell(const char *text, size_t n, bool is_number, struct cell *out)
{
	*out = (struct cell){.is_number = is_number};
	out->text = escape_copy(ESCAPE_NAME, text ? text : "", text ? n : 0, &out->len);
	return out->text ? 0 : -1;
}

static int make_value(sqlite3_stmt *s, int column, struct cell *out)
{
	const char *text = (const char *)sqlite3_column_text(s, column);
	int type = sqlite3_column_type(s, column);

	return make_cell(text, (size_t)sqlite3_column_bytes(s, column),
			 type == SQLITE_INTEGER || type == SQLITE_FLOAT, out);
}

struct table {
	VEC(struct cell) cells; /* of the first rows */
	int n_columns;
	int widths[COLUMNS_MOST];
	FILE *out;
};

/* Characters, not bytes. */
static int width_of(const struct cell *c)
{
	int n = 0;

	for (size_t i = 0; i < c->len; i++)
		n += ((unsigned char)c->text[i] & 0xc0) != 0x80;
	return n;
}

static void put_cell(const struct table *t, int column, const struct cell *c)
{
	bool is_last = column + 1 == t->n_columns;
	int pad = t->widths[column] - width_of(c);

	for (int i = 0; c->is_number && i < pad; i++)
		putc(' ', t->out);
	fwrite(c->text, 1, c->len, t->out);
	for (int i = 0; !c->is_number && !is_last && i < pad; i++)
		putc(' ', t->out);
	fputs(is_last ? "\n" : "  ", t->out);
}

static int add_cell(struct table *t, int column, struct cell c)
{
	int width = width_of(&c);

	if (width > t->widths[column])
		t->widths[column] = width < WIDTH_MOST ? width : WIDTH_MOST;
	return vec_push(&t->cells, c);
}

static int add_names(struct table *t, sqlite3_stmt *s)
{
	int err = 0;

	for (int i = 0; i < t->n_columns && !err; i++) {
		const char *name = sqlite3_column_name(s, i);
		struct cell c;

		err = name ? make_cell(name, strlen(name), false, &c) : -1;
		err = err ?: add_cell(t, i, c);
	}
	return err;
}

/* Names of columns are right-aligned like the numbers below them. */
static void put_first(struct table *t)
{
	size_t n = (size_t)t->n_columns;

	for (size_t i = 0; i < t->cells.n; i++) {
		struct cell *c = &t->cells.items[i];

		if (i < n && t->cells.n > n)
			c->is_number = t->cells.items[i + n].is_number;
		put_cell(t, (int)(i % n), c);
		free(c->text);
	}
	vec_free(&t->cells);
}

static int put_table(struct recording *r, sqlite3_stmt *s, FILE *out)
{
	struct table t = {.n_columns = sqlite3_column_count(s), .out = out};
	int n_rows = 0, code = SQLITE_DONE, err = add_names(&t, s);

	while (!err && (code = sqlite3_step(s)) == SQLITE_ROW) {
		for (int i = 0; i < t.n_columns && !err; i++) {
			struct cell c;

			err = make_value(s, i, &c);
			if (n_rows < FIRST_ROWS) {
				err = err ?: add_cell(&t, i, c);
			} else {
				put_cell(&t, i, &c);
				free(c.text);
			}
		}
		if (++n_rows == FIRST_ROWS)
			put_first(&t);
	}
	if (n_rows < FIRST_ROWS)
		put_first(&t);
	if (err)
		log_error("--sql: out of memory");
	return err ? -1 : code == SQLITE_DONE ? 0 : failed(r);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_json_value(struct json *j, const char *key, sqlite3_stmt *s, int column)
{
	int type = sqlite3_column_type(s, column); /* sqlite3_column_text() changes it */
	const char *text = NULL;		   /* and is NULL without memory */

	if (type == SQLITE_FLOAT || type == SQLITE_TEXT || type == SQLITE_BLOB)
		text = (const char *)sqlite3_column_text(s, column);
	switch (type) {
	case SQLITE_NULL: json_put_format(j, key, "null"); break;
	case SQLITE_INTEGER: json_put_signed(j, key, sqlite3_column_int64(s, column)); break;
	case SQLITE_FLOAT: /* Inf */
		json_put_format(j, key, "%s", !text || strpbrk(text, "IN") ? "null" : text);
		break;
	default:
		json_put_bytes(j, key, text ? text : "",
			       text ? (size_t)sqlite3_column_bytes(s, column) : 0);
	}
}

static int put_json(struct recording *r, sqlite3_stmt *s, FILE *out)
{
	struct text_file file;
	struct json j = {.text = &file.text};
	int code;

	text_file_init(&file, out);
	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		json_open(&j, NULL, '{');
		for (int i = 0; i < sqlite3_column_count(s); i++)
			put_json_value(&j, sqlite3_column_name(s, i), s, i);
		json_end_line(&j);
	}
	text_file_flush(&file);
	return code == SQLITE_DONE ? 0 : failed(r);
}

/* ---- both -------------------------------------------------------------------------------- */

static int make_view(void *ctx, const char *sql)
{
	struct recording *r = ctx;

	return sqlite3_exec(r->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(r);
}

/* The views of the file may call no functions, because anybody may have made it: temporary ones,
 * made here, take their places. */
static int make_views(struct recording *r)
{
	return recording_load(r) ?: sqlite3_exec(r->db, "PRAGMA query_only = OFF", NULL, NULL, NULL)
		       ?: row_views_make(&r->plan, "TEMP VIEW", make_view, r)
		       ?: sqlite3_exec(r->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
}

int recording_ask(struct recording *r, const char *sql, bool is_json, FILE *out)
{
	sqlite3_stmt *s = NULL;
	int err = make_views(r);

	sqlite3_set_authorizer(r->db, allow, NULL);
	while (!err && *sql) {
		if (sqlite3_prepare_v2(r->db, sql, -1, &s, &sql) != SQLITE_OK)
			return failed(r);
		if (s && (!sqlite3_stmt_readonly(s) || !sqlite3_column_count(s))) {
			err = refuse();
		} else if (s && sqlite3_column_count(s) > COLUMNS_MOST) {
			log_error("--sql: more than %d columns", COLUMNS_MOST);
			err = -1;
		} else if (s) {
			err = is_json ? put_json(r, s, out) : put_table(r, s, out);
		}
		sqlite3_finalize(s);
	}
	return err;
}
