/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See pprof.h. Numbers of fields are those of profile.proto.
 */
#include "runtime/output/pprof.h"
#include "parser/base/text.h"
#include <errno.h>
#include <zlib.h>

HASH_FUNCTIONS(pprof_numbers, struct pprof_number, struct pprof_number,
	       hash_mix(hash_mix(key.kind, key.a), key.b),
	       a.kind == b.kind && a.a == b.a && a.b == b.b, *e, e->number)

/* ---- protobuf ---------------------------------------------------------------------------- */

enum { VARINT = 0, BYTES = 2 };

static void put_varint(struct text *t, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		text_char(t, (char)(x | 0x80));
	text_char(t, (char)x);
}

static void put_bytes(struct text *t, uint32_t field, const char *bytes, size_t n)
{
	put_varint(t, field << 3 | BYTES);
	put_varint(t, n);
	text_put(t, bytes, n);
}

/* 0 is what a missing field stands for. */
static void put_number(struct text *t, uint32_t field, uint64_t x)
{
	if (!x)
		return;
	put_varint(t, field << 3 | VARINT);
	put_varint(t, x);
}

/* A message is made in `scratch` from here on. */
static struct text *begin(struct pprof *p)
{
	p->scratch.text.n = 0;
	return &p->scratch.text;
}

static void end(struct pprof *p, uint32_t field)
{
	put_bytes(&p->body.text, field, p->scratch.text.bytes, p->scratch.text.n);
}

/* A message within the one in `scratch`: two numbers. */
static void put_pair(struct text *t, uint32_t field, uint64_t x, uint64_t y)
{
	char bytes[32];
	struct text pair = text_in_array(bytes, sizeof(bytes));

	put_number(&pair, 1, x);
	put_number(&pair, 2, y);
	put_bytes(t, field, bytes, pair.n);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* The number of what (kind, a, b) stands for; *is_new: it was given now. */
static uint32_t number_of(struct pprof *p, enum pprof_kind kind, uint64_t a, uint64_t b,
			  bool *is_new)
{
	struct pprof_number key = {.kind = kind, .a = a, .b = b};
	const struct pprof_number *known = pprof_numbers_find(&p->numbers, key);

	*is_new = !known;
	if (known)
		return known->number;
	key.number = ++p->n[kind];
	if (pprof_numbers_insert(&p->numbers, key))
		p->error = -ENOMEM;
	return key.number;
}

static const char *keep_name(struct pprof *p, const char *text)
{
	size_t n = strlen(text);
	const char *kept;
	char *escaped = NULL;

	if (escape_clean(ESCAPE_NAME, text, n) < n)
		text = escaped = escape_copy(ESCAPE_NAME, text, n, &n);
	kept = text ? string_set_intern(&p->names, text) : NULL;
	free(escaped);
	if (!kept)
		p->error = -ENOMEM;
	return kept ?: "";
}

uint32_t pprof_string(struct pprof *p, const char *text)
{
	const char *kept = keep_name(p, text);
	bool is_new;
	uint32_t number = number_of(p, PPROF_STRING, (uintptr_t)kept, 0, &is_new);

	if (is_new)
		put_bytes(&p->body.text, 6, kept, strlen(kept));
	return number - 1;
}

static uint32_t mapping_of(struct pprof *p, const char *file, const char *build_id)
{
	struct pprof_mapping new = {.file = keep_name(p, file)};
	uint32_t number;
	bool is_new;

	new.file_string = pprof_string(p, file);
	new.build_id = pprof_string(p, build_id ?: "");
	number = number_of(p, PPROF_MAPPING, new.file_string, new.build_id, &is_new);
	if (is_new && vec_push(&p->mappings, new))
		p->error = -ENOMEM;
	return p->error ? 0 : number;
}

static uint32_t function_of(struct pprof *p, const char *name, const char *file)
{
	uint32_t name_string = pprof_string(p, name), file_string = pprof_string(p, file ?: "");
	bool is_new;
	uint32_t number = number_of(p, PPROF_FUNCTION, name_string, file_string, &is_new);
	struct text *t;

	if (!is_new)
		return number;
	t = begin(p);
	put_number(t, 1, number);
	put_number(t, 2, name_string);
	put_number(t, 3, name_string); /* as in the symbol table */
	put_number(t, 4, file_string);
	end(p, 5);
	return number;
}

/* ---- locations --------------------------------------------------------------------------- */

enum { LINES_MOST = 64 };

/* A location that is being made: an address, with a line for each function that is inlined there,
 * innermost first, and one for the function itself. */
struct pprof_place {
	uint32_t mapping;
	uint64_t address;
	struct {
		uint32_t function, line;
	} lines[LINES_MOST];
	uint32_t n_lines;
};

static void add_line(struct pprof *p, struct pprof_place *l, const char *name, const char *file,
		     uint32_t line)
{
	if (l->n_lines == LINES_MOST)
		return;
	l->lines[l->n_lines].function = function_of(p, name, file);
	l->lines[l->n_lines++].line = line;
}

static void put_location(struct pprof *p, struct pprof_sample *s, const struct pprof_place *l)
{
	uint64_t lines = hash_bytes(l->lines, l->n_lines * sizeof(*l->lines));
	bool is_new;
	uint32_t number =
		number_of(p, PPROF_LOCATION, l->address, hash_mix(lines, l->mapping), &is_new);
	struct text *t;

	if (vec_push(&s->locations, number))
		p->error = -ENOMEM;
	if (!is_new)
		return;
	t = begin(p);
	put_number(t, 1, number);
	put_number(t, 2, l->mapping);
	put_number(t, 3, l->address);
	for (uint32_t i = 0; i < l->n_lines; i++)
		put_pair(t, 4, l->lines[i].function, l->lines[i].line);
	end(p, 4);
}

void pprof_put_name(struct pprof *p, struct pprof_sample *s, const char *name)
{
	struct pprof_place l = {0};

	add_line(p, &l, name, NULL, 0);
	put_location(p, s, &l);
}

/* The file of a frame; NULL: none is mapped there. */
static const char *file_of(const struct view_stack *s, const struct view_frame *f, char bytes[128])
{
	if (view_frame_is_gap(f))
		return NULL;
	if (s->is_user)
		return f->module;
	if (!f->module)
		return "[kernel.kallsyms]";
	snprintf(bytes, 128, "[%s]", f->module);
	return bytes;
}

/* The frames that are inlined at an address, and that of the function. Returns their number. */
static uint32_t put_frames(struct pprof *p, struct pprof_sample *s, const struct view_stack *stack,
			   uint32_t from)
{
	const struct view_frame *f = &stack->frames[from];
	struct pprof_place l = {0};
	uint32_t n = 0;
	char bytes[128];
	const char *file;

	while (f[n].is_inlined && from + n + 1 < stack->n)
		n++;
	file = file_of(stack, &f[n], bytes);
	if (file)
		l.mapping = mapping_of(p, file, f[n].build_id);
	/* of a caller: in its call, not behind it */
	if (!view_frame_is_gap(&f[n]) && !view_frame_is_run(&f[n]))
		l.address = (f[n].linked ?: f[n].ip) - f[n].is_caller;
	for (uint32_t i = 0; i <= n; i++) {
		struct pprof_mapping *m = l.mapping ? &p->mappings.items[l.mapping - 1] : NULL;

		if (f[i].name)
			add_line(p, &l, f[i].name, f[i].file, f[i].line);
		if (m) {
			m->has_functions |= f[i].name != NULL;
			m->has_lines |= f[i].line != 0;
			m->has_inlined |= n > 0;
		}
	}
	put_location(p, s, &l);
	return n + 1;
}

void pprof_put_stack(struct pprof *p, struct pprof_sample *s, const struct view_stack *stack)
{
	char note[128];

	for (uint32_t i = 0; i < stack->n;)
		i += put_frames(p, s, stack, i);
	if (stack->cut) {
		snprintf(note, sizeof(note), "[truncated: %s]", stack->cut);
		pprof_put_name(p, s, note);
	} else if (stack->is_lost) {
		pprof_put_name(p, s, "[" VIEW_STACK_LOST "]");
	}
}

/* ---- the profile ------------------------------------------------------------------------- */

void pprof_init(struct pprof *p, const struct pprof_type *types, uint32_t n)
{
	*p = (struct pprof){0};
	text_grown_init(&p->body);
	text_grown_init(&p->scratch);
	pprof_string(p, ""); /* has number 0 */
	for (uint32_t i = 0; i < n; i++)
		put_pair(&p->body.text, 1, pprof_string(p, types[i].name),
			 pprof_string(p, types[i].unit));
}

void pprof_free(struct pprof *p)
{
	text_grown_free(&p->body);
	text_grown_free(&p->scratch);
	string_set_free(&p->names);
	hash_free(&p->numbers);
	vec_free(&p->mappings);
}

void pprof_put_sample(struct pprof *p, const struct pprof_sample *s, uint32_t type,
		      uint32_t n_types)
{
	struct text *t = begin(p);

	for (size_t i = 0; i < s->locations.n; i++) {
		put_varint(t, 1 << 3 | VARINT);
		put_varint(t, s->locations.items[i]);
	}
	for (uint32_t i = 0; i < n_types; i++) {
		put_varint(t, 2 << 3 | VARINT);
		put_varint(t, i == type ? s->value : 0);
	}
	for (size_t i = 0; i + 1 < s->labels.n; i += 2)
		put_pair(t, 3, s->labels.items[i], s->labels.items[i + 1]);
	end(p, 2);
}

void pprof_comment(struct pprof *p, const char *text)
{
	uint32_t string = pprof_string(p, text);

	put_number(&p->body.text, 13, string);
}

void pprof_times(struct pprof *p, uint64_t start, uint64_t duration)
{
	put_number(&p->body.text, 9, start);
	put_number(&p->body.text, 10, duration);
}

static bool is_program(const struct pprof_mapping *m)
{
	return m->file[0] == '/' && m->file[1] != '/' && !strstr(text_base_name(m->file), ".so");
}

/* The first mapping stands for the program. Each has all addresses: those of locations are as
 * linked, and pprof subtracts nothing from them. */
static void put_mappings(struct pprof *p)
{
	for (int is_other = 0; is_other <= 1; is_other++)
		for (size_t i = 0; i < p->mappings.n; i++) {
			const struct pprof_mapping *m = &p->mappings.items[i];
			struct text *t = begin(p);

			if (is_program(m) == is_other)
				continue;
			put_number(t, 1, i + 1);
			put_number(t, 3, UINT64_MAX);
			put_number(t, 5, m->file_string);
			put_number(t, 6, m->build_id);
			put_number(t, 7, m->has_functions);
			put_number(t, 8, m->has_lines);
			put_number(t, 9, m->has_lines);
			put_number(t, 10, m->has_inlined);
			end(p, 3);
		}
}

static int compress_to(struct text *out, const char *bytes, size_t n)
{
	enum { GZIP = 15 + 16 };
	z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)n};
	char chunk[16 * 1024];
	int got;

	if (n > UINT32_MAX)
		return -EFBIG;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return -ENOMEM;
	do {
		z.next_out = (Bytef *)chunk;
		z.avail_out = sizeof(chunk);
		got = deflate(&z, Z_FINISH);
		text_put(out, chunk, sizeof(chunk) - z.avail_out);
	} while (got == Z_OK);
	deflateEnd(&z);
	return got == Z_STREAM_END ? 0 : -ENOMEM;
}

int pprof_finish(struct pprof *p, struct text *out)
{
	int err;

	put_mappings(p);
	err = p->error ?: p->body.error ?: p->scratch.error;
	return err ?: compress_to(out, p->body.text.bytes, p->body.text.n);
}
