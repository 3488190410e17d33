/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line as one struct, which is constant after it was read.
 */
#pragma once
#include "cli/base/first_words.h"
#include "cli/scripts/script_args.h"
#include "runtime/output/out.h"
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

/* Most -I, and most --include. */
enum { MAX_INCLUDES = 64 };

/* Most --label. */
enum { MAX_LABELS = 32 };

/* Most different settings: SETTING and SETS in options.def. */
enum { MAX_SETTINGS = 8 };

struct options {
	uint64_t given[2];	/* a bit for each row of options.def */
	const char *words[128]; /* their last arguments */
	struct script_args args;
	struct trace_scope scope;
	struct {
		const char *path; /* -o */
		enum out_format format;
		const char *format_word; /* of -f NAME:WORD, or NULL */
		enum out_buffering buffering;
		uint64_t interval_ns; /* between prints of all maps; 0: none */
		const char *sort;
		uint32_t top; /* 0: all */
		const char *delimiter;
		bool percent, live;
		bool reset; /* clear maps after each print */
		const char *listen;
		uint32_t max_keys; /* 0: the default */
		struct view_label labels[MAX_LABELS];
		uint32_t n_labels;
	} out;
	struct {
		enum emit_stage emit;
		const char *emit_prefix; /* --emit-llvm */
		const char *include_dirs[MAX_INCLUDES], *include_files[MAX_INCLUDES]; /* absolute */
		uint32_t n_include_dirs, n_include_files;
		const char *kernel_facts, *facts; /* facts: name of a stock kernel */
		const char *traceable_functions;
		bool unsafe;	     /* allow what can harm traced programs */
		uint32_t max_stacks; /* 0: the default */
		uint32_t dumps;	 /* -d: a bit for each enum emit_stage to print before the run */
		uint32_t stages; /* --stage: a bit for each enum explain_stage; 0: all */
		bool explain;	 /* --explain: before the run */
		bool is_page;	 /* -f html */
		bool times;	 /* --mode compiler-bench: print how long the stages take */
		uint64_t denied; /* --no-feature: a bit for each capability */
		regex_t filter;	 /* --probe-filter */
		bool has_filter;
	} compile;
	struct {
		const char *events;	 /* --events: the tracepoints to record */
		bool event_stacks;	 /* ... with their stacks */
		uint64_t last_ns;	 /* --last; 0: all */
		const char *event_facts; /* ... and their formats, as facts of the kernel */
		const char *file; /* whose events the script runs over, after its first word */
		struct event_source *source; /* of these events; NULL: the kernel */
	} record;
	struct setting settings[MAX_SETTINGS]; /* of the script's config, which they override */
	uint32_t n_settings;
	enum mode mode;
	const struct first_word *first_word; /* the one that is given, or NULL */
	const char *help_topic;		     /* --help TOPIC */
	const char *container; /* --container: `cgroup` is its cgroup, in container_path */
	char *container_path;
	uint64_t duration_ns;
	struct start_moment start;
	bool verbose, quiet;
	bool no_warnings;	 /* of the compiler and warnf() */
	bool warnings;		 /* report failed reads and lookups, too */
	bool strict;		 /* losses have exit status 4 */
	bool is_fmt_check;	 /* 'sonde fmt --check' */
	bool stats;		 /* print what each program costs */
	double max_overhead;	 /* percent; 0: any */
	bool interpret;		 /* run the programs here, not in the kernel */
	bool test, bench;	 /* run tests, benches */
	bool dry_run;		 /* load, attach, stop */
	bool diff, scale;	 /* of MODE_FLAMEGRAPH */
	const char *unit;	 /* likewise, of the values */
	bool ignored;		 /* options that are accepted without effect */
	const char *ignored_pid; /* likewise */
	struct {
		const char *format, *sql, *function;
		uint32_t tid;
		uint64_t min_ns;
		bool suggest;
		const char *by; /* what tells runs apart */
		bool outliers;
	} report;
	struct {
		unsigned format;		  /* 2: json */
		const char *events[MAX_INCLUDES]; /* lists of names */
		uint32_t n_events;
	} stat;
	struct {
		bool list, check, test, forget;
	} learn;
	struct {
		const char *image;
		uint32_t nodes; /* 0: all */
	} kubernetes;
	int ready_fd;
	const struct run_watch *watch; /* run.h; or NULL */
};

/* Set what the options say about the output in a script's configuration. */
void options_set_output(const struct options *o, struct config *c);
/* The first word that is given, as a bit. */
enum option_words options_word(const struct options *o);
/* The words whose options are looked up: one with options of its own, or all others. */
enum option_words options_in_reach(const struct options *o);
/* Read the command line. 0, or 1 after a message. */
int options_parse(struct options *o, int argc, char **argv);
/* Free what options_parse() has allocated, also when it failed. */
void options_free(struct options *o);
/* Print usage and options on standard output. */
void options_usage(void);
/* Print all forms of the command line, and what the exit status is. */
void options_forms(void);
