/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for items that begin like those of other tools (`probe timer.s(1) { … }`, `global x`),
 * and for statements outside of probes.
 */
#include "parser/syntax/syntax_error.h"
#include "parser/base/diag.h"
#include "parser/lang/builtin.h"
#include "parser/lang/foreign_word.h"
#include "parser.tab.h"
#include <string.h>

enum { SHOWN_MOST = 40 }; /* bytes of a statement in a hint */

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

static void hint_point(const struct stop *s, const char *text)
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
		diag_hint(s->f->diags, "write %s%.*s { … }",
			  is_return ? points[i].back : points[i].entry, (int)name, text + n);
		return;
	}
	diag_hint(s->f->diags, "a probe has no such word here: kprobe:vfs_read { … }");
}

/* Words that begin an item elsewhere: what is wrong with them, and what to write. */
static const struct {
	const char *word, *error, *hint;
} items[] = {
	{"global", "maps need no declaration",
	 "leave 'global' out, and write @x: all probes share it"},
	{"function", "a function begins with 'fn' or 'macro'",
	 "write fn name($x : int64) : int64 { … } or macro name(x) { … }"},
	{"var", "a variable cannot be declared outside of probes",
	 "a variable is $name, in a block; a map, which all probes share, @name"},
};

static bool is_word(const struct token *t, const char *word)
{
	return t->text.len == strlen(word) && memcmp(t->text.text, word, t->text.len) == 0;
}

bool report_foreign_item(const struct stop *s, const struct token *head)
{
	if (is_word(head, "probe") && s->at->kind == TOK_ATTACH) {
		diag_error(s->f->diags, head->span, "syntax", "'probe' is a word of SystemTap");
		hint_point(s, text_from(s, s->at));
		return true;
	}
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
		if (!is_word(head, items[i].word))
			continue;
		diag_error(s->f->diags, head->span, "syntax", "%s", items[i].error);
		diag_hint(s->f->diags, "%s", items[i].hint);
		return true;
	}
	return false;
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
