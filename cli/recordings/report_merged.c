/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows several runs as one: see recordings.h. The inputs are read twice, first for maps and losses
 * and then for events, since a writer must know all maps before it begins.
 */
#include "cli/recordings/recordings.h"
#include "cli/base/output_file.h"
#include "cli/options/option_rows.h"
#include "parser/base/find.h"
#include "runtime/base/io.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/recording/lines.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct input {
	struct lines *lines; /* NULL: it is a recording */
	bool is_left_out;
};

struct inputs {
	const struct options *o;
	const struct report_form *form;
	struct merge *merge;
	struct input *items; /* as the words of `o` */
};

/* ---- what a file is ------------------------------------------------------------------------ */

/* Files that are compressed, and what writes them to a pipe. */
static const struct {
	const char *magic, *program;
} compressed[] = {
	{"\x1f\x8b", "zcat"},
	{"\x28\xb5\x2f\xfd", "zstdcat"},
	{"\xfd"
	 "7zXZ",
	 "xzcat"},
	{"BZh", "bzcat"},
};

enum { HEAD_BYTES = 4096 };

bool report_has_lines(const char *path)
{
	char head[HEAD_BYTES];
	struct stat st;

	if (strcmp(path, "-") == 0 || out_format_of_file(path) == OUT_JSONL)
		return true;
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) /* <(ssh web1 sonde -f jsonl …) */
		return true;
	return io_read_head(path, head, sizeof(head)) > 0 && strstr(head, "{\"type\": \"");
}

int report_check_input(const char *path)
{
	char head[HEAD_BYTES], plain[PATH_MAX];

	if (io_read_head(path, head, sizeof(head)) <= 0)
		return 0;
	__auto_type row =
		FIND_ROW(compressed, strncmp(head, item->magic, strlen(item->magic)) == 0);

	if (!row)
		return 0;
	snprintf(plain, sizeof(plain), "%.*s",
		 (int)(strrchr(path, '.') ? strrchr(path, '.') - path : (long)strlen(path)), path);
	if (out_format_of_file(plain) == OUT_JSONL)
		return log_error("'%s' is compressed: write %s %s | sonde report -", path,
				 row->program, path);
	return log_error("'%s' is compressed: write %s %s >FILE, and report FILE", path,
			 row->program, path);
}

/* ---- reading -------------------------------------------------------------------------------- */

static int collect_lines(struct inputs *in, uint32_t i)
{
	const char *path = in->o->args.params[i];
	bool is_input = strcmp(path, "-") == 0;
	FILE *f = is_input ? stdin : fopen(path, "re");

	if (!f)
		return recording_unread(path);
	if (is_input && isatty(STDIN_FILENO))
		log_info("reading lines of sonde -f jsonl from the terminal; Ctrl-D ends them");
	in->items[i].lines = lines_read(f, is_input ? "standard input" : path, in->merge);
	if (!is_input)
		fclose(f);
	if (!in->items[i].lines)
		return -1;
	return lines_have_runs(in->items[i].lines, in->o->args.n_params == 1) ||
			       in->o->args.n_params > 1
		       ? 0
		       : -1;
}

static int show_recording(struct inputs *in, uint32_t i, struct show_filter filter, struct out *to)
{
	const char *path = in->o->args.params[i];
	struct recording rec;
	int err = recording_open(&rec, path);

	rec.is_merged = true;
	err = err ?: recording_load(&rec);
	if (!err && rec.is_old && !filter.no_maps)
		err = log_error("'%s' was made by an older sonde, without what is needed to add "
				"its values: record again, or show it alone",
				path);
	if (!err && (!rec.run.host || !*rec.run.host))
		rec.run.host = path;
	if (!err && !filter.no_maps)
		err = merge_note_run(in->merge, &rec.run, path, &in->items[i].is_left_out);
	if (!err && !in->items[i].is_left_out) {
		merge_rows(in->merge, &rec.plan);
		err = recording_show(&rec, &filter, to);
	}
	recording_close(&rec);
	return err;
}

/* A run that has not begun costs nothing of the others. */
static bool is_empty(struct inputs *in, uint32_t i)
{
	const char *path = in->o->args.params[i];

	if (in->o->args.n_params == 1 || !recording_is_empty(path))
		return false;
	log_warning("'%s' is empty: its run has not begun, or could not begin; it is left out",
		    path);
	return in->items[i].is_left_out = true;
}

static int collect(struct inputs *in)
{
	struct show_filter filter = in->form->filter;
	uint32_t n = in->o->args.n_params;
	int err = 0;

	filter.no_events = filter.last_maps = filter.quiet = true;
	for (uint32_t i = 0; i < n && !err; i++)
		err = report_has_lines(in->o->args.params[i]) ? collect_lines(in, i)
		      : is_empty(in, i)			      ? 0
					: show_recording(in, i, filter, merge_collect(in->merge));
	if (!err && !merge_count(in->merge))
		err = log_error("there is nothing to report: none of the %u files has a run", n);
	return err ?: merge_check_by(in->merge);
}

static int pass(struct inputs *in, struct out *to)
{
	struct show_filter filter = in->form->filter;
	int err = 0;

	filter.no_maps = true;
	for (uint32_t i = 0; i < in->o->args.n_params && !err; i++)
		err = in->items[i].is_left_out ? 0
		      : !in->items[i].lines    ? show_recording(in, i, filter, to)
		      : filter.no_events       ? 0
					       : lines_pass(in->items[i].lines, to);
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
	int n_names = 0;
	const char *more = o->args.n_params > 1 ? " …" : "", *path = o->args.params[0];

	if (o->report.sql || o->report.suggest)
		return log_error("%s asks one recording: write sonde report -f recording -o "
				 "all.rec %s%s, and ask all.rec",
				 o->report.sql ? "--sql" : "--suggest", path, more);
	if (form->format == OUT_TIMELINE || form->format == OUT_CHROME)
		return log_error("-f %s shows one machine, whose clock its times are of: give one "
				 "recording, sonde report -f %s -o %s FILE",
				 out_formats[form->format].name, out_formats[form->format].name,
				 out_formats[form->format].file ?: "FILE");
	if (form->format == OUT_RECORDING && !o->out.path)
		return log_error("-f recording requires -o FILE: write -o all.rec");
	for (const char *at = o->report.by; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!*at || *at == ',' || ++n_names > MERGE_MOST_NAMES)
			return log_error(
				"--by takes host, labels, or up to %d of them with commas: "
				"write --by host,rack",
				MERGE_MOST_NAMES);
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
	in.items = calloc(o->args.n_params, sizeof(*in.items));
	if (!in.items)
		log_error("out of memory");
	else if (collect(&in) == 0)
		status = show_collected(&in);
	for (uint32_t i = 0; in.items && i < o->args.n_params; i++)
		if (in.items[i].lines)
			lines_free(in.items[i].lines);
	free(in.items);
	merge_free(in.merge);
	return status;
}
