/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of options.def as an array, and the setters that they name. A setter parses the argument
 * of one option; options.c reads the command line, and option_checks.c checks which options go
 * together.
 */
#include "cli/options/option_rows.h"
#include "parser/base/find.h"
#include "parser/lang/header_dirs.h"
#include "runtime/base/listen.h"
#include "runtime/elf/elfsym.h"
#include <ctype.h>
#include <fcntl.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

/* ---- setters ------------------------------------------------------------------------------- */

static int set_flag(struct options *o, const struct option_row *row, const char *arg)
{
	*(bool *)((char *)o + row->field) = true;
	return 0;
}

static int set_once(struct options *o, const struct option_row *row, const char *arg)
{
	if (*(bool *)((char *)o + row->field))
		return log_error("%s is given twice: give it once", row->name);
	return set_flag(o, row, arg);
}

static int set_word(struct options *o, const struct option_row *row, const char *arg)
{
	*(const char **)((char *)o + row->field) = arg;
	return 0;
}

/* A setting of the script's config. */
static int set_setting(struct options *o, const struct option_row *row, const char *arg)
{
	const struct config_row *c = config_rows;
	uint32_t i = 0;

	while (strcmp(c->name, row->key) != 0)
		c++;
	if (!row->value && config_word_find(c, arg) < 0) {
		struct arena *a = arena_new();

		option_error("%s: '%s' is not one of %s", row->name, arg, config_word_list(a, c));
		arena_free(a);
		return -1;
	}
	while (i < o->n_settings && o->settings[i].key != c->name)
		i++;
	o->n_settings += i == o->n_settings;
	o->settings[i] =
		(struct setting){.key = c->name, .variable = row->name, .text = row->value ?: arg};
	return 0;
}

/* The number of the word, from 1 on. */
static int set_choice(struct options *o, const struct option_row *row, const char *arg)
{
	const char *word;

	for (uint32_t i = 0; (word = option_word(row, i)); i++)
		if (strcmp(word, arg) == 0) {
			*(unsigned *)((char *)o + row->field) = i + 1;
			return 0;
		}
	return log_error("%s: '%s' is not one of %s", row->name, arg, row->choices);
}

int option_change_mode(struct options *o, enum mode mode, const char *name)
{
	const char *other = option_of_mode(o->mode);

	if (o->mode == MODE_HELP || o->mode == MODE_VERSION)
		return 0;
	if (o->mode != MODE_TRACE && o->mode != mode && mode != MODE_HELP && mode != MODE_VERSION)
		return option_error("%s and %s cannot be combined", other, name);
	o->mode = mode;
	return 0;
}

static int select_mode(struct options *o, const struct option_row *row, const char *arg)
{
	return option_change_mode(o, (enum mode)row->field, row->name);
}

static int set_time(struct options *o, const struct option_row *row, const char *arg)
{
	return option_time(row->name, arg, (uint64_t *)((char *)o + row->field));
}

static int add_path(const struct option_row *row, const char **list, uint32_t *n, const char *arg)
{
	char *path = realpath(arg, NULL);

	if (!path) {
		log_error("%s: cannot open '%s': %s", row->name, arg, strerror(errno));
		return log_hint(
			"--include takes the path of a header, -I the folder in which headers "
			"are looked for");
	}
	if (*n == MAX_INCLUDES) {
		free(path);
		return option_error("'%s': more than %d of this option", arg, MAX_INCLUDES);
	}
	list[(*n)++] = path;
	return 0;
}

static int set_include_dir(struct options *o, const struct option_row *row, const char *arg)
{
	return add_path(row, o->compile.include_dirs, &o->compile.n_include_dirs, arg);
}

/* As C's #include finds it: here, in the folders of -I so far, in those of the system. */
static int set_include_file(struct options *o, const struct option_row *row, const char *arg)
{
	uint32_t n = o->compile.n_include_dirs;
	bool is_here = *arg == '/' || !access(arg, F_OK);
	char path[PATH_MAX];

	for (uint32_t i = 0; !is_here && i < n + N_HEADER_DIRS; i++) {
		snprintf(path, sizeof(path), "%s/%s",
			 i < n ? o->compile.include_dirs[i] : header_dirs[i - n], arg);
		if (!access(path, F_OK)) {
			arg = path;
			break;
		}
	}
	return add_path(row, o->compile.include_files, &o->compile.n_include_files, arg);
}

static int set_debuginfo(struct options *o, const struct option_row *row, const char *arg)
{
	if (elfsym_debug_folders(arg))
		return option_error("--debuginfo: '%s' is not a list of folders: %s", arg,
				    strerror(errno));
	return 0;
}

static int set_traceable(struct options *o, const struct option_row *row, const char *arg)
{
	if (access(arg, R_OK))
		return option_error("cannot read '%s': %s", arg, strerror(errno));
	o->compile.traceable_functions = arg;
	return 0;
}

static int set_interval(struct options *o, const struct option_row *row, const char *arg)
{
	if (option_time(row->name, arg, &o->out.interval_ns))
		return -1;
	if (o->out.interval_ns < 1000000)
		return log_error("%s: %s is too short: the minimum is 1ms", row->name, arg);
	return 0;
}

static int set_live(struct options *o, const struct option_row *row, const char *arg)
{
	if (arg && set_interval(o, row, arg))
		return -1;
	if (!o->out.interval_ns)
		o->out.interval_ns = 1000000000;
	o->out.live = true;
	o->out.format = OUT_LIVE;
	return 0;
}

static int set_max_overhead(struct options *o, const struct option_row *row, const char *arg)
{
	char *end;
	double percent = strtod(arg, &end);

	if (strcmp(end, "%") == 0)
		end++;
	if (*end || end == arg || !(percent > 0 && percent <= 100))
		return log_error("--max-overhead: '%s' is not a percentage: write 0.5 or 5", arg);
	o->max_overhead = percent;
	return 0;
}

/* Read a number from 1 to `most`. False: it is none. */
static bool read_count(const char *arg, unsigned long most, uint32_t *n)
{
	char *end;
	unsigned long number = strtoul(arg, &end, 10);

	if (*end || end == arg || *arg == '-' || number == 0 || number > most)
		return false;
	*n = (uint32_t)number;
	return true;
}

static int set_max_stacks(struct options *o, const struct option_row *row, const char *arg)
{
	if (read_count(arg, 1 << 24, &o->compile.max_stacks))
		return 0;
	return log_error("invalid number of stacks '%s': expected 1 to 16777216", arg);
}

static int set_top(struct options *o, const struct option_row *row, const char *arg)
{
	if (read_count(arg, 1 << 30, &o->out.top))
		return 0;
	return log_error("--top: '%s' is not a number of rows: write 10", arg);
}

static int set_max_keys(struct options *o, const struct option_row *row, const char *arg)
{
	if (read_count(arg, 1 << 24, &o->out.max_keys))
		return 0;
	return log_error("--max-keys: '%s' is not a number from 1 to 16777216: write 10000", arg);
}

static int set_nodes(struct options *o, const struct option_row *row, const char *arg)
{
	if (read_count(arg, 100000, &o->kubernetes.nodes))
		return 0;
	return log_error("--nodes: '%s' is not a number from 1 to 100000: write 3; without --nodes "
			 "the script runs on all nodes",
			 arg);
}

static int set_listen(struct options *o, const struct option_row *row, const char *arg)
{
	struct listen_address address;

	o->out.listen = arg;
	if (listen_read(arg, &address))
		return 0;
	log_error("--listen: '%s' is no address: write 9435, 127.0.0.1:9435 or [::1]:9435", arg);
	return log_hint("an ADDRESS is one of this machine, as a number; 0.0.0.0 is all of them");
}

static int set_emit_elf(struct options *o, const struct option_row *row, const char *arg)
{
	o->compile.emit = EMIT_ELF;
	o->out.path = arg;
	return 0;
}

static int set_emit_llvm(struct options *o, const struct option_row *row, const char *arg)
{
	o->compile.emit = EMIT_LLVM;
	o->compile.emit_prefix = arg;
	return 0;
}

static int set_probe_filter(struct options *o, const struct option_row *row, const char *arg)
{
	char message[256];
	int err;

	if (o->compile.has_filter)
		regfree(&o->compile.filter);
	err = regcomp(&o->compile.filter, arg, REG_EXTENDED | REG_NOSUB);
	o->compile.has_filter = !err;
	if (!err)
		return 0;
	regerror(err, &o->compile.filter, message, sizeof(message));
	return option_error("--probe-filter: '%s' is not a regular expression: %s", arg, message);
}

static int set_tid(struct options *o, const struct option_row *row, const char *arg)
{
	return read_count(arg, UINT32_MAX, &o->report.tid)
		       ? 0
		       : option_error("invalid thread ID '%s'", arg);
}

/* A name that JSON, SQL and stores of metrics take as it is. */
static bool is_label(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] != '_' && !isalpha((unsigned char)name[i]) &&
		    (!i || !isdigit((unsigned char)name[i])))
			return false;
	return len && (len != 4 || memcmp(name, "host", 4) != 0);
}

static int set_label(struct options *o, const struct option_row *row, const char *arg)
{
	size_t len = strcspn(arg, "=");

	if (!arg[len] || !is_label(arg, len))
		return option_error("invalid label '%s': write NAME=VALUE, where NAME has letters, "
				    "digits and '_', and is not 'host'",
				    arg);
	for (uint32_t i = 0; i < o->out.n_labels; i++)
		if (o->out.labels[i].name_len == len &&
		    memcmp(o->out.labels[i].name, arg, len) == 0)
			return option_error("the label '%.*s' is given twice", (int)len, arg);
	if (o->out.n_labels == MAX_LABELS)
		return option_error("more than %d of %s", MAX_LABELS, row->name);
	o->out.labels[o->out.n_labels++] = (struct view_label){arg, (uint32_t)len, arg + len + 1};
	return 0;
}

static int set_counted(struct options *o, const struct option_row *row, const char *arg)
{
	if (o->stat.n_events == MAX_INCLUDES)
		return option_error("more than %d of %s", MAX_INCLUDES, row->name);
	o->stat.events[o->stat.n_events++] = arg;
	return 0;
}

static int set_ready_fd(struct options *o, const struct option_row *row, const char *arg)
{
	char *end;
	long n = strtol(arg, &end, 10);

	if (*end || end == arg || n < 0 || n > 1 << 20)
		return option_error("invalid file descriptor '%s'", arg);
	if (fcntl((int)n, F_GETFD) < 0)
		return option_error(
			"file descriptor %ld is not open: add %ld>FILE to the command line", n, n);
	if ((fcntl((int)n, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return option_error("file descriptor %ld is only open for reading: write %ld>FILE",
				    n, n);
	o->ready_fd = (int)n;
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The types of the fields are checked: a bool, a string. */
#define FIELD(type, field) \
	(offsetof(struct options, field) + 0 * sizeof((type *){&((struct options *)0)->field}))
#define FLAG(name, other, field, help, example, ...) \
	{name, other, NULL, set_flag, FIELD(bool, field), help, example, __VA_ARGS__},
#define ONCE(name, other, field, help, example, ...) \
	{name, other, NULL, set_once, FIELD(bool, field), help, example, __VA_ARGS__},
#define WORD(name, other, arg, field, help, example, ...) \
	{name, other, arg, set_word, FIELD(const char *, field), help, example, __VA_ARGS__},
#define CHOICE(name, other, arg, field, help, example, ...) \
	{name, other, arg, set_choice, FIELD(unsigned, field), help, example, __VA_ARGS__},
#define SETTING(name, arg, key_, help, example, ...) \
	{name, NULL, arg, set_setting, 0, help, example, .key = #key_, __VA_ARGS__},
#define SETS(name, key_, value_, help, example, ...)      \
	{name, NULL,	NULL,	      set_setting,     0, \
	 help, example, .key = #key_, .value = value_, __VA_ARGS__},
#define TIME(name, other, arg, field, help, example, ...) \
	{name, other, arg, set_time, FIELD(uint64_t, field), help, example, __VA_ARGS__},
#define MODE(name, other, mode, help, example, ...) \
	{name, other, NULL, select_mode, mode, help, example, __VA_ARGS__},
#define VALUE(name, other, arg, hook, help, example, ...) \
	{name, other, arg, set_##hook, 0, help, example, __VA_ARGS__},
const struct option_row option_rows[] = {
#include "cli/options/options.def"
};
const int n_option_rows = sizeof(option_rows) / sizeof(*option_rows);
_Static_assert(EMIT_ELF == 9 && (int)OUT_BUFFER_NONE == 3, "the order of the choices");
_Static_assert(sizeof(option_rows) / sizeof(*option_rows) <= 128, "a bit of `given` each");

const char *option_form(struct arena *a, const struct option_row *r)
{
	return arena_printf(a, "%s%s%s%s%s", r->name, r->other ? ", " : "",
			    r->other ? r->other : "", r->arg && r->arg[0] != '[' ? " " : "",
			    r->arg ?: "");
}

static bool is_spelled(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && strncmp(name, word, len) == 0;
}

static bool begins_with(const char *name, const char *word, size_t len)
{
	return name && len > 2 && strncmp(name, "--", 2) == 0 && strncmp(name, word, len) == 0;
}

static bool takes(enum option_words words, const struct option_row *r)
{
	return (r->words ?: FW_ANY) & words;
}

bool option_is_listed(const struct option_row *row, enum option_words words)
{
	return row->help && takes(words, row);
}

const struct option_row *option_next(enum option_words words, const struct option_row *last,
				     const char *text, size_t len)
{
	const struct option_row *first = last ? last + 1 : option_rows;

	return FIND(first, option_rows + n_option_rows - first,
		    takes(words, item) && (begins_with(item->name, text, len) ||
					   begins_with(item->other, text, len)));
}

static const struct option_row *find_exact(enum option_words words, const char *text, size_t len)
{
	return FIND_ROW(option_rows, takes(words, item) && (is_spelled(item->name, text, len) ||
							    is_spelled(item->other, text, len)));
}

bool option_is_exact(enum option_words words, const char *text, size_t len)
{
	return find_exact(words, text, len) != NULL;
}

bool option_is_help(const char *word)
{
	const struct option_row *row = find_exact(FW_ANY, word, strlen(word));

	return row && row->set == select_mode && row->field == MODE_HELP;
}

const struct option_row *option_find(enum option_words words, const char *text, size_t len)
{
	const struct option_row *exact = find_exact(words, text, len);
	const struct option_row *short_for = option_next(words, NULL, text, len);

	if (exact)
		return exact;
	return short_for && !option_next(words, short_for, text, len) ? short_for : NULL;
}

int option_set(struct options *o, const struct option_row *row, const char *arg)
{
	int i = (int)(row - option_rows);
	const char *last = o->words[i];
	bool may_lack = row->arg && *row->arg == '['; /* [=TIME] */

	o->given[i / 64] |= 1ull << i % 64;
	o->words[i] = arg;
	if (last && arg && !row->adds && strcmp(last, arg) != 0) /* one would have no effect */
		return log_error("%s is given twice: write one %.*s", row->name,
				 (int)strlen(row->arg) - 3 * may_lack, row->arg + 2 * may_lack);
	return row->set(o, row, arg);
}

bool option_is_given(const struct options *o, const struct option_row *row)
{
	int i = (int)(row - option_rows);

	return o->given[i / 64] >> i % 64 & 1;
}

const struct option_row *option_given(const struct options *o, const char *names)
{
	for (size_t len; *names; names += len + strspn(names + len, " ")) {
		const struct option_row *row;

		len = strcspn(names, " ");
		row = find_exact(options_in_reach(o), names, len);
		if (row && option_is_given(o, row))
			return row;
	}
	return NULL;
}

const char *option_of_mode(enum mode mode)
{
	const struct option_row *row =
		FIND_ROW(option_rows, item->set == select_mode && item->field == mode);

	return row ? row->name : NULL;
}
