/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See option_rows.h.
 */
#include "cli/options/option_rows.h"
#include "parser/base/text.h"
#include "cli/options/explain_stage.h"
#include <ctype.h>
#include <strings.h>
#include <unistd.h>

int set_format(struct options *o, const struct option_row *row, const char *arg)
{
	char names[256] = "";
	size_t n = 0;

	o->compile.is_page = strcmp(arg, "html") == 0; /* of 'sonde explain' */
	if (o->compile.is_page)
		return 0;
	o->out.format = out_format_find(arg, &o->out.format_word);
	if (o->out.format == OUT_LIVE && !o->out.interval_ns)
		o->out.interval_ns = 1000000000;
	if (o->out.format < OUT_FORMAT_COUNT)
		return 0;
	for (int i = 0; i < OUT_FORMAT_COUNT && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
				      !i			  ? ""
				      : i == OUT_FORMAT_COUNT - 1 ? " or "
								  : ", ",
				      out_formats[i].name);
	if (strchr(arg, ':'))
		return log_error("unknown output format '%s': expected %s; graph:FUNCTION is "
				 "the only one with a word",
				 arg, names);
	log_error("unknown output format '%s': expected %s", arg, names);
	if (!option_hint_other("-f", arg, strlen(arg)) && access(arg, R_OK) == 0)
		log_hint("a script needs no -f: sonde %s", arg);
	return -1;
}

/* What bpftrace calls the stages. libbpf and the verifier report with -v. */
static const struct {
	const char *name;
	uint32_t dumps;
	bool verbose;
} debug_stages[] = {
	{"all",
	 1u << EMIT_AST | 1u << EMIT_TYPES | 1u << EMIT_PLAN | 1u << EMIT_IR | 1u << EMIT_IR_OPT |
		 1u << EMIT_ASM,
	 true},
	{"ast", 1u << EMIT_AST, false},
	{"parse", 1u << EMIT_AST, false},
	{"types", 1u << EMIT_TYPES, false},
	{"plan", 1u << EMIT_PLAN, false},
	{"codegen", 1u << EMIT_IR, false},
	{"codegen-opt", 1u << EMIT_IR_OPT, false},
	{"dis", 1u << EMIT_ASM, false},
	{"libbpf", 0, true},
	{"verifier", 0, true},
};

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(word, name, len) == 0;
}

/* Call `take` for each part of a list with commas, until it fails. */
static int each_word(struct options *o, const char *list,
		     int (*take)(struct options *o, const char *word, size_t len))
{
	for (const char *word = list;; word++) {
		size_t len = strcspn(word, ",");

		if (take(o, word, len))
			return -1;
		word += len;
		if (!*word)
			return 0;
	}
}

const struct explain_row explain_rows[] = {
#define STAGE(id, word, hook, is_beside, is_open, what, how) {word, what, how, is_beside, is_open},
#include "cli/options/explain_stages.def"
#undef STAGE
};
_Static_assert(sizeof(explain_rows) / sizeof(*explain_rows) == EXPLAIN_STAGE_COUNT,
	       "a row for each stage");

static int take_stage(struct options *o, const char *word, size_t len)
{
	__auto_type row = TEXT_ROW(explain_rows, word, word, len);
	char names[160] = "";

	if (row) {
		o->compile.stages |= 1u << (row - explain_rows);
		return 0;
	}
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		TEXT_LIST(names, sizeof(names), "%s", explain_rows[i].word);
	return option_error("--stage: unknown stage '%.*s': expected %s", (int)len, word, names);
}

int set_stage(struct options *o, const struct option_row *row, const char *arg)
{
	return each_word(o, arg, take_stage);
}

static int take_debug_stage(struct options *o, const char *word, size_t len)
{
	__auto_type stage = FIND_ROW(debug_stages, is_word(word, len, item->name));

	if (stage) {
		o->compile.dumps |= stage->dumps;
		o->verbose |= stage->verbose;
		return 0;
	}
	log_error("-d: unknown stage '%.*s': expected all, ast, types, plan, codegen, codegen-opt, "
		  "dis, libbpf or verifier",
		  (int)len, word);
	option_hint_other("", "-d", 2);
	return -1;
}

int set_debug(struct options *o, const struct option_row *row, const char *arg)
{
	return each_word(o, arg, take_debug_stage);
}

static int take_feature(struct options *o, const char *word, size_t len)
{
	for (int i = 0; i < CAP_COUNT; i++)
		if (is_word(word, len, capability_rows[i].id)) {
			o->compile.denied |= 1ull << i;
			return 0;
		}
	log_error("--no-feature: unknown feature '%.*s'", (int)len, word);
	return log_hint("kprobe_multi, kprobe_session, uprobe_multi, uprobe_session, fentry; "
			"'sonde --info -f json' names all");
}

int set_no_feature(struct options *o, const struct option_row *row, const char *arg)
{
	return each_word(o, arg, take_feature);
}

/* What bpftrace calls the modes. */
static const struct {
	const char *name;
	enum mode mode; /* MODE_TRACE: tests or benches */
	bool test, bench, times;
} modes[] = {
	{"codegen", MODE_CHECK},
	{"compiler-bench", MODE_CHECK, .times = true},
	{"bench", MODE_TRACE, .bench = true},
	{"test", MODE_TRACE, .test = true},
	{"format", MODE_FMT},
};

int set_mode(struct options *o, const struct option_row *row, const char *arg)
{
	__auto_type m = TEXT_ROW(modes, name, arg, strlen(arg));

	if (!m)
		return log_error("unknown mode '%s': expected codegen, compiler-bench, bench, "
				 "test or format",
				 arg);
	o->test |= m->test;
	o->bench |= m->bench;
	o->compile.times = m->times;
	return m->mode == MODE_TRACE ? 0 : option_change_mode(o, m->mode, row->name);
}

/* ---- the words ----------------------------------------------------------------------------- */

static const char *format_word(uint32_t i)
{
	return i < OUT_FORMAT_COUNT ? out_formats[i].name : NULL;
}

static const char *feature_word(uint32_t i)
{
	return i < CAP_COUNT ? capability_rows[i].id : NULL;
}

static const char *stage_word(uint32_t i)
{
	return i < EXPLAIN_STAGE_COUNT ? explain_rows[i].word : NULL;
}

#define NAME_OF(table)                                                                \
	static const char *table##_word(uint32_t i)                                   \
	{                                                                             \
		return i < sizeof(table) / sizeof(*(table)) ? (table)[i].name : NULL; \
	}
NAME_OF(debug_stages)
NAME_OF(modes)

static const struct word_list {
	int (*set)(struct options *o, const struct option_row *row, const char *arg);
	const char *(*word)(uint32_t i);
} lists[] = {
	{set_format, format_word},	{set_stage, stage_word}, {set_debug, debug_stages_word},
	{set_no_feature, feature_word}, {set_mode, modes_word},
};

const char *option_word(const struct option_row *row, uint32_t i)
{
	static char word[16];
	const char *at = row->choices;
	const struct word_list *list;

	for (; at && *at && i; i--)
		at += strcspn(at, ",") + strspn(at + strcspn(at, ","), ", ");
	if (at) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, ","), at);
		return *word ? word : NULL;
	}
	if (row->field == offsetof(struct options, report.format))
		return i ? format_word(i - (i <= OUT_LIVE)) : "tree";
	list = FIND_ROW(lists, item->set == row->set);
	return list ? list->word(i) : NULL;
}
