/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a script: `config = { key = value; … }` and the environment, by the rows of
 * config.def. The result, struct config, is a member of the program and of the plan.
 */
#pragma once
#include "parser/base/source.h"

struct diags;
struct program;

/* The values, one member for each row that has one. */
struct config {
#define INT(id, ...) uint64_t id;
#define BOOL(id, ...) uint64_t id;
#define WORD(id, ...) uint64_t id;
#define TEXT(id, ...) const char *id;
#define NO_EFFECT(id, words, doc)
#define RENAMED(id, to)
#define IGNORED(id)
#define NO_CONFIG(id, words, doc)
#include "parser/lang/config.def"
};

/* Words of WORD rows, in the rows' order. */
enum { MISSING_ERROR, MISSING_WARN, MISSING_IGNORE };
enum { RETURN_PROBES_AUTO, RETURN_PROBES_RET };
enum { OPEN_SPANS_DROP, OPEN_SPANS_COUNT, OPEN_SPANS_SWITCHES };
enum { TIME_UNIT_AUTO, TIME_UNIT_US, TIME_UNIT_MS, TIME_UNIT_S, TIME_UNIT_NS };
enum { CPP_NAMES_FULL, CPP_NAMES_NO_PARAMETERS, CPP_NAMES_SHORT };
enum { UNSTABLE_ENABLE, UNSTABLE_WARN, UNSTABLE_ERROR };

/* `key = value` from the script; or, if `variable` is set, from the environment. */
struct setting {
	const char *key, *variable;
	struct span key_span, span; /* span: the value's */
	const char *text;	    /* a string or a word, as written; NULL: a number */
	uint64_t integer;
};

enum config_kind {
	CONFIG_INT,
	CONFIG_BOOL,
	CONFIG_WORD,
	CONFIG_TEXT,
	CONFIG_NO_EFFECT,
	CONFIG_RENAMED,
	CONFIG_IGNORED,
	CONFIG_NONE,
};

struct config_row {
	const char *name;
	enum config_kind kind;
	uint64_t initial, least, most;
	const char *initial_text; /* CONFIG_TEXT */
	const char *words;
	const char *doc, *example; /* example: as in struct builtin */
	uint32_t offset;	   /* in struct config */
	const char *to;		   /* CONFIG_RENAMED */
};

extern const struct config_row config_rows[];
extern const uint32_t n_config_rows;

/* Set p->config from the script's settings, from the environment, and from options of the command
 * line; each overrides those before.
 * Errors go to `d`. `variable` returns the value of an environment variable or NULL, like
 * getenv(). */
void config_read(struct arena *a, struct program *p, char *(*variable)(const char *name),
		 struct diags *d);
/* Warn of variables of both prefixes that have no effect. `variables` is a list like environ. */
void config_check_environment(struct arena *a, char *const *variables, struct diags *d);
/* The word that a WORD option has: "warn". */
const char *config_word(struct arena *a, const struct config *c, const char *name);
/* The option that says whether scripts may use a word of the language, unstable_WORD: NULL if there
 * is none, else *setting is UNSTABLE_*. */
const struct config_row *config_unstable(const struct config *c, const char *word,
					 uint64_t *setting);
/* The number of a word of a WORD option, or -1. */
int config_word_find(const struct config_row *row, const char *word);
/* The words of a WORD option: "drop, count". */
const char *config_word_list(struct arena *a, const struct config_row *row);
/* The values of an option: "true, false", "1 to 100", its words. */
const char *config_values(struct arena *a, const struct config_row *row);
/* The default as a script would write it: a number, true or false, a word. */
const char *config_default_text(struct arena *a, const struct config_row *row);
