/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which options go together.
 */
#include "cli/options/option_rows.h"
#include "cli/scripts/scripts.h"
#include <unistd.h>

/* "'sonde record'"; -l has no row. */
static const char *shown_word(char *buf, size_t size, enum option_words word)
{
	const struct first_word *w = first_word_of(word);

	snprintf(buf, size, w ? "'sonde %s'" : "-l", w ? w->word : "");
	return buf;
}

/* The option is none of those that the first word takes. */
static int refuse(enum option_words word, const struct option_row *row)
{
	enum option_words takers = row->words & ~FW_RUN;
	char shown[40];

	if (word & FW_OWN && option_find(word, row->name, strlen(row->name))) {
		const struct first_word *w = first_word_of(word);

		return log_error("write %s after the word: sonde %s %s …", row->name, w->word,
				 row->name);
	}
	if (word & (FW_RUN | FW_OTHER))
		return log_error("%s requires %s", row->name,
				 shown_word(shown, sizeof(shown), takers & -takers));
	return log_error("%s cannot be combined with %s", row->name,
			 shown_word(shown, sizeof(shown), word));
}

/* "--system requires -c COMMAND or -p PID" */
static int report_needed(const struct option_row *row)
{
	char text[128] = "";
	size_t n = 0, len;

	for (const char *at = row->needs; *at; at += len + strspn(at + len, " ")) {
		const struct option_row *needed;

		len = strcspn(at, " ");
		needed = option_find(FW_ANY, at, len);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s%s", n ? " or " : "",
				      needed->name, needed->arg ? " " : "", needed->arg ?: "");
	}
	return log_error("%s requires %s", row->name, text);
}

/* The columns of options.def. */
static int check_rows(const struct options *o)
{
	enum option_words word = options_word(o);

	for (const struct option_row *r = option_rows; r < option_rows + n_option_rows; r++) {
		const struct option_row *other;

		if (!option_is_given(o, r))
			continue;
		if (!((r->words ?: FW_ANY) & word))
			return refuse(word, r);
		other = r->excludes ? option_given(o, r->excludes) : NULL;
		if (other)
			return option_error("%s and %s cannot be combined", r->name, other->name);
		if (r->needs && !option_given(o, r->needs))
			return report_needed(r);
	}
	return 0;
}

static int check_list(const struct options *o)
{
	if (o->args.program && o->args.file)
		return option_error("-l takes -e PROGRAM or '%s', not both", o->args.file);
	return 0;
}

static int check_help(const struct options *o)
{
	const char *word = NULL;

	if (o->help_topic)
		word = o->args.file ? o->help_topic : o->args.n_params ? o->args.params[0] : NULL;
	return word ? option_error("--help takes one topic: unexpected '%s'", word) : 0;
}

/* `form`: what is to be written behind the word of the mode. */
static int report_missing(enum mode mode, const char *what, const char *form)
{
	const char *word = first_word_of_mode(mode);

	log_error("'sonde %s' requires %s: write sonde %s %s", word, what, word, form);
	if (access(word, R_OK) == 0)
		log_hint("'./%s' is the file '%s'", word, word);
	return -1;
}

static int check_cat(const struct options *o)
{
	if (!o->args.n_params)
		return report_missing(MODE_CAT, "the name of a bundled script",
				      "NAME; 'sonde --scripts' lists them");
	if (o->args.n_params > 1)
		return option_error("'sonde cat' takes one script: unexpected '%s'",
				    o->args.params[1]);
	return 0;
}

/* -e counts as a word, since it would be ignored, too. */
static int check_no_words(const struct options *o)
{
	const char *word = o->args.file ? o->args.file : o->args.program ? "-e" : NULL;

	if (!word)
		return 0;
	log_error("%s takes no argument: unexpected '%s'", option_of_mode(o->mode), word);
	return option_hint_script(word) ? -1 : option_hint();
}

/* Options that do nothing without others. */
static int check_lone(const struct options *o)
{
	if (o->out.delimiter && o->out.format != OUT_FOLDED && o->out.format != OUT_FLAMEGRAPH &&
	    o->out.format != OUT_RECORDING)
		return log_error("--delimiter requires stacks: write -f folded or -f "
				 "flamegraph, too");
	if (o->mode == MODE_FMT && o->args.n_params) {
		log_error("'sonde fmt' takes one file: unexpected '%s'", o->args.params[0]);
		return log_hint("for several: for f in *.bt; do sonde fmt $f -o $f; done");
	}
	if (o->out.reset && out_formats[o->out.format].traits & OUT_METRICS)
		return log_error("--reset would set metrics back: leave it out; rate() of "
				 "Prometheus computes what came in a time");
	if (o->out.listen && !(out_formats[o->out.format].traits & OUT_METRICS))
		return log_error("--listen serves metrics: leave out -f %s, or write "
				 "-f openmetrics",
				 out_formats[o->out.format].name);
	if (o->out.max_keys && !(out_formats[o->out.format].traits & OUT_METRICS))
		return log_error("--max-keys is for metrics: write -f openmetrics or --listen "
				 "9435, too; --top N prints the N largest rows of a map");
	if (o->out.reset && !o->out.interval_ns)
		return log_error("--reset requires --interval TIME: write --interval 1s, too");
	return 0;
}

static int check_trace(const struct options *o)
{
	if (o->args.file && !*o->args.file)
		return option_error("the name of the script is empty");
	if (o->args.program && o->args.file && o->out.format == OUT_RECORDING && !o->out.path)
		return log_error("'sonde record' requires -o FILE: write sonde record -o %s -e "
				 "'PROGRAM'",
				 o->args.file);
	if (o->args.program && o->args.file) {
		log_error("give -e PROGRAM or the file '%s', not both", o->args.file);
		if (!strpbrk(o->args.program, "{<"))
			return log_hint("-e takes a program, not an event: sonde -e "
					"'hardware:cycles:1000000 { @[ustack] = count(); }'");
		return command_hint(&o->args, o->args.file) ? -1 : option_hint();
	}
	if (!o->args.program && !o->args.file && o->mode == MODE_FMT)
		return log_error("'sonde fmt' requires a script: write sonde fmt FILE, or --fmt "
				 "-e 'PROGRAM'");
	if (!o->args.program && !o->args.file && !o->record.events &&
	    o->out.format == OUT_RECORDING)
		return log_error("'sonde record' requires a script: write sonde record -o FILE "
				 "SCRIPT, or -e 'PROGRAM'");
	if (!o->args.program && !o->args.file && !o->record.events && !o->record.file)
		return option_error("nothing to run: give -e 'PROGRAM' or a FILE");
	if ((o->test || o->bench) && o->mode == MODE_FMT)
		return option_error("%s and --fmt cannot be combined",
				    o->test ? "--test" : "--bench");
	if (o->out.live && o->out.format != OUT_LIVE)
		return option_error("--live and -f %s cannot be combined",
				    out_formats[o->out.format].name);
	if (o->out.format == OUT_LIVE && (o->test || o->bench))
		return option_error("--live and %s cannot be combined",
				    o->test ? "--test" : "--bench");
	if (o->out.format == OUT_LIVE && o->mode == MODE_TRACE && !o->compile.emit &&
	    (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return option_error("--live requires a terminal, and standard %s is none: write "
				    "--interval 1s to print the maps each second",
				    isatty(STDOUT_FILENO) ? "input" : "output");
	return check_lone(o);
}

static int check_explain(const struct options *o)
{
	if (!o->args.file && !o->args.program)
		return report_missing(MODE_EXPLAIN, "a script",
				      "SCRIPT, or sonde explain -e 'PROGRAM'");
	if (o->out.format != OUT_TEXT)
		return option_error("-f other than html cannot be combined with 'sonde explain'");
	if (o->compile.is_page && !o->out.path)
		return option_error("-f html requires -o FILE");
	return check_trace(o);
}

static int check_flamegraph(const struct options *o)
{
	uint32_t n = o->args.n_params, expected = o->diff ? 2 : 1;

	if (n < expected)
		return option_error(
			o->diff ? "'sonde flamegraph --diff' requires two files: "
				  "BEFORE AFTER"
				: "'sonde flamegraph' requires a file of folded stacks, or a recording");
	if (n == 2 && !o->diff)
		return option_error("two files: write 'sonde flamegraph --diff %s %s'",
				    o->args.params[0], o->args.params[1]);
	if (n > expected)
		return option_error("unexpected '%s'", o->args.params[expected]);
	if (o->unit && strcmp(o->unit, "ns") != 0)
		return option_error("unknown unit '%s': expected ns", o->unit);
	return 0;
}

/* A picture, which would fill the terminal with its text. */
static int check_terminal(const struct options *o)
{
	const struct out_format_row *format = &out_formats[o->out.format];

	if (format->traits & OUT_FILES && o->out.interval_ns && !o->out.path)
		return log_error(
			"-f %s with --interval writes a file for each interval: give -o %s",
			format->name, format->file);
	if (!format->file || o->out.path || o->dry_run || !isatty(STDOUT_FILENO))
		return 0;
	return log_error("-f %s is not for a terminal: write it to a file, -o %s", format->name,
			 format->file);
}

/* Where the output goes: that of `sonde record` to a file. */
static int check_output(const struct options *o)
{
	if (o->out.format != OUT_RECORDING)
		return check_terminal(o);
	if (!o->args.program && !o->record.events && o->args.file &&
	    other_word_is_program(o->args.file))
		return log_error("'sonde record' requires %s: write sonde record -o %s "
				 "functrace -- %s",
				 o->out.path ? "a script" : "-o FILE and a script",
				 o->out.path ?: "FILE", o->args.file);
	if (o->out.path && strcmp(o->out.path, "-") == 0)
		return log_error(
			"-o -: a recording is a database, which no pipe can hold: give a file, -o FILE, or write -f jsonl to a pipe");
	if (!o->out.path)
		return log_error("'sonde record' requires -o FILE: write sonde record -o FILE %s",
				    o->record.events ? "--events LIST" : o->args.file ?: "-e 'PROGRAM'");
	if (o->test || o->bench)
		return option_error("%s cannot be recorded", o->test ? "--test" : "--bench");
	return 0;
}

/* The word behind `sonde replay` is an option. */
static int check_no_recording(const struct options *o)
{
	const char *word = o->args.file ?: o->args.n_params ? o->args.params[0] : NULL;

	if (word)
		return log_error("the recording comes first: write sonde replay %s %s", word,
				 o->args.program ? "-e 'PROGRAM'" : "SCRIPT");
	return option_error(
		"'sonde replay' needs a recording: write sonde replay FILE, with a file "
		"of 'sonde record --events LIST -o FILE'");
}

/* sonde record --events, sonde replay. */
static int check_replay(const struct options *o)
{
	if (o->record.events && (o->args.program || o->args.file))
		return option_error("--events records events, and runs no script: leave out %s",
				    o->args.program ? "-e" : o->args.file);
	if (!o->record.file)
		return 0;
	if (!*o->record.file)
		return check_no_recording(o);
	if (o->out.format == OUT_RECORDING || o->out.format == OUT_LIVE)
		return option_error("-f %s cannot be combined with 'sonde replay'",
				    out_formats[o->out.format].name);
	return 0;
}

int options_check(const struct options *o)
{
	if (o->mode != MODE_HELP && o->mode != MODE_VERSION && check_rows(o))
		return -1;
	switch (o->mode) {
	case MODE_HELP: return check_help(o);
	case MODE_LIST: return check_list(o);
	case MODE_CAT: return check_cat(o);
	case MODE_FLAMEGRAPH: return check_flamegraph(o);
	case MODE_EXPLAIN: return check_explain(o);
	case MODE_VERSION:
	case MODE_LIST_ROWS:
	case MODE_INFO:
	case MODE_SCRIPTS: return check_no_words(o);
	case MODE_REPORT:
	case MODE_STAT:
	case MODE_LEARN:
	case MODE_KUBERNETES: return 0;
	case MODE_TRACE:
	case MODE_FMT:
	case MODE_CHECK: break;
	}
	if (o->compile.is_page)
		return option_error("-f html requires 'sonde explain'");
	if (o->compile.stages && !o->compile.explain)
		return option_error("--stage requires 'sonde explain' or --explain");
	return check_replay(o) ?: check_trace(o) ?: command_check(&o->args) ?: check_output(o);
}
