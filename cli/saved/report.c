/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a recording: see report.h. Scripts have options of the same names (--function, --min), so
 * these are not rows of options.def but have a table of their own (report_options.def).
 */
#include "cli/saved/report.h"
#include "runtime/output/out.h"
#include "cli/base/output_file.h"
#include "cli/options/option_rows.h"
#include "cli/options/output_check.h"
#include "cli/options/time_option.h"
#include "cli/options/word_options.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/recording/show.h"
#include "runtime/recording/sql.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct report {
	const char *path, *output, *sql;
	enum out_format format;
	const char *format_word; /* of NAME:WORD, or NULL */
	bool has_format, suggest, help;
	struct show_filter filter;
};

/* ---- options ----------------------------------------------------------------------------- */

static int take_format(struct report *r, const char *arg)
{
	bool is_tree = strcmp(arg, "tree") == 0;

	r->has_format = true;
	r->format = is_tree ? OUT_TEXT : out_format_find(arg, &r->format_word);
	r->filter.no_events = is_tree || (r->format != OUT_TEXT && r->format != OUT_JSON);
	r->filter.only_stacks = r->format == OUT_FOLDED || r->format == OUT_FLAMEGRAPH;
	r->filter.no_maps = r->filter.no_events && !r->filter.only_stacks;
	if (r->format < OUT_FORMAT_COUNT && r->format != OUT_RECORDING && r->format != OUT_LIVE)
		return 0;
	log_error("unknown format '%s' of a report", arg);
	fputs("hint: tree", stderr);
	for (int i = 0; i < OUT_FORMAT_COUNT; i++)
		if (i != OUT_RECORDING && i != OUT_LIVE)
			fprintf(stderr, ", %s", out_formats[i].name);
	putc('\n', stderr);
	return -1;
}

static int take_output(struct report *r, const char *arg)
{
	r->output = arg;
	return 0;
}

static int take_sql(struct report *r, const char *arg)
{
	r->sql = arg;
	return 0;
}

static int take_suggest(struct report *r, const char *arg)
{
	(void)arg;
	r->suggest = true;
	return 0;
}

static int take_function(struct report *r, const char *arg)
{
	r->filter.function = arg;
	return 0;
}

static int take_tid(struct report *r, const char *arg)
{
	return option_count(arg, UINT32_MAX, &r->filter.tid)
		       ? 0
		       : option_error("invalid thread ID '%s'", arg);
}

static int take_min(struct report *r, const char *arg)
{
	return option_time("--min", arg, &r->filter.min_ns);
}

static int take_quiet(struct report *r, const char *arg)
{
	(void)arg;
	r->filter.quiet = true;
	log_set_level(LOG_WARNING);
	return 0;
}

static int take_help(struct report *r, const char *arg)
{
	(void)arg;
	r->help = true;
	return 0;
}

static const struct word_option rows[] = {
#define REPORT_OPTION(name, other, arg, hook, help) {name, other, arg, help},
#include "cli/saved/report_options.def"
#undef REPORT_OPTION
};
static int (*const hooks[])(struct report *r, const char *arg) = {
#define REPORT_OPTION(name, other, arg, hook, help) take_##hook,
#include "cli/saved/report_options.def"
#undef REPORT_OPTION
};
static const struct word_options words = {"report", rows, sizeof(rows) / sizeof(*rows), 24};

static int take_option(struct report *r, const struct options *o, uint32_t *i)
{
	const char *arg;
	int row = word_options_read(&words, o, i, &arg);

	return row < 0 ? -1 : hooks[row](r, arg);
}

static int take_words(struct report *r, const struct options *o)
{
	bool only_files = false;

	for (uint32_t i = 0; i < o->n_params; i++) {
		const char *word = o->params[i];

		if (!only_files && strcmp(word, "--") == 0) {
			only_files = true;
		} else if (!only_files && word[0] == '-' && word[1]) {
			if (take_option(r, o, &i))
				return -1;
		} else if (r->path) {
			return option_error("'sonde report' takes one recording: unexpected '%s'",
					    word);
		} else {
			r->path = word;
		}
	}
	if (r->help)
		return 0;
	if (!r->path)
		return option_error("'sonde report' requires a file of 'sonde record -o FILE'");
	if (r->sql && r->suggest)
		return option_error("--sql and --suggest cannot be combined");
	if (r->sql && r->has_format && r->format != OUT_JSON && r->format != OUT_TEXT)
		return option_error("--sql has the formats text and json");
	return 0;
}

static int print_help(void)
{
	puts("usage: sonde report [options] FILE\n\n"
	     "Shows a recording, which 'sonde record -o FILE SCRIPT' has made: by default what the "
	     "script printed.\n\noptions:");
	word_options_print(&words);
	return 0;
}

/* ---- showing ----------------------------------------------------------------------------- */

static int show(struct report *r, struct recording *rec, FILE *f)
{
	struct out *out;
	int err, late;

	out = out_format_new(r->format, f, &rec->plan, r->format_word);
	if (!out) {
		log_error("cannot write the output: %s", strerror(errno));
		return 2;
	}
	err = recording_show(rec, &r->filter, out);
	if (err)
		out->finish = NULL; /* what is shown as a whole is not shown in part */
	late = out_finish(out);
	out->close(out);
	if (err == -1) /* it has been reported */
		return 1;
	err = err ?: late;
	if (err && err != -EPIPE)
		log_error("cannot write the output: %s%s", strerror(-err), limit_hint(err));
	return err && err != -EPIPE ? 2 : 0;
}

/* Read what is shown, before the output is opened. 0, or 1 after a message. */
static int load(const struct report *r, struct recording *rec)
{
	const char *lacks;

	if (r->sql || r->suggest)
		return 0;
	if (recording_load(rec))
		return 1;
	lacks = out_format_lacks(r->format, &rec->plan);
	if (!lacks)
		return 0;
	log_error("-f %s needs %s: the recording '%s' has none", out_formats[r->format].name, lacks,
		  r->path);
	fputs("hint: 'sonde report FILE', without -f, shows what it has\n", stderr);
	return 1;
}

static int answer(struct report *r, struct recording *rec, FILE *f)
{
	if (r->sql)
		return recording_ask(rec, r->sql, r->format == OUT_JSON, f) ? 1 : 0;
	if (r->suggest)
		return recording_suggest(rec, f) ? 1 : 0;
	return show(r, rec, f);
}

int report_run(const struct options *o)
{
	struct report r = {.filter.quiet = o->quiet};
	struct recording rec;
	int status = 1, closed;
	FILE *f;

	if (take_words(&r, o))
		return 1;
	if (r.help)
		return print_help();
	if (output_check_input(r.output, r.path, "recording"))
		return 1;
	if (recording_open(&rec, r.path) == 0 && load(&r, &rec) == 0) {
		f = output_open(r.output);
		status = f ? answer(&r, &rec, f) : 2;
		closed = f ? output_close(r.output, f) : 0;
		status = status ?: closed;
	}
	recording_close(&rec);
	return status;
}
