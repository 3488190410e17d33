/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that have a meaning of their own as the first one: the rows of first_words.def.
 */
#pragma once
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
	MODE_REPORT,	 /* show the recording params[0] */
	MODE_STAT,	 /* count events of the command params */
	MODE_LEARN,	 /* lessons; params: a lesson, a file with an answer */
	MODE_KUBERNETES, /* print what runs the command line params in a cluster */
};

/* The first words, in `words` of options.def. */
enum option_words {
	FW_RUN = 1, /* none: a script is run */
	FW_RECORD = 2,
	FW_REPLAY = 4,
	FW_EXPLAIN = 8,
	FW_FLAMEGRAPH = 16,
	FW_LIST = 32,  /* -l */
	FW_OTHER = 64, /* fmt, cat, --check … */
	FW_REPORT = 128,
	FW_STAT = 256,
	FW_LEARN = 512,
	FW_KUBERNETES = 1024,
	FW_TRACE = FW_RUN | FW_RECORD | FW_OTHER,
	FW_ANY = FW_TRACE | FW_REPLAY | FW_EXPLAIN | FW_FLAMEGRAPH | FW_LIST,
	FW_SCOPE = FW_ANY & ~(FW_FLAMEGRAPH | FW_REPLAY), /* chooses processes */
	FW_OUTPUT = FW_ANY & ~FW_LIST,
	FW_OWN = FW_REPORT | FW_STAT | FW_LEARN |
		 FW_KUBERNETES, /* words with options of their own */
};

struct nearest;

struct first_word {
	const char *word;
	enum mode mode;
	enum option_words bit;
	enum {
		FOLLOWED_BY_RUN,
		FOLLOWED_BY_RECORDING,
		FOLLOWED_BY_SCRIPT,
		FOLLOWED_BY_NAMES,
		FOLLOWED_BY_WORDS,
		FOLLOWED_BY_COMMAND,
		FOLLOWED_BY_LINE,
		FOLLOWED_BY_TOPIC,
	} what;
	const char *usage; /* without `sonde` */
	const char *doc;
	const char *options; /* that its help shows, between blanks; NULL: those of its bit */
	const char *example; /* without `sonde` */
};
extern const struct first_word first_words[];
extern const int n_first_words;

/* The row of a word, or NULL. */
const struct first_word *first_word_find(const char *word);
/* The word that selects a mode; NULL when there is none. */
const char *first_word_of_mode(enum mode mode);
/* The row of a bit, or NULL. */
const struct first_word *first_word_of(enum option_words bit);
/* Offer all words. */
void first_words_offer(struct nearest *near);
