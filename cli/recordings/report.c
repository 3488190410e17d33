/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a recording: see recordings.h.
 */
#include "cli/recordings/recordings.h"
#include "runtime/output/out.h"
#include "cli/base/output_file.h"
#include "cli/options/option_rows.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/recording/show.h"
#include "runtime/recording/sql.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct report {
	const struct options *options;
	const char *path;
	struct report_form form;
};

/* ---- options ----------------------------------------------------------------------------- */

static int take_format(struct report *r, const char *arg)
{
	bool is_tree = strcmp(arg, "tree") == 0;
	unsigned int needs;

	r->form.format = is_tree ? OUT_TEXT : out_format_find(arg, &r->form.format_word);
	needs = r->form.format < OUT_FORMAT_COUNT ? out_formats[r->form.format].needs
						  : OUT_NEEDS_NOTHING;
	r->form.filter.no_events = is_tree || needs != OUT_NEEDS_NOTHING;
	r->form.filter.only_stacks = needs == OUT_NEEDS_STACKS;
	r->form.filter.no_maps = is_tree || needs == OUT_NEEDS_SPANS;
	if (r->options->report.sql && r->form.format != OUT_JSON && r->form.format != OUT_TEXT)
		return option_error("--sql has the formats text and json");
	if (r->form.format < OUT_FORMAT_COUNT && r->form.format != OUT_LIVE)
		return 0;
	log_error("unknown format '%s' of a report", arg);
	fputs("hint: tree", stderr);
	for (int i = 0; i < OUT_FORMAT_COUNT; i++)
		if (i != OUT_LIVE)
			fprintf(stderr, ", %s", out_formats[i].name);
	putc('\n', stderr);
	return -1;
}

/* That of -f, else the one that the name of the output says. NULL: the default. */
static const char *format_of(const struct options *o)
{
	enum out_format format = o->out.path ? out_format_of_file(o->out.path) : OUT_FORMAT_COUNT;

	return o->report.format ?: format < OUT_FORMAT_COUNT ? out_formats[format].name : NULL;
}

static int take_options(struct report *r, const struct options *o)
{
	if (!o->args.n_params)
		return command_error(
			"report",
			"'sonde report' requires a file of 'sonde record -o FILE', or - for "
			"lines of -f jsonl");
	for (uint32_t i = 0; i < o->args.n_params; i++)
		if (report_check_input(o->args.params[i]))
			return -1;
	*r = (struct report){.path = o->args.params[0],
			     .options = o,
			     .form.filter = {.function = o->report.function,
					     .tid = o->report.tid,
					     .min_ns = o->report.min_ns,
					     .quiet = o->quiet}};
	return format_of(o) ? take_format(r, format_of(o)) : 0;
}

/* Are results of several runs shown, or those of one as if it were several? */
static bool is_merged(const struct report *r)
{
	return r->options->args.n_params > 1 || r->options->report.by ||
	       r->options->report.outliers || r->form.format == OUT_RECORDING ||
	       report_has_lines(r->path);
}

/* ---- showing ----------------------------------------------------------------------------- */

static int show(struct report *r, struct recording *rec, FILE *f)
{
	struct out *out;
	int err, late;

	out = out_format_new(r->form.format, f, &rec->plan, r->form.format_word);
	if (!out) {
		log_error("cannot write the output: %s", strerror(errno));
		return 2;
	}
	err = recording_show(rec, &r->form.filter, out);
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

	if (r->options->report.sql || r->options->report.suggest)
		return 0;
	if (recording_load(rec))
		return 1;
	lacks = out_format_lacks(r->form.format, &rec->plan);
	if (!lacks)
		return 0;
	log_error("-f %s needs %s: the recording '%s' has none", out_formats[r->form.format].name,
		  lacks, r->path);
	log_hint("'sonde report FILE', without -f, shows what it has");
	return 1;
}

static int answer(struct report *r, struct recording *rec, FILE *f)
{
	if (r->options->report.sql)
		return recording_ask(rec, r->options->report.sql, r->form.format == OUT_JSON, f)
			       ? 1
			       : 0;
	if (r->options->report.suggest)
		return recording_suggest(rec, f) ? 1 : 0;
	return show(r, rec, f);
}

int report_run(const struct options *o)
{
	struct report r;
	struct recording rec;
	int status = 1, closed;
	FILE *f;

	if (take_options(&r, o))
		return 1;
	if (is_merged(&r))
		return report_merged(o, &r.form);
	if (output_check_input(o->out.path, r.path, "recording"))
		return 1;
	if (recording_open(&rec, r.path) == 0 && load(&r, &rec) == 0) {
		f = output_open(o->out.path);
		status = f ? answer(&r, &rec, f) : 2;
		closed = f ? output_close(o->out.path, f) : 0;
		status = status ?: closed;
	}
	recording_close(&rec);
	return status;
}
