/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods of Java: see java.h.
 *
 * HotSpot keeps, for the places in compiled code where it may have to know (calls and safepoints),
 * an array of struct PcDesc in the order of their addresses. Each leads to a scope in a stream of
 * numbers: where the scope of the caller is (0: there is none), the method, as an index into the
 * code's metadata, and the bytecode. Methods that were inlined have callers in the same code.
 *
 * Numbers have one to five bytes. From JDK 20 on no byte of them is 0, but each counts one less;
 * before, a scope without a caller begins with 0. So a stream has whole scopes in one of the two
 * encodings only. The process can write anything there, and code can be freed while it is read: it
 * must be the same before and after.
 */
#include "runtime/events/java.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/unwind_hotspot.h"
#include "runtime/base/io.h"
#include "runtime/base/vec.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
	PLACES_MOST = 1 << 20, /* bytes */
	SCOPES_MOST = 1 << 20,
	N_SCOPES_MOST = 1 << 16,
	INDEX_MOST = 1 << 14,
	PLAIN = 192, /* a byte below is the last one of its number */
};

struct code_place {
	uint32_t at;	/* bytes from the block's start */
	uint32_t scope; /* its number; 0: none */
};

struct scope {
	uint32_t caller; /* its number; 0: this is the outermost one */
	uint32_t method; /* its number; while it is read: the index in the metadata */
	uint32_t bytecode;
	uint32_t depth; /* callers */
};

struct java_code {
	VEC(struct code_place) places;
	VEC(struct scope) scopes; /* the one with number n is the nth */
	VEC(char *) names;	  /* of methods, likewise */
	size_t bytes;
};

/* ---- names ---------------------------------------------------------------------------------- */

struct symbol {
	const uint8_t *bytes;
	size_t n, length; /* `n` bytes of it are there: of a class the last ones */
};

static bool is_address(const uint8_t *bytes, size_t n)
{
	bool is_hex = n > 2 && bytes[0] == '0' && bytes[1] == 'x';

	for (size_t i = 2; i < n && is_hex; i++)
		is_hex = strchr("0123456789abcdef", bytes[i]) && bytes[i];
	return is_hex;
}

/* java/lang/Thread and sleep become java.lang.Thread.sleep. Both are UTF-8. Classes made at run
 * time have a + before their address at the end, where Java shows a /. What is missing is "...". */
static char *join(struct symbol class, struct symbol name)
{
	char *text = class.n && name.n ? malloc(class.n + name.n + 8) : NULL;
	size_t at = 0;

	if (!text || !*class.bytes || !*name.bytes) {
		free(text);
		return NULL;
	}
	if (class.length > class.n)
		at = (size_t)(stpcpy(text, "...") - text);
	for (size_t i = 0; i < class.n; i++) {
		char c = (char)class.bytes[i];

		if (c == '+' && is_address(class.bytes + i + 1, class.n - i - 1))
			c = '/';
		else if (c == '/')
			c = '.';
		text[at++] = c ? c : '?';
	}
	text[at++] = '.';
	for (size_t i = 0; i < name.n; i++)
		text[at++] = (char)(name.bytes[i] ? name.bytes[i] : '?');
	strcpy(text + at, name.length > name.n ? "..." : "");
	return text;
}

static size_t at_most(size_t n)
{
	return n < UNWIND_CODE_TEXT ? n : UNWIND_CODE_TEXT;
}

char *java_name(const struct sonde_code_event *ev)
{
	return join((struct symbol){ev->file_bytes, at_most(ev->file.n), ev->file.n},
		    (struct symbol){ev->name_bytes, at_most(ev->name.n), ev->name.n});
}

/* ---- the process's memory ------------------------------------------------------------------- */

struct reader {
	int fd; /* of /proc/PID/mem */
	const struct sonde_code_event *ev;
	struct unwind_hotspot offsets;
	uint64_t parts[HOTSPOT_PARTS]; /* addresses */
	struct java_code *code;
};

static bool read_at(const struct reader *r, uint64_t at, void *out, size_t n)
{
	return io_read_at(r->fd, out, n, at) == (ssize_t)n;
}

static uint64_t word_at(const struct reader *r, uint64_t at)
{
	uint64_t word = 0;

	return read_at(r, at, &word, sizeof(word)) ? word : 0;
}

static uint64_t word_in(const uint8_t block[HOTSPOT_BLOCK], uint32_t at)
{
	uint64_t word;

	memcpy(&word, block + (at <= HOTSPOT_BLOCK - sizeof(word) ? at : 0), sizeof(word));
	return word;
}

/* Find the parts of the code, if it still is the one that was seen. */
static bool find_parts(const struct reader *r, uint64_t parts[HOTSPOT_PARTS])
{
	const struct unwind_hotspot *o = &r->offsets;
	uint64_t at = r->ev->lines_at;
	uint8_t block[HOTSPOT_BLOCK];

	if (!read_at(r, at, block, sizeof(block)) || !(word_in(block, o->used) & 1) ||
	    word_in(block, o->method) != r->ev->at ||
	    (uint32_t)word_in(block, o->compile_id) != r->ev->line)
		return false;
	for (uint32_t i = 0; i < HOTSPOT_PARTS; i++) {
		const struct hotspot_part_at *p = &o->parts[i];

		parts[i] = p->pointer ? word_in(block, p->pointer) : at + o->blob;
		parts[i] += p->add ? (uint32_t)word_in(block, p->add) : 0;
	}
	return true;
}

/* The bytes from one part to another; NULL: they cannot be read. */
static uint8_t *read_part(const struct reader *r, enum hotspot_part from, enum hotspot_part to,
			  size_t most, size_t *n)
{
	uint64_t size = r->parts[to] - r->parts[from];
	uint8_t *bytes = size && size <= most ? malloc(size) : NULL;

	*n = size;
	if (bytes && read_at(r, r->parts[from], bytes, size))
		return bytes;
	free(bytes);
	return NULL;
}

static bool read_symbol(const struct reader *r, uint64_t at, bool keeps_end, struct symbol *out,
			uint8_t bytes[UNWIND_CODE_TEXT])
{
	const struct unwind_hotspot *o = &r->offsets;
	uint16_t length = 0;

	if (!read_at(r, at + o->symbol_length, &length, sizeof(length)))
		return false;
	*out = (struct symbol){bytes, at_most(length), length};
	at += o->symbol_body + (keeps_end ? length - out->n : 0);
	return out->n && read_at(r, at, bytes, out->n);
}

/* The name of the method at `method`, which counts only if its class has the constants that lead
 * there, as in a walk. */
static char *read_name(const struct reader *r, uint64_t method)
{
	uint8_t class_bytes[UNWIND_CODE_TEXT], name_bytes[UNWIND_CODE_TEXT];
	const struct unwind_hotspot *o = &r->offsets;
	uint64_t constant = word_at(r, method + o->const_method);
	uint64_t pool = word_at(r, constant + o->constants);
	uint64_t class = word_at(r, pool + o->pool_holder);
	struct symbol class_name, name;
	uint16_t index = 0;

	if (!pool || word_at(r, class + o->class_constants) != pool ||
	    !read_at(r, constant + o->name_index, &index, sizeof(index)) ||
	    !read_symbol(r, word_at(r, class + o->class_name), true, &class_name, class_bytes) ||
	    !read_symbol(r, word_at(r, pool + o->pool_bytes + 8ull * index), false, &name,
			 name_bytes))
		return NULL;
	return join(class_name, name);
}

/* ---- scopes --------------------------------------------------------------------------------- */

struct stream {
	const uint8_t *bytes;
	size_t n;
	uint32_t *numbers; /* of the scopes at each byte; 0: it was not read */
	uint32_t least;	   /* what a byte that counts 0 has */
};

static bool next_number(const struct stream *s, size_t *at, uint32_t *out)
{
	uint32_t byte;

	*out = 0;
	for (uint32_t i = 0; i < 5; i++) {
		if (*at >= s->n || s->bytes[*at] < s->least)
			return false;
		byte = s->bytes[(*at)++];
		*out += (byte - s->least) << 6 * i;
		if (byte < PLAIN)
			break;
	}
	return true;
}

/* Add the scope at `at`, and its callers, which come before it in the stream. Sets its number, 0 if
 * it has too many callers; returns false if it is none. */
static bool add_scope(struct java_code *c, const struct stream *s, uint32_t at, uint32_t *number)
{
	struct {
		uint32_t at, method, bytecode;
	} chain[JAVA_DEEP];
	uint32_t n = 0, caller;

	for (; at && at < s->n && !s->numbers[at] && n < JAVA_DEEP; at = caller, n++) {
		size_t i = at;

		chain[n].at = at;
		if (!next_number(s, &i, &caller) || !next_number(s, &i, &chain[n].method) ||
		    !next_number(s, &i, &chain[n].bytecode) || caller >= at || !chain[n].method ||
		    chain[n].method >= INDEX_MOST)
			return false;
	}
	if (at >= s->n || c->scopes.n + n > N_SCOPES_MOST)
		return false;
	*number = at ? s->numbers[at] : 0;
	if ((at && !*number) || (*number && c->scopes.items[*number - 1].depth + n >= JAVA_DEEP)) {
		*number = 0;
		return true;
	}
	while (n--) {
		uint32_t depth = *number ? c->scopes.items[*number - 1].depth + 1 : 0;

		if (vec_push(&c->scopes,
			     (struct scope){*number, chain[n].method, chain[n].bytecode, depth}))
			return false;
		*number = s->numbers[chain[n].at] = (uint32_t)c->scopes.n;
	}
	return true;
}

/* Read the places, and their scopes. Returns false if they are not in this encoding. */
static bool read_places(const struct reader *r, const uint8_t *bytes, size_t n, struct stream *s)
{
	const struct unwind_hotspot *o = &r->offsets;
	struct java_code *c = r->code;
	uint64_t code = r->parts[HOTSPOT_CODE] - r->ev->lines_at;

	c->places.n = c->scopes.n = 0;
	memset(s->numbers, 0, s->n * sizeof(*s->numbers));
	for (; n >= o->place_bytes; n -= o->place_bytes, bytes += o->place_bytes) {
		struct code_place p = {0};
		int32_t pc, scope;
		uint64_t at;

		memcpy(&pc, bytes + o->place_pc, sizeof(pc));
		memcpy(&scope, bytes + o->place_scope, sizeof(scope));
		at = code + (uint64_t)pc;
		p.at = at < SONDE_RUN_AT_NONE ? (uint32_t)at : SONDE_RUN_AT_NONE;
		if ((c->places.n && p.at < c->places.items[c->places.n - 1].at) ||
		    !add_scope(c, s, (uint32_t)scope, &p.scope) || vec_push(&c->places, p))
			return false;
	}
	return c->scopes.n;
}

static bool read_scopes(struct reader *r)
{
	size_t n_places, n_scopes;
	uint8_t *places = read_part(r, HOTSPOT_PLACES, HOTSPOT_PLACES_END, PLACES_MOST, &n_places);
	uint8_t *scopes = read_part(r, HOTSPOT_SCOPES, HOTSPOT_SCOPES_END, SCOPES_MOST, &n_scopes);
	struct stream s = {.bytes = scopes, .n = n_scopes};
	bool is_read = false;

	s.numbers = places && scopes ? calloc(n_scopes, sizeof(*s.numbers)) : NULL;
	for (; s.numbers && s.least < 2 && !is_read; s.least++)
		is_read = read_places(r, places, n_places, &s);
	free(s.numbers);
	free(places);
	free(scopes);
	return is_read;
}

/* ---- methods -------------------------------------------------------------------------------- */

#define NO_NAME UINT32_MAX

static int add_method(struct reader *r, uint64_t at, uint32_t *known)
{
	char *name = at ? read_name(r, at) : NULL;
	int err = name ? vec_push(&r->code->names, name) : 0;

	if (err) {
		free(name);
		return err;
	}
	*known = name ? (uint32_t)r->code->names.n : NO_NAME;
	r->code->bytes += name ? strlen(name) + sizeof(name) : 0;
	return 0;
}

/* Give the scopes their methods. The outermost one must be that of the code. */
static bool read_methods(struct reader *r)
{
	uint32_t *known = calloc(INDEX_MOST, sizeof(*known)); /* numbers; 0: not read */
	struct java_code *c = r->code;
	int err = known ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->scopes.n && !err; i++) {
		struct scope *s = &c->scopes.items[i];
		uint64_t at = r->parts[HOTSPOT_METADATA] + 8ull * (s->method - 1);

		if (!s->caller && word_at(r, at) != r->ev->at)
			err = -ENOTSUP;
		else if (!known[s->method])
			err = add_method(r, word_at(r, at), &known[s->method]);
		s->method = known[s->method] == NO_NAME ? 0 : known[s->method];
	}
	free(known);
	return !err;
}

struct java_code *java_code_read(const struct sonde_code_event *ev)
{
	struct reader r = {.ev = ev};
	uint64_t after[HOTSPOT_PARTS];
	bool is_read = false;
	char path[32];

	memcpy(&r.offsets, ev->lines, sizeof(r.offsets));
	if (!ev->lines_at || !r.offsets.place_bytes)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/mem", ev->tgid);
	r.fd = open(path, O_RDONLY | O_CLOEXEC);
	r.code = r.fd < 0 ? NULL : calloc(1, sizeof(*r.code));
	if (r.code)
		is_read = find_parts(&r, r.parts) && read_scopes(&r) && read_methods(&r) &&
			  find_parts(&r, after) && !memcmp(after, r.parts, sizeof(after));
	if (r.fd >= 0)
		close(r.fd);
	if (is_read)
		return r.code;
	java_code_free(r.code);
	return NULL;
}

size_t java_code_bytes(const struct java_code *c)
{
	return c ? c->bytes + c->places.capacity * sizeof(struct code_place) +
			       c->scopes.capacity * sizeof(struct scope)
		 : 0;
}

void java_code_free(struct java_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->names.n; i++)
		free(c->names.items[i]);
	vec_free(&c->names);
	vec_free(&c->scopes);
	vec_free(&c->places);
	free(c);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* A scope and its callers, the outermost first. Returns how many there are. */
static uint32_t chain_of(const struct java_code *c, uint32_t scope,
			 const struct scope *chain[JAVA_DEEP])
{
	uint32_t n = 0;

	for (const struct scope *s; scope; scope = s->caller) {
		s = &c->scopes.items[scope - 1];
		chain[s->depth] = s;
		n = n ?: s->depth + 1;
	}
	return n;
}

/* Are the scopes number `i` of two chains, whose callers are the same, of one call? */
static bool is_same_call(const struct scope **a, const struct scope **b, uint32_t i)
{
	return a[i] == b[i] || !i ||
	       (a[i]->method && a[i]->method == b[i]->method &&
		a[i - 1]->bytecode == b[i - 1]->bytecode);
}

/* A sample may be between two places: then the methods are those that both are in. */
uint32_t java_code_inlined(const struct java_code *c, uint32_t at, const char *out[JAVA_DEEP],
			   uint32_t numbers[JAVA_DEEP])
{
	const struct scope *before[JAVA_DEEP], *after[JAVA_DEEP];
	size_t low = vec_bound(&c->places, item->at < at); /* the first place at or after `at` */
	uint32_t n = 0, n_before, n_after;

	if (low == c->places.n || (!low && c->places.items[0].at != at))
		return 0;
	n_after = chain_of(c, c->places.items[low].scope, after);
	low -= c->places.items[low].at != at;
	n_before = chain_of(c, c->places.items[low].scope, before);
	while (n < n_before && n < n_after && is_same_call(before, after, n))
		n++;
	for (uint32_t i = 0; i + 1 < n; i++) {
		numbers[i] = after[n - 1 - i]->method;
		out[i] = numbers[i] ? c->names.items[numbers[i] - 1] : NULL;
	}
	return n ? n - 1 : 0;
}
