/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the script that the command line names.
 */
#include "cli/scripts/scripts.h"
#include "parser/base/escape.h"
#include "parser/base/source.h"
#include "parser/base/trust.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_BYTES = 60 }; /* of a word in a message */

/* A hint for an error that is not about the name. */
static void hint_unreadable(const char *path, int err)
{
	struct stat st;

	if (err == EISDIR)
		log_hint("give a script in it: sonde FOLDER/NAME.bt");
	else if (err == EACCES && geteuid() != 0 && stat(path, &st) == 0 &&
		 !(st.st_mode & S_IROTH)) {
		log_hint("only its owner (user %u)%s may read it: run sonde with sudo, %s %s",
			 st.st_uid, st.st_mode & S_IRGRP ? " and its group" : "",
			 st.st_uid == geteuid() ? "or chmod u+r" : "or let the owner chmod a+r",
			 path);
	}
}

/* There is no script and no file of that name. */
static void hint_absent(const struct script_args *o)
{
	if (!scripts_hint_tool(o->file) && !other_word_hint_path(o) &&
	    !scripts_hint_nearest(o->file, true))
		scripts_hint(o->file);
}

/* Report that the script cannot be read. */
static void report_unread(const struct script_args *o, const char *path)
{
	const char *word = o->file;
	int err = errno;

	if ((err == ENOENT || err == ENAMETOOLONG) && strchr(word, '{')) {
		log_error("'%.*s%s' is a program, not the name of a file", SHOWN_BYTES, word,
			  strlen(word) > SHOWN_BYTES ? "…" : "");
		log_hint("write -e before it: sonde -e 'PROGRAM'");
		return;
	}
	if (err == ENOENT && other_word_report(o))
		return;
	if (err == EISDIR)
		log_error("'%s' is a folder, not a script", path);
	else
		log_error("cannot read '%s': %s", path, strerror(err));
	if (command_hint(o, word))
		return;
	if (o->n_params && o->params[0][0] == '{')
		log_hint("a program on the command line goes after -e, all of it in single quotes: "
			 "sonde -e 'BEGIN { … }'");
	else if (err == ENOENT)
		hint_absent(o);
	else
		hint_unreadable(path, err);
}

/* May root run the script at `path`, which the bare name `word` stands for? */
static bool is_trusted(const char *path, const char *word)
{
	char bad[PATH_MAX];
	const char *why = trust_complaint(path, NULL, bad);

	if (!why)
		return true;
	log_error("the script '%s' is not run as root: '%s' %s", word, bad, why);
	log_hint("if you trust it, write 'sonde %s%s'", strchr(path, '/') ? "" : "./", path);
	return false;
}

/* Read the script that `o->file` stands for. NULL after an error. */
static struct source *read_file(struct arena *a, const struct script_args *o)
{
	const char *word = o->file;
	char path[PATH_MAX];
	enum script_place place = scripts_locate(word, path, sizeof(path));
	struct source *s;

	s = source_from_file(a, path);
	if (!s) {
		report_unread(o, place == SCRIPT_BUNDLED ? path : word);
		return NULL;
	}
	if (place != SCRIPT_BUNDLED && !strchr(word, '/') && strcmp(word, "-") != 0 &&
	    !is_trusted(path, word))
		return NULL;
	if (place == SCRIPT_BUNDLED) {
		s->is_bundled = true;
		s->name = word; /* not where it is installed */
	}
	return s;
}

static struct source *read_program(struct arena *a, const struct script_args *o)
{
	const char *text = o->program;
	struct source *s;

	if (no_program_report(o))
		return NULL;
	s = source_from_text(a, o->source_name ?: "stdin", text, strlen(text));
	if (!s)
		log_error("cannot read '-e': %s", strerror(errno));
	return s;
}

/* What is given in place of a script by mistake; each of its bytes would be an error. */
static const struct binary {
	const char *start, *what;
	bool is_program, has_names;	       /* ... and functions with names */
	const char *hint_before, *hint_behind; /* around the name of the file, or NULL */
} binaries[] = {
	{"\177ELF", "an ELF file", true, true, "; -l 'uprobe:", ":*' lists them"},
	{"#!/usr/bin/env sonde\n# compiled script ", "what 'sonde build' made", false, false,
	 "hint: 'sonde build' was removed: run the script from which '", "' was made"},
	{"#!/bin/sh", "a script of the shell", true, false, NULL, NULL},
	{"#!/bin/bash", "a script of the shell", true, false, NULL, NULL},
	{"#!/usr/bin/env bash", "a script of the shell", true, false, NULL, NULL},
	{"#!/usr/bin/env python", "a script of Python", true, false, NULL, NULL},
	{"#!/usr/bin/python", "a script of Python", true, false, NULL, NULL},
	{"SQLite format 3", "a recording", false, false, "hint: 'sonde report ",
	 "' shows what is in it"},
};

static const struct binary *binary_of(const struct source *s)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(*binaries); i++) {
		size_t n = strlen(binaries[i].start);

		if (s->len > n && memcmp(s->text, binaries[i].start, n) == 0)
			return &binaries[i];
	}
	return NULL;
}

static void report_binary(const struct script_args *o, const struct binary *b)
{
	char path[PATH_MAX + 2];

	if (o->program) {
		log_error("the text after -e is %s, not a script", b->what);
		return;
	}
	log_error("'%s' is %s, not a script%s", o->file, b->what, b->is_program ? " of sonde" : "");
	if (b->is_program && scripts_hint_tool(o->file))
		return;
	snprintf(path, sizeof(path), "%s%s", strchr(o->file, '/') ? "" : "./", o->file);
	if (b->is_program)
		other_word_hint_program(path, o->n_params, o->params, b->has_names);
	if (b->hint_before) {
		fputs(b->hint_before, stderr);
		escape_write(ESCAPE_MESSAGE, b->is_program ? path : o->file, stderr);
		fputs(b->hint_behind, stderr);
	}
	fputc('\n', stderr);
}

/* The name of a text's encoding in 16 or 32 bits a letter, which begins with a byte order mark, or
 * with a letter of ASCII; NULL: it is in neither. */
static const char *wide_encoding(const struct source *s)
{
	static const struct {
		const char *bytes; /* 'x': any but NUL */
		uint32_t n;
		const char *name;
	} beginnings[] = {
		{"\xff\xfe\0\0", 4, "UTF-32"}, {"\0\0\xfe\xff", 4, "UTF-32"},
		{"\xff\xfe", 2, "UTF-16"},     {"\xfe\xff", 2, "UTF-16"},
		{"x\0\0\0", 4, "UTF-32LE"},    {"\0\0\0x", 4, "UTF-32BE"},
		{"x\0x\0", 4, "UTF-16LE"},     {"\0x\0x", 4, "UTF-16BE"},
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		uint32_t n = 0;

		while (n < beginnings[i].n && n < s->len &&
		       (beginnings[i].bytes[n] == 'x' ? s->text[n] != '\0'
						      : s->text[n] == beginnings[i].bytes[n]))
			n++;
		if (n == beginnings[i].n)
			return beginnings[i].name;
	}
	return NULL;
}

static void report_encoding(const struct script_args *o, const char *encoding)
{
	log_error("'%s' is in %s: a script is in UTF-8", o->file, encoding);
	log_hint("save it as UTF-8, or convert it: iconv -f %s -t UTF-8 %s > new.bt", encoding,
		 o->file);
}

struct source *read_source(struct arena *a, const struct script_args *o)
{
	struct source *s = o->program ? read_program(a, o) : read_file(a, o);
	const char *encoding = s && !o->program ? wide_encoding(s) : NULL;
	const struct binary *b = s ? binary_of(s) : NULL;

	if (!b && !encoding)
		return s;
	if (b)
		report_binary(o, b);
	else
		report_encoding(o, encoding);
	return NULL;
}
