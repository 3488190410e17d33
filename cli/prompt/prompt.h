/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interactive prompt: `sonde` alone on a terminal.
 */
#pragma once
#include "cli/prompt/editor.h"
#include "cli/options/options.h"
#include <limits.h>
#include <sys/types.h>

/* Read and run lines until the end. The exit status. */
int prompt_run(void);

/* ---- private to prompt*.c, and completion --------------------------------------------------- */

/* A run that has ended, or is about to: a process that keeps the session, and with it the maps. */
struct prompt_child {
	pid_t pid; /* 0: none */
	int fd;	   /* requests go to it, replies come from it */
};

enum { PROMPT_MAX_SET = 64, PROMPT_FIELD = 256 };

/* What completes the words behind a word of the prompt. */
enum prompt_follows {
	PROMPT_NOTHING,
	PROMPT_HELP,
	PROMPT_PROBES,
	PROMPT_SCRIPTS,
	PROMPT_MAPS,
	PROMPT_OPTIONS,
	PROMPT_STAGES,
};

struct prompt;

/* A word that a line can begin with. */
struct prompt_word {
	const char *word, *form, *help;
	enum prompt_follows follows;
	void (*say)(struct prompt *p, const char *rest);
};

/* A dialogue: that of `sonde`, or a lesson. */
struct prompt {
	struct arena *a; /* lives as long as the prompt */
	const struct prompt_word *words;
	uint32_t n_words;
	bool is_of_programs; /* lines that answer a lesson are programs alone */
	struct editor *editor;
	struct kernel *kernel;
	const char *set[PROMPT_MAX_SET]; /* words of options */
	uint32_t n_set;
	const char *program;	   /* the last one, or NULL */
	struct prompt_child child; /* of the last run that began */
	struct prompt_child next;  /* waits for its command line */
	bool done;
};

/* What a child is asked to print. */
struct prompt_request {
	enum { PROMPT_PRINT, PROMPT_LIST_MAPS, PROMPT_NAME_MAPS } what;
	char map[PROMPT_FIELD]; /* "": all */
	char has[PROMPT_FIELD]; /* "": all */
	uint32_t top;
	enum out_format format;
	char word[PROMPT_FIELD]; /* of the format; "": none */
	char path[PATH_MAX];	 /* "": standard output */
};

struct prompt_reply {
	int status;	  /* of the run; of a request: 0 or 1 after a message */
	uint32_t n_maps;  /* of that name */
	char names[4096]; /* PROMPT_NAME_MAPS: with blanks between */
};

/* prompt_run.c: make the process of the next run, if there is none. */
void prompt_prepare(struct prompt *p);
/* Run sonde with these words and those that are set, as a child. */
void prompt_start(struct prompt *p, const char *const *words, uint32_t n);
/* Ask the last child. False after a message, or if there is none. */
bool prompt_ask(struct prompt *p, const struct prompt_request *r, struct prompt_reply *reply);
void prompt_end_child(struct prompt_child *c);

/* prompt_words.c: the words of `sonde` alone. */
extern const struct prompt_word prompt_words[];
extern const uint32_t n_prompt_words;
/* Report a line of plain words that is none of them. */
void prompt_unknown(const struct prompt *p, const char *line);

/* prompt_complete.c: the hook of struct editor_setup; ctx is the prompt. */
void prompt_complete(void *ctx, const char *text, struct candidates *out);
