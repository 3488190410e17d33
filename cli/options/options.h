/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line as one struct, which is constant after it was read.
 */
#pragma once
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include "runtime/output/out_format.h"
#include "runtime/run/start_moment.h"

enum emit_stage {
	EMIT_NOTHING,
	EMIT_TOKENS,
	EMIT_AST,
	EMIT_TYPES,
	EMIT_FACTS,
	EMIT_PLAN,
	EMIT_IR,
	EMIT_IR_OPT,
	EMIT_ASM,
	EMIT_ELF,
	EMIT_LLVM, /* two files: ir and ir-opt */
};

/* What a run does instead of tracing. */
enum mode {
	MODE_TRACE,
	MODE_CHECK,
	MODE_EXPLAIN, /* print the stages */
	MODE_HELP,
	MODE_VERSION,
	MODE_LIST_ROWS,
	MODE_LIST,
	MODE_INFO,	 /* print what kernel and build support */
	MODE_SCRIPTS,	 /* list the bundled scripts */
	MODE_CAT,	 /* print the script params[0] */
	MODE_FMT,	 /* print the script in canonical form */
	MODE_FLAMEGRAPH, /* draw saved stacks */
	MODE_REPORT,	 /* show a recording; `params` are the words of report.h */
	MODE_STAT,	 /* count events; `params` are the words of stat.h */
	MODE_LEARN,	 /* lessons; `params` are the words of learn.h */
};

/* -B; the default writes when idle. */
enum buffering { BUFFER_IDLE, BUFFER_LINE, BUFFER_FULL, BUFFER_NONE };

/* Most -I, and most --include. */
enum { MAX_INCLUDES = 64 };

struct options {
	enum mode mode;
	enum emit_stage emit;
	const char *program;	/* -e */
	const char *first_word; /* the word of first_words.def that is given, or NULL */
	const char *file;
	const char *const *params; /* words after the script: $1, $2, … */
	uint32_t n_params;
	const char *include_dirs[MAX_INCLUDES], *include_files[MAX_INCLUDES]; /* absolute */
	uint32_t n_include_dirs, n_include_files;
	const char *command;	    /* -c */
	const char *behind_command; /* the word behind that, or NULL */
	bool is_behind_option;	    /* with an option between them */
	char *joined;		    /* what `command` is if it was several words, or NULL */
	uint32_t pid;		    /* -p */
	const char *cgroup;	    /* --cgroup */
	const char *container;	    /* --container: `cgroup` is its cgroup, in container_path */
	char *container_path;
	uint64_t duration_ns;
	struct start_moment start;
	const char *output; /* -o */
	const char *kernel_facts;
	const char *facts; /* name of a stock kernel */
	const char *traceable_functions;
	const char *help_topic; /* --help TOPIC */
	bool verbose, quiet;
	bool system;		      /* -c or -p, but trace everything */
	bool self;		      /* trace sonde, too */
	bool no_warnings;	      /* of the compiler and warnf() */
	bool warnings;		      /* report failed reads and lookups, too */
	bool calibrate, no_calibrate; /* override config calibrate */
	bool unsafe;		      /* allow what can harm traced programs */
	bool follow;		      /* -p and its descendants */
	enum out_format format;
	const char *format_word; /* of -f NAME:WORD, or NULL */
	enum buffering buffering;
	uint64_t interval_ns;	   /* between prints of all maps; 0: none */
	const char *sort;	   /* --sort */
	uint32_t top;		   /* 0: all */
	const char *time_unit;	   /* a word of the setting; NULL: the script's */
	const char *cpp_names;	   /* likewise */
	const char *return_probes; /* overrides config return_probes */
	bool percent;
	const char *delimiter;
	bool live;		 /* --live */
	bool reset;		 /* clear maps after each print */
	uint32_t max_stacks;	 /* 0: the default */
	bool strict;		 /* losses have exit status 4 */
	bool stats;		 /* print what each program costs */
	double max_overhead;	 /* percent; 0: any */
	const char *events;	 /* --events: the tracepoints to record */
	bool event_stacks;	 /* ... with their stacks */
	const char *source_name; /* ... the name of the script */
	const char *event_facts; /* ... and their formats, as facts of the kernel */
	const char *replay;	 /* the recording that 'sonde replay' runs the script over */
	const struct recorded_events *recorded; /* ... and its events */
	bool interpret;				/* run the programs here, not in the kernel */
	bool test, bench;			/* run tests, benches */
	uint32_t dumps;		 /* -d: a bit for each enum emit_stage to print before the run */
	const char *emit_prefix; /* --emit-llvm */
	uint32_t stages;	 /* --stage: a bit for each enum explain_stage; 0: all */
	bool explain;		 /* --explain: before the run */
	bool is_page;		 /* -f html */
	bool times;		 /* --mode compiler-bench: print how long the stages take */
	bool ignored;		 /* options that are accepted without effect */
	uint64_t denied;	 /* --no-feature: a bit for each capability */
	regex_t filter;		 /* --probe-filter */
	bool has_filter;
	bool dry_run;	  /* load, attach, stop */
	bool diff, scale; /* of MODE_FLAMEGRAPH */
	const char *unit; /* likewise, of the values */
	int ready_fd;
	const struct run_watch *watch; /* run.h; or NULL */
};

/* The word of first_words.def that selects a mode; NULL when there is none. */
const char *options_word_of_mode(enum mode mode);
struct config;
/* Set what the options say about the output in a script's configuration. */
void options_set_output(const struct options *o, struct config *c);
/* Read the command line. 0, or 1 after a message. */
int options_parse(struct options *o, int argc, char **argv);
/* Free what options_parse() has allocated, also when it failed. */
void options_free(struct options *o);
/* Print usage and options on standard output. */
void options_usage(void);
