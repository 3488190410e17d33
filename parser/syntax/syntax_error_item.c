/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for items that begin like those of other tools (`probe timer.s(1) { … }`, `global x`),
 * and for statements outside of probes.
 */
#include "parser/syntax/syntax_error.h"
#include "parser/base/text.h"
#include "parser/lang/builtin.h"
#include "parser/lang/foreign_word.h"
#include "parser.tab.h"

enum {
	SHOWN_MOST = 40,  /* bytes of a statement in a hint */
	POINT_MOST = 128, /* bytes of a probe's head in a hint */
};

/* The script from a token on. The text ends with a NUL. */
static const char *text_from(const struct stop *s, const struct token *t)
{
	return filter_text(s->f, t->span);
}

/* Points of SystemTap: what is before a name or number, its characters, and the same here. */
static const struct {
	const char *before, *letters, *entry, *back;
} points[] = {
#define NAMED "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*"
	{"kernel.function(\"", NAMED, "kprobe:", "kretprobe:"},
	{"kernel.trace(\"", NAMED, "tracepoint:*:", NULL},
	{"syscall.", NAMED, "tracepoint:syscalls:sys_enter_", "tracepoint:syscalls:sys_exit_"},
	{"timer.sec(", "0123456789", "interval:s:", NULL},
	{"timer.s(", "0123456789", "interval:s:", NULL},
	{"timer.ms(", "0123456789", "interval:ms:", NULL},
	{"timer.us(", "0123456789", "interval:us:", NULL},
	{"timer.hz(", "0123456789", "interval:hz:", NULL},
	{"timer.profile", "", "profile:hz:99", NULL},
	{"begin", "", "BEGIN", NULL},
	{"end", "", "END", NULL},
#undef NAMED
};

/* What to write for the point of SystemTap that `text` begins with. False: it is not known. */
static bool point_here(const char *text, char *buf, size_t size)
{
	size_t len = strcspn(text, "{\n");

	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		size_t n = strlen(points[i].before), name;
		const char *back = strstr(text, ".return");
		bool is_return;

		if (strncmp(points[i].before, text, n) != 0)
			continue;
		name = strspn(text + n, points[i].letters);
		is_return = points[i].back && back && back < text + len;
		snprintf(buf, size, "%s%.*s { … }", is_return ? points[i].back : points[i].entry,
			 (int)name, text + n);
		return true;
	}
	return false;
}

/* Words that begin an item elsewhere: what is wrong with them, and what to write; NULL: see
 * hint_global(). */
static const struct item {
	const char *word, *error, *hint;
} items[] = {
#define NOT_FN "a function begins with 'fn' or 'macro'"
#define WRITE_FN "write fn name($x : int64) : int64 { … } or macro name(x) { … }"
	{"global", "maps need no declaration", NULL},
	{"function", NOT_FN, WRITE_FN},
	{"def", NOT_FN, WRITE_FN},
	{"func", NOT_FN, WRITE_FN},
	{"sub", NOT_FN, WRITE_FN},
	{"on", "a probe begins with its attach point", "write tracepoint:CATEGORY:EVENT { … }"},
	{"when", "a probe begins with its attach point", "write tracepoint:CATEGORY:EVENT { … }"},
	{"from", "'import' names a file of sonde, in quotes",
	 "write import \"FILE.bt\"; builtins need no import: 'sonde help functions' lists them"},
	{"var", "a variable cannot be declared outside of probes",
	 "a variable is $name, in a block; a map, which all probes share, @name"},
};

/* `global n` and, as part of the same head, `probe syscall.open { … }`: what the probe is here. */
static bool probe_in_head(const struct stop *s, char *buf, size_t size)
{
	const struct token *t = s->at;

	for (; t->kind == TOK_ATTACH || t->kind == TOK_COMMA || t->kind == TOK_SEMI; t++)
		if (t->kind == TOK_ATTACH && text_is(t->text.text, t->text.len, "probe") &&
		    t[1].kind == TOK_ATTACH)
			return point_here(text_from(s, t + 1), buf, size);
	return false;
}

static void hint_global(const struct stop *s)
{
	char point[POINT_MOST];

	if (probe_in_head(s, point, sizeof(point)))
		diag_hint(s->f->diags,
			  "delete this line, put @ before each use of the name, and write %s for "
			  "the probe",
			  point);
	else
		diag_hint(s->f->diags, "delete this line, and put @ before each use of the name: "
				       "all probes share the map");
}

bool report_foreign_item(const struct stop *s, const struct token *head)
{
	const struct item *item;
	char point[POINT_MOST];

	if (text_is(head->text.text, head->text.len, "probe") && s->at->kind == TOK_ATTACH) {
		diag_error(s->f->diags, head->span, "syntax", "'probe' is a word of SystemTap");
		if (point_here(text_from(s, s->at), point, sizeof(point)))
			diag_hint(s->f->diags, "write %s", point);
		else
			diag_hint(s->f->diags,
				  "a probe has no such word here: kprobe:vfs_read { … }");
		return true;
	}
	item = TEXT_ROW(items, word, head->text.text, head->text.len);
	if (!item)
		return false;
	diag_error(s->f->diags, head->span, "syntax", "%s", item->error);
	if (item->hint)
		diag_hint(s->f->diags, "%s", item->hint);
	else
		hint_global(s);
	return true;
}

/* `@x = 0`, `printf("x")`, where a probe is expected. */
static bool begins_statement(const struct token *head)
{
	char word[32];
	size_t n = strcspn(head->text.text, "(");

	if (*head->text.text == '@' || *head->text.text == '$')
		return true;
	if (n >= head->text.len || n >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)n, head->text.text);
	return builtin_find(word) || foreign_hint(word);
}

bool report_loose_statement(const struct stop *s, const struct token *head)
{
	const char *text = text_from(s, head);
	size_t len = strcspn(text, ";{}\n");

	if (!begins_statement(head))
		return false;
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	diag_error(s->f->diags, head->span, "syntax", "statements belong to a probe");
	if (len <= SHOWN_MOST && text[len] != '{')
		diag_hint(s->f->diags, "write BEGIN { %.*s; }, which runs once at the start",
			  (int)len, text);
	else
		diag_hint(s->f->diags, "write BEGIN { … }, which runs once at the start");
	return true;
}
