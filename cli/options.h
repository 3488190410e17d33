/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line, read into one struct that is const from then on.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum emit_stage {
	EMIT_NOTHING,
	EMIT_AST,
	EMIT_TYPES,
	EMIT_FACTS,
	EMIT_PLAN,
	EMIT_IR,
	EMIT_IR_OPT,
	EMIT_ASM,
	EMIT_ELF,
};

/* What a run does instead of tracing. */
enum mode {
	MODE_TRACE,
	MODE_CHECK,
	MODE_HELP,
	MODE_VERSION,
	MODE_LIST_ROWS,
	MODE_LIST,
	MODE_INFO,    /* what kernel and build can do */
	MODE_SCRIPTS, /* list the bundled scripts */
	MODE_CAT,     /* show the one that params[0] names */
};

/* -f */
enum output_format { FORMAT_TEXT, FORMAT_JSON };

/* -B; the default writes when there is nothing else to do. */
enum buffering { BUFFER_IDLE, BUFFER_LINE, BUFFER_FULL, BUFFER_NONE };

struct options {
	enum mode mode;
	enum emit_stage emit;
	const char *program; /* -e */
	const char *file;
	const char *const *params; /* words behind the script: $1, $2, … */
	uint32_t n_params;
	const char *command; /* -c */
	uint32_t pid;	     /* -p */
	const char *cgroup;  /* --cgroup */
	uint64_t duration_ns;
	const char *output; /* -o */
	const char *kernel_facts;
	const char *help_topic; /* --help TOPIC */
	bool verbose, quiet;
	bool system; /* -c, but everything is traced */
	bool self;   /* sonde's own threads too */
	bool unsafe; /* what can harm the system */
	bool follow; /* -p, and what it starts */
	enum output_format format;
	enum buffering buffering;
	uint64_t interval_ns; /* print maps so often */
	bool reset;	      /* ... and empty them */
	uint32_t max_stacks;  /* 0: the default */
	bool strict;	      /* losses are exit status 4 */
	bool test, bench;     /* run tests, benches */
	bool dry_run;	      /* load, attach, stop */
	int ready_fd;
};

/* Read the command line. 0, or 1 with the mistake said on standard error. */
int options_parse(struct options *o, int argc, char **argv);
/* Usage and options on standard output. */
void options_usage(void);
