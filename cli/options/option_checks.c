/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which options go together.
 */
#include "cli/options/option_checks.h"
#include "cli/options/command_check.h"
#include "cli/options/option_rows.h"
#include "cli/scripts/other_word.h"
#include "parser/lang/config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum group {
	LISTS = 1,
	EXPLAINS = 2,
	REPLAYS = 4,
	DRAWS = 8,
	BEFORE = 16,
};

/* The first option of a group that is given, or NULL. */
static const char *first_of(const struct options *o, enum group group)
{
	const struct {
		bool is_given;
		const char *name;
		unsigned groups; /* enum group */
	} rows[] = {
#define GROUP(is_given, name, groups) {is_given, name, groups},
#include "cli/options/option_groups.def"
#undef GROUP
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_given && rows[i].groups & group)
			return rows[i].name;
	return NULL;
}

static int check_list(const struct options *o)
{
	if (first_of(o, LISTS))
		return option_error("-l does not trace: it cannot be combined with %s",
				    first_of(o, LISTS));
	if (o->program && o->file)
		return option_error("-l takes -e PROGRAM or '%s', not both", o->file);
	return o->command && o->pid ? option_error("-c and -p cannot be combined") : 0;
}

static int check_help(const struct options *o)
{
	const char *word = NULL;

	if (o->help_topic)
		word = o->file ? o->help_topic : o->n_params ? o->params[0] : NULL;
	return word ? option_error("--help takes one topic: unexpected '%s'", word) : 0;
}

/* `form`: what is to be written behind the word of the mode. */
static int report_missing(enum mode mode, const char *what, const char *form)
{
	const char *word = options_word_of_mode(mode);

	log_error("'sonde %s' requires %s: write sonde %s %s", word, what, word, form);
	if (access(word, R_OK) == 0)
		fprintf(stderr, "hint: './%s' is the file '%s'\n", word, word);
	return -1;
}

static int check_cat(const struct options *o)
{
	if (!o->n_params)
		return report_missing(MODE_CAT, "the name of a bundled script",
				      "NAME; 'sonde --scripts' lists them");
	if (o->n_params > 1)
		return option_error("'sonde cat' takes one script: unexpected '%s'", o->params[1]);
	return 0;
}

/* -e counts as a word, since it would be ignored, too. */
static int check_no_words(const struct options *o)
{
	const char *word = o->file ? o->file : o->program ? "-e" : NULL;

	return word ? option_error("%s takes no argument: unexpected '%s'", option_of_mode(o->mode),
				   word)
		    : 0;
}

/* Options that do nothing without others. */
static int check_lone(const struct options *o)
{
	if (o->system && !o->command && !o->pid && !o->cgroup && !o->container)
		return option_wrong(
			"--system requires -c COMMAND or -p PID: without them the whole "
			"system is traced: leave it out");
	if (o->delimiter && o->format != OUT_FOLDED && o->format != OUT_FLAMEGRAPH &&
	    o->format != OUT_RECORDING)
		return option_wrong("--delimiter requires stacks: write -f folded or -f "
				    "flamegraph, too");
	if (o->mode == MODE_FMT && o->n_params) {
		log_error("'sonde fmt' takes one file: unexpected '%s'", o->params[0]);
		fputs("hint: for several: for f in *.bt; do sonde fmt $f -o $f; done\n", stderr);
		return -1;
	}
	if (o->follow && !o->pid)
		return option_error("--follow requires -p PID (-c always follows)");
	if (o->reset && !o->interval_ns)
		return option_wrong("--reset requires --interval TIME: write --interval 1s, too");
	return 0;
}

static int check_trace(const struct options *o)
{
	if (o->diff || o->scale || o->unit)
		return option_error("%s requires 'sonde flamegraph FILE'", o->diff    ? "--diff"
									   : o->scale ? "--scale"
										      : "--unit");
	if (o->file && !*o->file)
		return option_error("the name of the script is empty");
	if (o->program && o->file && o->format == OUT_RECORDING && !o->output)
		return option_wrong("'sonde record' requires -o FILE: write sonde record -o %s -e "
				    "'PROGRAM'",
				    o->file);
	if (o->program && o->file) {
		log_error("give -e PROGRAM or the file '%s', not both", o->file);
		return command_hint(o, o->file) ? -1 : option_hint();
	}
	if (!o->program && !o->file && o->mode == MODE_FMT)
		return option_wrong("'sonde fmt' requires a script: write sonde fmt FILE, or --fmt "
				    "-e 'PROGRAM'");
	if (!o->program && !o->file && !o->events && o->format == OUT_RECORDING)
		return option_wrong("'sonde record' requires a script: write sonde record -o FILE "
				    "SCRIPT, or -e 'PROGRAM'");
	if (!o->program && !o->file && !o->events && !o->replay)
		return option_error("nothing to run: give -e 'PROGRAM' or a FILE");
	if (o->command && o->pid)
		return option_wrong("-c and -p cannot be combined: each chooses what is "
				    "traced, so give one");
	if (o->warnings && o->no_warnings)
		return option_error("-k and --no-warnings cannot be combined");
	if (o->calibrate && o->no_calibrate)
		return option_error("--calibrate and --no-calibrate cannot be combined");
	if (o->test && o->bench)
		return option_error("--test and --bench cannot be combined");
	if ((o->test || o->bench) && o->mode == MODE_FMT)
		return option_error("%s and --fmt cannot be combined",
				    o->test ? "--test" : "--bench");
	if (o->cgroup && o->system)
		return option_error("--cgroup and --system cannot be combined");
	if (o->live && o->format != OUT_LIVE)
		return option_error("--live and -f %s cannot be combined",
				    out_formats[o->format].name);
	if (o->format == OUT_LIVE && (o->test || o->bench))
		return option_error("--live and %s cannot be combined",
				    o->test ? "--test" : "--bench");
	if (o->format == OUT_LIVE && o->mode == MODE_TRACE && !o->emit &&
	    (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return option_error("--live requires a terminal, and standard %s is none: write "
				    "--interval 1s to print the maps each second",
				    isatty(STDOUT_FILENO) ? "input" : "output");
	return check_lone(o);
}

static int check_explain(const struct options *o)
{
	if (!o->file && !o->program)
		return report_missing(MODE_EXPLAIN, "a script",
				      "SCRIPT, or sonde explain -e 'PROGRAM'");
	if (first_of(o, EXPLAINS))
		return option_error("%s cannot be combined with 'sonde explain'",
				    first_of(o, EXPLAINS));
	if (o->is_page && !o->output)
		return option_error("-f html requires -o FILE");
	return check_trace(o);
}

static int check_flamegraph(const struct options *o)
{
	uint32_t n = o->n_params, expected = o->diff ? 2 : 1;

	if (first_of(o, DRAWS))
		return option_error(
			"'sonde flamegraph' does not trace: it cannot be combined with %s",
			first_of(o, DRAWS));
	if (o->scale && !o->diff)
		return option_error("--scale requires --diff");
	if (n < expected)
		return option_error(
			o->diff ? "'sonde flamegraph --diff' requires two files: "
				  "BEFORE AFTER"
				: "'sonde flamegraph' requires a file of folded stacks, or a recording");
	if (n == 2 && !o->diff)
		return option_error("two files: write 'sonde flamegraph --diff %s %s'",
				    o->params[0], o->params[1]);
	if (n > expected)
		return option_error("unexpected '%s'", o->params[expected]);
	if (o->unit && strcmp(o->unit, "ns") != 0)
		return option_error("unknown unit '%s': expected ns", o->unit);
	return 0;
}

/* Modes that read the words behind their names. */
static int check_own_words(const struct options *o)
{
	const char *name = options_word_of_mode(o->mode);

	if (first_of(o, BEFORE))
		return option_error("write %s behind the word: sonde %s %s …", first_of(o, BEFORE),
				    name, first_of(o, BEFORE));
	return 0;
}

/* A picture, which would fill the terminal with its text. */
static int check_terminal(const struct options *o)
{
	const struct out_format_row *format = &out_formats[o->format];

	if (!format->file || o->output || o->dry_run || !isatty(STDOUT_FILENO))
		return 0;
	return option_wrong("-f %s is not for a terminal: write it to a file, -o %s", format->name,
			    format->file);
}

/* Where the output goes: that of `sonde record` to a file. */
static int check_output(const struct options *o)
{
	if (o->format != OUT_RECORDING)
		return check_terminal(o);
	if (!o->program && !o->events && o->file && other_word_is_program(o->file))
		return option_wrong("'sonde record' requires %s: write sonde record -o %s "
				    "functrace -- %s",
				    o->output ? "a script" : "-o FILE and a script",
				    o->output ?: "FILE", o->file);
	if (!o->output)
		return option_wrong("'sonde record' requires -o FILE: write sonde record -o FILE %s",
				    o->events ? "--events 'PATTERN'" : o->file ?: "-e 'PROGRAM'");
	if (o->test || o->bench)
		return option_error("%s cannot be recorded", o->test ? "--test" : "--bench");
	return 0;
}

/* The word behind `sonde replay` is an option. */
static int check_no_recording(const struct options *o)
{
	const char *word = o->file ?: o->n_params ? o->params[0] : NULL;

	if (word)
		return option_wrong("the recording comes first: write sonde replay %s %s", word,
				    o->program ? "-e 'PROGRAM'" : "SCRIPT");
	return option_error("'sonde replay' requires a file of 'sonde record --events "
			    "PATTERN -o FILE' behind the word");
}

/* sonde record --events, sonde replay. */
static int check_replay(const struct options *o)
{
	if (o->events && o->format != OUT_RECORDING)
		return option_error("--events requires 'sonde record'");
	if (o->event_stacks && !o->events)
		return option_error("--event-stacks requires --events");
	if (o->events && (o->program || o->file))
		return option_error("--events records events, and runs no script: leave out %s",
				    o->program ? "-e" : o->file);
	if (!o->replay)
		return 0;
	if (!*o->replay)
		return check_no_recording(o);
	if (first_of(o, REPLAYS))
		return option_error("'sonde replay' and %s cannot be combined: all events are in "
				    "the recording",
				    first_of(o, REPLAYS));
	return 0;
}

int options_check(const struct options *o)
{
	if (o->time_unit && config_word_find("time_unit", o->time_unit) < 0)
		return option_error("--time-unit: '%s' is not one of ns, us, ms, s", o->time_unit);
	if (o->cpp_names && config_word_find("cpp_names", o->cpp_names) < 0)
		return option_error("--cpp-names: '%s' is not one of full, no_parameters, short",
				    o->cpp_names);
	if (o->return_probes && config_word_find("return_probes", o->return_probes) < 0)
		return option_error("--return-probes: '%s' is not one of auto, ret",
				    o->return_probes);
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
	case MODE_LEARN: return check_own_words(o);
	case MODE_TRACE:
	case MODE_FMT:
	case MODE_CHECK: break;
	}
	if (o->is_page)
		return option_error("-f html requires 'sonde explain'");
	if (o->stages && !o->explain)
		return option_error("--stage requires 'sonde explain' or --explain");
	return check_replay(o) ?: check_trace(o) ?: command_check(o) ?: check_output(o);
}
