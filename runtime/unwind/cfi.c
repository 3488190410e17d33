/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of .eh_frame and .debug_frame: see cfi.h. An FDE names its CIE by an offset. It is
 * looked up only among the CIEs that the pass over the section has found, so that records cannot
 * overlap.
 */
#include "runtime/unwind/cfi.h"
#include "runtime/elf/elfsym.h"
#include "runtime/unwind/gaps.h"
#include "runtime/unwind/go.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/reader.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/runtimes.h"

enum { FDES_MAX = 4 << 20, ALIGNMENT = 16 };

/* A record of a section. */
struct record {
	struct reader r; /* the contents after the CIE's id or the CIE's offset */
	uint64_t at;	 /* its offset */
	uint64_t id_at;	 /* offset of the id */
	uint64_t id;
	bool is_64; /* the 64-bit DWARF format, with lengths of 64 bits */
};

/* ---- CIE ----------------------------------------------------------------------------------- */

/* Read the augmentation data of a CIE: the encodings that the letters announce. Returns false if
 * what follows the data cannot be found. */
static bool read_augmentation(struct cfi_cie *cie, const char *letters, struct reader *r)
{
	struct reader data = *r;

	if (*letters == 'z') {
		uint64_t n = reader_uleb(r);
		const uint8_t *bytes = reader_bytes(r, n);

		cie->has_sizes = true;
		if (!bytes)
			return false;
		data = (struct reader){bytes, bytes + n, false};
		letters++;
	}
	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R': cie->pointers = reader_u8(&data); break;
		case 'L': reader_u8(&data); break;
		case 'P':
			encoding = reader_u8(&data);
			if ((encoding & POINTER_BASE) == DW_EH_PE_aligned)
				return false;
			reader_pointer(&data, encoding, cie->machine->word);
			break;
		case 'S': cie->is_signal = true; break;
		case 'B': break; /* arm64: return addresses are signed with another key */
		default:
			/* the data of unknown letters can be skipped, if its size is known */
			return cie->has_sizes;
		}
		if (data.failed)
			return false;
	}
	if (!cie->has_sizes)
		*r = data;
	return true;
}

/* The string at the reader, which is skipped; NULL if it has no end. */
static const char *read_string(struct reader *r)
{
	const char *string = (const char *)r->at;
	size_t n = strnlen(string, reader_left(r));

	return n < reader_left(r) && reader_bytes(r, n + 1) ? string : NULL;
}

/* Can the return address be in that register? glibc's rawmemchr() of arm64 has it in x15. */
static bool is_return_column(const struct unwind_machine *m, uint64_t number)
{
	return number == m->ip || (m->has_link && number < m->n_registers);
}

/* Read a CIE. Returns false if it is not supported; its FDEs are refused in this case. */
static bool read_cie(struct cfi_cie *cie, struct reader r)
{
	uint8_t version = reader_u8(&r);
	const char *augmentation;
	uint64_t number, base;

	if (version != 1 && version != 3 && version != 4)
		return false;
	augmentation = read_string(&r);
	if (!augmentation)
		return false;
	if (!strcmp(augmentation, "eh")) { /* GCC 2: the data is a pointer */
		reader_pointer(&r, DW_EH_PE_absptr, cie->machine->word);
		augmentation = "";
	}
	if (version == 4 && (reader_u8(&r) != cie->machine->word || reader_u8(&r) /* segment */))
		return false;
	cie->code_factor = reader_uleb(&r);
	cie->data_factor = reader_sleb(&r);
	number = version == 1 ? reader_u8(&r) : reader_uleb(&r);
	if (r.failed || !is_return_column(cie->machine, number) ||
	    !read_augmentation(cie, augmentation, &r))
		return false;
	if (cie->pointers & DW_EH_PE_indirect || cie->pointers == DW_EH_PE_omit)
		return false;
	base = cie->pointers & POINTER_BASE;
	if ((base && base != DW_EH_PE_pcrel) || !cfi_run_cie(cie, r.at, reader_left(&r)))
		return false;
	if (number != cie->machine->ip)
		cie->state.ip = (struct cfi_register){CFI_REGISTER, (int64_t)number};
	return true;
}

static int add_cie(struct cfi *c, const struct cfi_section *section, const struct record *record)
{
	struct cfi_cie cie = {.machine = c->machine,
			      .section = *section,
			      .at = (uint32_t)record->at};

	if (read_cie(&cie, record->r))
		return vec_push(&c->cies, cie);
	c->n_refused++;
	return 0;
}

/* The index of the CIE at offset `at` of the section whose CIEs start at index `first`, or
 * UINT32_MAX. Most FDEs belong to the CIE of the one before, which is `guess`. */
static uint32_t find_cie(const struct cfi *c, size_t first, uint64_t at, uint32_t guess)
{
	size_t i;

	if (guess >= first && guess < c->cies.n && c->cies.items[guess].at == at)
		return guess;
	i = vec_bound(&c->cies, item < c->cies.items + first || item->at < at);
	return i < c->cies.n && c->cies.items[i].at == at ? (uint32_t)i : UINT32_MAX;
}

/* ---- FDE ----------------------------------------------------------------------------------- */

/* Read an FDE; its CIE was found before. Returns false if it is invalid. */
static bool read_fde(const struct cfi_section *section, const struct cfi_cie *cie, struct reader r,
		     uint64_t base, struct cfi_fde *out)
{
	uint64_t here = section->address + (uint64_t)(r.at - section->bytes), start, bytes;
	uint8_t word = cie->machine->word;

	start = reader_pointer(&r, cie->pointers, word);
	if ((cie->pointers & POINTER_BASE) == DW_EH_PE_pcrel)
		start += here;
	if (word == 4)
		start = (uint32_t)start;
	bytes = reader_pointer(&r, cie->pointers & POINTER_FORMAT, word);
	if (cie->has_sizes)
		reader_bytes(&r, reader_uleb(&r));
	if (r.failed)
		return false;
	start -= base;
	if (start > UINT32_MAX) /* outside of the code */
		bytes = start = 0;
	out->start = (uint32_t)start;
	out->bytes = bytes > UINT32_MAX - start ? (uint32_t)(UINT32_MAX - start) : (uint32_t)bytes;
	out->program = (uint32_t)(r.at - section->bytes);
	out->n_program = (uint32_t)reader_left(&r);
	return true;
}

static int add_fde(struct cfi *c, const struct cfi_section *section, size_t first_cie,
		   const struct record *record, uint32_t *guess)
{
	uint64_t cie_at = section->is_debug ? record->id : record->id_at - record->id;
	struct cfi_fde fde;

	fde.cie = find_cie(c, first_cie, cie_at, *guess);
	if (fde.cie == UINT32_MAX ||
	    !read_fde(section, &c->cies.items[fde.cie], record->r, c->segments[0].address, &fde)) {
		c->n_refused++;
		return 0;
	}
	*guess = fde.cie;
	return fde.bytes ? cfi_add_fde(c, fde) : 0;
}

int cfi_add_fde(struct cfi *c, struct cfi_fde fde)
{
	return c->fdes.n < FDES_MAX ? vec_push(&c->fdes, fde) : -EFBIG;
}

/* ---- sections ------------------------------------------------------------------------------ */

/* Read the header of the next record of a section; `r` is the rest of the section. Returns false at
 * its end. */
static bool next_record(const struct cfi_section *section, struct reader *r, struct record *out)
{
	const uint8_t *bytes = NULL;
	uint64_t n = 0;

	/* a length of 0 ends the part of one input file if linkers leave it in the middle */
	while (!n && reader_left(r)) {
		out->at = (uint64_t)(r->at - section->bytes);
		n = reader_u32(r);
	}
	out->is_64 = n == UINT32_MAX;
	if (out->is_64)
		n = reader_u64(r);
	if (n)
		bytes = reader_bytes(r, n);
	if (!bytes)
		return false;
	out->r = (struct reader){bytes, bytes + n, false};
	out->id_at = (uint64_t)(bytes - section->bytes);
	/* in .eh_frame it always has four bytes */
	out->id = section->is_debug && out->is_64 ? reader_u64(&out->r) : reader_u32(&out->r);
	return true;
}

static bool is_cie(const struct cfi_section *section, const struct record *record)
{
	if (!section->is_debug)
		return !record->id;
	return record->id == (record->is_64 ? UINT64_MAX : UINT32_MAX);
}

int cfi_add_section(struct cfi *c, const struct cfi_section *section)
{
	struct reader r = {section->bytes, section->bytes, false};
	size_t first_cie = c->cies.n;
	uint32_t guess = UINT32_MAX;
	struct record record;
	int err = 0;

	if (section->n > UINT32_MAX)
		return -EFBIG;
	if (!section->n)
		return 0;
	r.end += section->n;
	while (!err && c->n_segments && next_record(section, &r, &record)) {
		if (record.r.failed)
			c->n_refused++;
		else if (is_cie(section, &record))
			err = add_cie(c, section, &record);
		else
			err = add_fde(c, section, first_cie, &record, &guess);
	}
	c->n_refused += r.failed;
	return err;
}

void cfi_free(struct cfi *c)
{
	vec_free(&c->cies);
	vec_free(&c->fdes);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The state of a pass over all FDEs in order of their addresses. */
struct sweep {
	struct cfi *c;
	struct unwind_rules *rules;
	struct pack *out;
	uint32_t segment; /* the first segment that does not end before the FDE */
	uint64_t end;	  /* the end of the last rows */
};

/* The FDEs sorted by start: an array of numbers with an FDE's index in the lower 32 bits. NULL: no
 * memory. */
static uint64_t *sort_fdes(const struct cfi *c)
{
	uint64_t *keys = malloc((c->fdes.n + 1) * sizeof(*keys));
	bool is_sorted = true;

	for (size_t i = 0; keys && i < c->fdes.n; i++) {
		keys[i] = (uint64_t)c->fdes.items[i].start << 32 | i;
		is_sorted &= !i || keys[i - 1] < keys[i];
	}
	if (keys && !is_sorted && elfsym_sort_keys(keys, c->fdes.n)) {
		free(keys);
		return NULL;
	}
	return keys;
}

/* Is the gap between two functions their alignment? Functions start at multiples of 16, so an
 * address in the gap that is one may be a function without CFI. Alignment is never executed: the
 * rows of the function before may as well cover it, which saves one row in seven. */
static bool is_alignment(uint64_t end, uint64_t start)
{
	return start <= (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_signal(const struct cfi *c, const struct cfi_fde *f)
{
	return f->cie != CFI_GO && c->cies.items[f->cie].is_signal;
}

static int run_fde(struct sweep *w, const struct cfi_fde *f, uint64_t start, uint64_t end)
{
	const struct cfi_cie *cie = &w->c->cies.items[f->cie];
	bool is_valid;
	int err;

	w->rules->of_run = w->c->runs && unwind_run_code_has(w->c->runs, start);
	w->rules->run_from = w->rules->of_run && w->c->runs->from < end ? w->c->runs->from : 0;
	err = cfi_run_fde(cie, cie->section.bytes + f->program, f->n_program, start, end, w->rules,
			  w->out, &is_valid);
	w->rules->of_run = false;
	w->c->n_refused += !is_valid;
	return err;
}

/* Pack the rows of an FDE up to `limit`, where the next one starts. A signal frame has one byte
 * more at both ends: its return address is looked up by the byte before it, and the frame is there
 * until its last instruction, a system call, has ended. */
static int sweep_fde(struct sweep *w, const struct cfi_fde *f, uint64_t limit)
{
	const struct unwind_segment *segments = w->c->segments;
	bool is_longer = is_signal(w->c, f);
	uint64_t start = segments[0].address + f->start, end = start + f->bytes + is_longer;
	uint64_t first = start - (is_longer && start > w->end);
	const struct unwind_segment *s;
	int err = 0;

	while (w->segment < w->c->n_segments &&
	       segments[w->segment].address + segments[w->segment].bytes <= start)
		w->segment++;
	s = &segments[w->segment];
	if (w->segment == w->c->n_segments || start < s->address)
		return 0;
	if (first < s->address)
		first = start;
	if (end > limit)
		end = limit;
	if (end > s->address + s->bytes)
		end = s->address + s->bytes;
	if (!is_alignment(w->end, first))
		err = pack_row(w->out, w->end, UNWIND_RULE_NONE);
	if (!err && w->c->gaps)
		err = gaps_pack(w->c->gaps, first, w->rules, w->out);
	if (err)
		return err;
	w->end = end;
	if (f->cie == CFI_GO)
		return go_pack_function(w->c->go, f->program, start, end, w->rules, w->out);
	err = run_fde(w, f, first, start);
	return err ?: run_fde(w, f, start, end);
}

/* The number of the first FDE after number i that starts at another address. Sets *limit to that
 * address. */
static size_t next_fde(const struct cfi *c, const uint64_t *keys, size_t i, uint64_t *limit)
{
	size_t next = i + 1;

	while (next < c->fdes.n && keys[next] >> 32 == keys[i] >> 32)
		next++;
	*limit = UINT64_MAX;
	if (next < c->fdes.n)
		*limit = c->segments[0].address + (keys[next] >> 32);
	return next;
}

static int find_gaps(const struct cfi *c, const uint64_t *keys)
{
	uint64_t end = 0, limit;
	int err = 0;

	for (size_t i = 0, next; !err && i < c->fdes.n; i = next) {
		const struct cfi_fde *f = &c->fdes.items[(uint32_t)keys[i]];
		uint64_t start = c->segments[0].address + f->start - is_signal(c, f);

		next = next_fde(c, keys, i, &limit);
		if (!is_alignment(end, start))
			err = gaps_add(c->gaps, end, start);
		end = start + 2 * is_signal(c, f) + f->bytes;
		end = end < limit ? end : limit;
	}
	err = err ?: gaps_add(c->gaps, end, UINT64_MAX);
	return err ?: gaps_end(c->gaps);
}

int cfi_pack_rows(struct cfi *c, struct unwind_rules *rules, struct pack *out)
{
	struct sweep w = {.c = c, .rules = rules, .out = out};
	uint64_t *keys = sort_fdes(c);
	int err = keys ? 0 : -ENOMEM;
	uint64_t limit;

	if (!err && c->gaps)
		err = find_gaps(c, keys);
	for (size_t i = 0, next; !err && i < c->fdes.n; i = next) {
		next = next_fde(c, keys, i, &limit);
		err = sweep_fde(&w, &c->fdes.items[(uint32_t)keys[i]], limit);
	}
	free(keys);
	err = err ?: pack_row(out, w.end, UNWIND_RULE_NONE);
	return err || !c->gaps ? err : gaps_pack(c->gaps, UINT64_MAX, rules, out);
}
