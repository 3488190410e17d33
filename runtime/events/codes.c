/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of interpreters: see codes.h. Their texts come from the traced process, which can write
 * anything there.
 */
#include "runtime/events/codes.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/unwind_v8.h"
#include "parser/base/text.h"
#include "runtime/base/hash.h"
#include "runtime/base/io.h"
#include "runtime/elf/names.h"
#include "runtime/events/java.h"
#include "runtime/session/session.h"
#include "runtime/symbols/usym.h"
#include <fcntl.h>
#include <unistd.h>

static const struct unwind_layout layouts[UNWIND_LAYOUTS] = {
	[0] = {.kind = UNWIND_NO_RUNS},
#define RUNTIME(id, name, version, ...) {__VA_ARGS__},
#include "bpf_helpers/runtimes.def"
};

_Static_assert((int)CODES_FRAMES >= (int)JAVA_DEEP, "a word has room for its methods");

struct code {
	uint32_t number, line, n_lines;
	char *name, *file;	/* NULL: not known */
	uint8_t *lines;		/* the table of lines; NULL: not known */
	struct java_code *java; /* inlined methods; NULL: none */
};

HASH_TABLE(code_table, struct code *);
HASH_INTEGER_FUNCTIONS(code_table, struct code *, uint32_t, hash_u32, (*e)->number, *e)

struct codes {
	struct code_table table;
	size_t bytes;	   /* of all functions */
	size_t java_bytes; /* and of what tells which methods are inlined */
	bool is_full, is_java_full;
};

enum {
	LINES_MOST = 1 << 17, /* bytes of a table of lines */
	CODES_MOST = 1 << 27, /* and of all functions */
	JAVA_MOST = 1 << 26,  /* and of what tells which methods are inlined */
	BYTES_AT = 32,	      /* where an object `bytes` has its bytes */
};

/* ---- texts ---------------------------------------------------------------------------------- */

static size_t put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18 & 7));
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static size_t put_dots(char *to)
{
	memcpy(to, "...", 3);
	return 3;
}

/* The text as UTF-8; "..." takes the place of what is missing: the start of a path, the end of a
 * name. NULL: it is not known, or there is no memory. */
static char *make_text(const struct sonde_code_text *t, const uint8_t *bytes, size_t most,
		       bool is_path)
{
	size_t n = t->bytes ? most / t->bytes : 0, at = 0;
	bool is_cut = t->n > n;
	char *text;

	if ((t->bytes != 1 && t->bytes != 2 && t->bytes != 4) || !t->n || !*bytes)
		return NULL;
	n = is_cut ? n : t->n;
	text = malloc(4 * n + 8);
	if (!text)
		return NULL;
	if (is_cut && is_path)
		at = put_dots(text);
	for (size_t i = 0; i < n; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + i * t->bytes, t->bytes);
		at += put_utf8(text + at, c ? c : '?');
	}
	if (is_cut && !is_path)
		at += put_dots(text + at);
	text[at] = 0;
	return text;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Kinds of entries in a table of lines (PEP 626; CPython's Objects/locations.md). */
enum { LINE_ONE = 10, LINE_TWO = 12, LINE_NO_COLUMNS = 13, LINE_LONG = 14 };

struct lines {
	const uint8_t *at, *end;
};

static uint32_t next_byte(struct lines *l)
{
	return l->at < l->end ? *l->at++ : 0;
}

static uint32_t next_number(struct lines *l)
{
	uint32_t value = 0, byte, shift = 0;

	do {
		byte = next_byte(l);
		if (shift < 32)
			value |= (byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40);
	return value;
}

static int32_t next_signed(struct lines *l)
{
	uint32_t value = next_number(l);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Before 3.11: pairs of how far the instructions go, in bytes, and the difference of lines. In 3.10
 * both are of the same piece, else the lines begin behind it. */
enum { NO_LINE = -128 };

static uint32_t line_in_pairs(const struct code *c, bool is_of_piece, uint32_t at)
{
	struct lines l = {c->lines, c->lines + c->n_lines};
	uint32_t line = c->line, end = 0;

	if (at == SONDE_RUN_AT_NONE || !c->lines)
		return 0;
	while (l.at + 1 < l.end) {
		uint32_t bytes = next_byte(&l);
		int8_t more = (int8_t)next_byte(&l);

		if (!bytes && !more) /* it could not be read */
			return 0;
		end += bytes;
		if (!is_of_piece && 2 * at < end)
			return line;
		if (!is_of_piece || more != NO_LINE)
			line += (uint32_t)(int32_t)more;
		if (is_of_piece && 2 * at < end)
			return more == NO_LINE ? 0 : line;
	}
	return is_of_piece ? 0 : line;
}

/* The line of the instruction with number `at` (in units of two bytes); 0: none. */
static uint32_t line_in_table(const struct code *c, uint32_t at)
{
	struct lines l = {c->lines, c->lines + c->n_lines};
	uint32_t line = c->line, end = 0;

	while (c->lines && l.at < l.end) {
		uint32_t head = next_byte(&l), kind = head >> 3 & 15;

		if (!(head & 0x80)) /* it could not be read */
			return 0;
		end += (head & 7) + 1;
		if (kind >= LINE_ONE && kind <= LINE_TWO)
			line += kind - LINE_ONE;
		else if (kind == LINE_NO_COLUMNS || kind == LINE_LONG)
			line += (uint32_t)next_signed(&l);
		for (uint32_t i = 0; kind == LINE_LONG && i < 3; i++)
			next_number(&l);
		for (uint32_t i = kind < LINE_ONE; kind < LINE_NO_COLUMNS && i < 2; i++)
			next_byte(&l);
		if (at < end)
			return kind > LINE_LONG ? 0 : line;
	}
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------ */

static void free_code(struct code *c)
{
	if (!c)
		return;
	free(c->name);
	free(c->file);
	free(c->lines);
	java_code_free(c->java);
	free(c);
}

static bool read_memory(int fd, uint64_t at, void *out, size_t n)
{
	return io_read_at(fd, out, n, at) == (ssize_t)n;
}

/* Read a long table of lines, if the process has not ended, and the code object still has that
 * table. */
static void read_long_lines(const struct sonde_code_event *ev, struct code *c)
{
	uint32_t at = layouts[ev->runtime & (UNWIND_LAYOUTS - 1)].code_lines;
	uint64_t before = 0, after = 0;
	char path[32];
	int fd;

	if (ev->n_lines > LINES_MOST)
		return;
	snprintf(path, sizeof(path), "/proc/%u/mem", ev->tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	c->lines = fd < 0 ? NULL : malloc(ev->n_lines);
	if (c->lines && read_memory(fd, ev->at + at, &before, sizeof(before)) &&
	    read_memory(fd, ev->lines_at + BYTES_AT, c->lines, ev->n_lines) &&
	    read_memory(fd, ev->at + at, &after, sizeof(after)) && before == ev->lines_at &&
	    after == before)
		c->n_lines = ev->n_lines;
	if (fd >= 0)
		close(fd);
}

/* The text of a string of PHP, which is UTF-8 as a rule; "..." takes the place of what is missing.
 * That of a class without a name of its own ends at a zero. */
static char *make_php_text(const uint8_t *bytes, uint32_t n, bool is_path)
{
	bool is_cut = n > UNWIND_CODE_TEXT;
	int length = (int)strnlen((const char *)bytes, is_cut ? UNWIND_CODE_TEXT : n);
	char *text = NULL;

	if (!length || asprintf(&text, "%s%.*s%s", is_cut && is_path ? "..." : "", length, bytes,
				is_cut && !is_path ? "..." : "") < 0)
		return NULL;
	return text;
}

/* Class::method, or function; {main} is a file's code outside of functions, as in traces of PHP.
 * Subs of Perl have a package as their class. */
static char *make_php_name(const struct sonde_code_event *ev)
{
	char *name =
		ev->name.n ? make_php_text(ev->name_bytes, ev->name.n, false) : strdup("{main}");
	char *class = make_php_text(ev->lines, ev->n_lines, false), *both = NULL;

	if (!name || !class) {
		free(class);
		return name;
	}
	if (asprintf(&both, "%s::%s", class, name) < 0)
		both = NULL;
	free(class);
	free(name);
	return both;
}

/* The text that V8 has in pieces, joined; "..." takes the place of what is missing. NULL: there is
 * none, or no memory. */
static char *join_pieces(const struct sonde_code_event *ev, uint32_t i, uint32_t end,
			 uint32_t total, bool is_path)
{
	struct unwind_v8_texts texts;
	size_t length = 0;
	char *text = NULL;
	FILE *f = total ? open_memstream(&text, &length) : NULL;

	memcpy(&texts, ev->name_bytes, UNWIND_V8_TEXTS);
	for (; f && i < end && total; i++) {
		char *piece = make_text(&texts.piece[i], texts.bytes[i], UNWIND_CODE_TEXT, is_path);

		if (!piece)
			break;
		fputs(piece, f);
		free(piece);
		total -= texts.piece[i].n;
	}
	if (f && total)
		fputs("...", f);
	if (f)
		fclose(f);
	return text;
}

static struct code *make_code(const struct sonde_code_event *ev)
{
	struct code *c = calloc(1, sizeof(*c));
	uint8_t kind;

	if (!c)
		return NULL;
	c->number = ev->code;
	c->line = ev->line;
	kind = layouts[ev->runtime & (UNWIND_LAYOUTS - 1)].kind;
	if (kind == UNWIND_JAVA) {
		c->name = java_name(ev);
		c->java = java_code_read(ev);
		return c;
	}
	if (kind == UNWIND_JAVASCRIPT) {
		c->name = join_pieces(ev, 0, V8_NAME_PIECES, ev->name.n, false)
				  ?: strdup("(anonymous)");
		c->file = join_pieces(ev, V8_NAME_PIECES, V8_PIECES, ev->file.n, true);
		return c;
	}
	if (kind == UNWIND_PHP || kind == UNWIND_PERL) {
		c->name = make_php_name(ev);
		c->file = make_php_text(ev->file_bytes, ev->file.n, true);
		return c;
	}
	c->name = make_text(&ev->name, ev->name_bytes, UNWIND_CODE_TEXT, false);
	c->file = make_text(&ev->file, ev->file_bytes, UNWIND_CODE_TEXT, true);
	if (ev->n_lines > UNWIND_CODE_TABLE) {
		read_long_lines(ev, c);
		return c;
	}
	c->lines = malloc(ev->n_lines + 1);
	if (c->lines) {
		c->n_lines = ev->n_lines;
		memcpy(c->lines, ev->lines, ev->n_lines);
	}
	return c;
}

static size_t bytes_of(const struct code *c)
{
	return sizeof(*c) + (c->name ? strlen(c->name) : 0) + (c->file ? strlen(c->file) : 0) +
	       c->n_lines;
}

static bool warn_once(bool *is_full, const char *what)
{
	if (!*is_full)
		log_warning("%s", what);
	*is_full = true;
	return false;
}

/* Is there room for one more function? */
static bool has_room(struct codes *codes)
{
	return codes->bytes < CODES_MOST ||
	       warn_once(&codes->is_full,
			 "the names of functions of interpreters have reached 128 MiB, "
			 "the most: functions that run first from now on are [unknown]");
}

/* Keep what tells which methods are inlined, if there is room for it. */
static void keep_inlined(struct codes *codes, struct code *c)
{
	size_t bytes = java_code_bytes(c->java);

	if (codes->java_bytes + bytes <= JAVA_MOST) {
		codes->java_bytes += bytes;
		return;
	}
	warn_once(&codes->is_java_full,
		  "what tells which methods of Java are inlined has reached 64 MiB, "
		  "the most: code that runs first from now on shows the outer method");
	java_code_free(c->java);
	c->java = NULL;
}

void codes_note(struct session *s, const struct sonde_code_event *ev)
{
	struct code *c;

	if (!s->codes)
		s->codes = calloc(1, sizeof(*s->codes));
	c = s->codes && has_room(s->codes) ? make_code(ev) : NULL;
	if (!c)
		return;
	if (code_table_find(&s->codes->table, c->number) ||
	    code_table_insert(&s->codes->table, c)) {
		free_code(c);
		return;
	}
	s->codes->bytes += bytes_of(c);
	keep_inlined(s->codes, c);
}

/* Addresses of the kernel, and SONDE_STACK_GAP, have 15 in place of the interpreter. */
bool codes_has(uint64_t word)
{
	return word & SONDE_RUN_FRAME && view_run_module(SONDE_RUN_RUNTIME(word));
}

/* The line of a frame: PHP and Perl keep it in their instructions. */
static uint32_t line_of(const struct code *c, uint64_t word)
{
	const struct unwind_layout *l = &layouts[SONDE_RUN_RUNTIME(word)];
	uint32_t at = SONDE_RUN_AT(word);

	if (l->lines != UNWIND_LOCATIONS)
		return line_in_pairs(c, l->lines == UNWIND_LINE_DELTAS, at);
	if (l->kind != UNWIND_PHP && l->kind != UNWIND_PERL)
		return line_in_table(c, at);
	return at == SONDE_RUN_AT_NONE ? 0 : at;
}

static const struct code *find(const struct session *s, uint64_t word)
{
	struct code **found =
		s->codes ? code_table_find(&s->codes->table, SONDE_RUN_CODE(word)) : NULL;

	return found ? *found : NULL;
}

/* Methods that are the same have the same address: not their place. */
static uint32_t put_java(struct session *s, const struct code *c, uint64_t word,
			 struct view_frame out[CODES_FRAMES])
{
	uint32_t numbers[JAVA_DEEP], n = 0;
	const char *names[JAVA_DEEP];
	struct view_frame outer = *out;

	if (c->java)
		n = java_code_inlined(c->java, SONDE_RUN_AT(word), names, numbers);
	outer.ip |= SONDE_RUN_AT_NONE;
	for (uint32_t i = 0; i < n; i++) {
		out[i] = outer;
		out[i].ip = (word & ~(uint64_t)SONDE_RUN_AT_NONE) | numbers[i];
		out[i].name = usyms_names_retain(s->usyms, names[i] ?: "[unknown]");
	}
	out[n] = outer;
	return n + 1;
}

uint32_t codes_frames(struct session *s, uint64_t word, struct view_frame out[CODES_FRAMES])
{
	const struct code *c = find(s, word);

	*out = (struct view_frame){.ip = word, .name = "[unknown]", .is_caller = true};
	out->module = usyms_names_retain(s->usyms, view_run_module(SONDE_RUN_RUNTIME(word)));
	if (!c)
		return 1;
	out->name = usyms_names_retain(s->usyms, c->name ?: out->name);
	out->file = usyms_names_retain(s->usyms, c->file);
	if (layouts[SONDE_RUN_RUNTIME(word)].kind == UNWIND_JAVA)
		return put_java(s, c, word, out);
	out->line = line_of(c, word);
	return 1;
}

bool codes_is_hidden(struct session *s, uint64_t word)
{
	const struct code *c = codes_has(word) ? find(s, word) : NULL;

	return c && c->name && c->file && !strcmp(c->name, "__init__") &&
	       !strcmp(c->file, "__init__");
}

void codes_close(struct session *s)
{
	if (!s->codes)
		return;
	for (struct code **c = code_table_next(&s->codes->table, NULL); c;
	     c = code_table_next(&s->codes->table, c))
		free_code(*c);
	hash_free(&s->codes->table);
	free(s->codes);
}
