/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows several runs as one: see recordings.h. The inputs are read twice, first for maps and losses
 * and then for events, since a writer must know all maps before it begins.
 */
#include "cli/recordings/recordings.h"
#include "cli/base/output_file.h"
#include "cli/options/option_rows.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/recording/lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct inputs {
	const struct options *o;
	const struct report_form *form;
	struct merge *merge;
	struct lines **lines; /* of each input; NULL: it is a recording */
};

static bool has_lines(const char *path)
{
	return strcmp(path, "-") == 0 || out_format_of_file(path) == OUT_JSONL;
}

static int collect_lines(struct inputs *in, uint32_t i)
{
	const char *path = in->o->args.params[i];
	bool is_input = strcmp(path, "-") == 0;
	FILE *f = is_input ? stdin : fopen(path, "re");

	if (!f)
		return log_error("cannot read '%s': %s", path, strerror(errno));
	in->lines[i] = lines_read(f, is_input ? "standard input" : path, in->merge);
	if (!is_input)
		fclose(f);
	return in->lines[i] ? 0 : -1;
}

static int show_recording(struct inputs *in, uint32_t i, struct show_filter filter, struct out *to)
{
	struct recording rec;
	int err = recording_open(&rec, in->o->args.params[i]);

	rec.is_merged = true;
	err = err ?: recording_load(&rec);
	if (!err && rec.is_old && !filter.no_maps)
		err = log_error("'%s' was made by an older sonde, without what is needed to add "
				"its values: record again, or show it alone",
				in->o->args.params[i]);
	if (!err)
		merge_rows(in->merge, &rec.plan);
	err = err ?: recording_show(&rec, &filter, to);
	recording_close(&rec);
	return err;
}

static int collect(struct inputs *in)
{
	struct show_filter filter = in->form->filter;
	int err = 0;

	filter.no_events = filter.last_maps = filter.quiet = true;
	for (uint32_t i = 0; i < in->o->args.n_params && !err; i++)
		err = has_lines(in->o->args.params[i])
			      ? collect_lines(in, i)
			      : show_recording(in, i, filter, merge_collect(in->merge));
	return err;
}

static int pass(struct inputs *in, struct out *to)
{
	struct show_filter filter = in->form->filter;
	int err = 0;

	filter.no_maps = true;
	for (uint32_t i = 0; i < in->o->args.n_params && !err; i++)
		err = !in->lines[i]	 ? show_recording(in, i, filter, to)
		      : filter.no_events ? 0
					 : lines_pass(in->lines[i], to);
	return err;
}

static int show(struct inputs *in, FILE *f)
{
	struct out *out =
		out_format_new(in->form->format, f, merge_plan(in->merge), in->form->format_word);
	int err, late;

	if (!out) {
		log_error("cannot write the output: %s", strerror(errno));
		return 2;
	}
	err = merge_show_begin(in->merge, in->o->out.path, out)
	      ?: pass(in, merge_pass(in->merge, out)) ?: merge_show(in->merge, out);
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

static int check(const struct options *o, const struct report_form *form)
{
	if (o->report.sql || o->report.suggest)
		return log_error("%s asks one recording: write sonde report -f recording -o "
				 "ALL.rec FILE…, and ask ALL.rec",
				 o->report.sql ? "--sql" : "--suggest");
	if (form->format == OUT_TIMELINE || form->format == OUT_CHROME)
		return log_error("-f %s shows one machine, whose clock its times are of: give one "
				 "recording",
				 out_formats[form->format].name);
	if (form->format == OUT_RECORDING && !o->out.path)
		return log_error("-f recording requires -o FILE");
	for (uint32_t i = 0; i < o->args.n_params; i++)
		if (output_check_input(o->out.path, o->args.params[i], "recording"))
			return -1;
	return 0;
}

static int show_collected(struct inputs *in)
{
	const char *lacks = out_format_lacks(in->form->format, merge_plan(in->merge)), *path;
	int status, closed;
	FILE *f;

	if (lacks) {
		log_error("-f %s needs %s: these runs have none",
			  out_formats[in->form->format].name, lacks);
		return 1;
	}
	path = in->o->out.path;
	f = output_open(path);
	status = f ? show(in, f) : 2;
	closed = f ? output_close(path, f) : 0;
	return status ?: closed;
}

int report_merged(const struct options *o, const struct report_form *form)
{
	const struct merge_form how = {.by = o->report.by, .outliers = o->report.outliers};
	struct inputs in = {.o = o, .form = form};
	int status = 1;

	if (check(o, form))
		return 1;
	in.merge = merge_new(&how);
	in.lines = calloc(o->args.n_params, sizeof(*in.lines));
	if (!in.lines)
		log_error("out of memory");
	else if (collect(&in) == 0)
		status = show_collected(&in);
	for (uint32_t i = 0; in.lines && i < o->args.n_params; i++)
		if (in.lines[i])
			lines_free(in.lines[i]);
	free(in.lines);
	merge_free(in.merge);
	return status;
}
