/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of HotSpot: see hotspot.h. libjvm exports variables with their addresses, and with the
 * offsets in their entries. The tables are read in the memory of the process, which can write
 * anything there.
 */
#include "runtime/unwind/hotspot.h"
#include "runtime/base/io.h"
#include "runtime/base/mapped_file.h"
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/runtimes.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
	ENTRIES = 4096,	   /* of a table: JDK 17 has 788 fields */
	STRIDE = 256,	   /* bytes of an entry */
	TEXT = 64,	   /* bytes of a name */
	SYMBOLS = 1 << 16, /* 1,000 in JDK 17 */
	NAMES = 1 << 22,   /* bytes of their names */
	OFFSET_MOST = 512, /* in structs that a walk reads */
	POOL_MOST = 1024,  /* bytes before the entries of a pool of constants */
};

/* ---- symbols -------------------------------------------------------------------------------- */

enum variable {
	STRUCTS,
	STRUCT_TYPE,
	STRUCT_FIELD,
	STRUCT_IS_STATIC,
	STRUCT_OFFSET,
	STRUCT_ADDRESS,
	STRUCT_STRIDE,
	TYPES,
	TYPE_NAME,
	TYPE_SIZE,
	TYPE_STRIDE,
	CONSTANTS,
	CONSTANT_NAME,
	CONSTANT_VALUE,
	CONSTANT_STRIDE,
	N_VARIABLES,
};

static const char *const variables[N_VARIABLES] = {
	[STRUCTS] = "gHotSpotVMStructs",
	[STRUCT_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[STRUCT_FIELD] = "gHotSpotVMStructEntryFieldNameOffset",
	[STRUCT_IS_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[STRUCT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[STRUCT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[STRUCT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[TYPES] = "gHotSpotVMTypes",
	[TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	[TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[CONSTANTS] = "gHotSpotVMIntConstants",
	[CONSTANT_NAME] = "gHotSpotVMIntConstantEntryNameOffset",
	[CONSTANT_VALUE] = "gHotSpotVMIntConstantEntryValueOffset",
	[CONSTANT_STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
};

/* A part of the file, with a 0 after it; NULL: it cannot be read. */
static char *read_section(const struct elf_file *f, const char *name, size_t most, size_t *n)
{
	const struct section *s = elfsym_section(f, name);
	char *bytes = s && s->size <= most ? malloc(s->size + 1) : NULL;

	if (bytes && io_read_at(f->fd, bytes, s->size, s->offset) == (ssize_t)s->size) {
		bytes[s->size] = 0;
		*n = s->size;
		return bytes;
	}
	free(bytes);
	return NULL;
}

/* Find the addresses of the variables, as linked. Returns how many there are. */
static uint32_t find_variables(const struct elf_file *f, uint64_t *out)
{
	size_t n_symbols = 0, n_names = 0;
	char *symbols = read_section(f, ".dynsym", SYMBOLS * sizeof(Elf64_Sym), &n_symbols);
	char *names = read_section(f, ".dynstr", NAMES, &n_names);
	const Elf64_Sym *s = (const Elf64_Sym *)symbols;
	uint32_t n = 0;

	for (size_t i = 0; symbols && names && i < n_symbols / sizeof(*s); i++) {
		const char *name = s[i].st_name < n_names ? names + s[i].st_name : "";

		if (strncmp(name, "gHotSpotVM", 10) || !s[i].st_shndx || s[i].st_size != 8)
			continue;
		for (uint32_t k = 0; k < N_VARIABLES; k++)
			if (!strcmp(name, variables[k])) {
				n += !out[k];
				out[k] = s[i].st_value;
			}
	}
	free(symbols);
	free(names);
	return n;
}

/* ---- memory --------------------------------------------------------------------------------- */

struct machine {
	int fd;			     /* of /proc/PID/mem */
	uint64_t value[N_VARIABLES]; /* of the variables */
};

static bool read_at(const struct machine *m, uint64_t at, void *out, size_t n)
{
	return io_read_at(m->fd, out, n, at) == (ssize_t)n;
}

static uint64_t word_at(const struct machine *m, uint64_t at)
{
	uint64_t word = 0;

	return read_at(m, at, &word, sizeof(word)) ? word : 0;
}

static void text_at(const struct machine *m, uint64_t at, char out[TEXT])
{
	ssize_t n = at ? io_read_at(m->fd, out, TEXT - 1, at) : 0;

	out[n > 0 ? n : 0] = 0;
}

static uint64_t word_in(const uint8_t *entry, uint64_t offset)
{
	uint64_t word;

	memcpy(&word, entry + (offset <= STRIDE - sizeof(word) ? offset : 0), sizeof(word));
	return word;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* What is looked for. A later JDK has some fields in another struct, which has a row, too. */
enum fact {
	HEAPS,
	ARRAY_LENGTH,
	ARRAY_DATA,
	MEMORY,
	SEGMENTS,
	SEGMENT_BITS,
	LOW,
	HIGH,
	BLOCK_LENGTH,
	BLOCK_USED,
	BLOB_NAME,
	BLOB_FRAME_SIZE,
	NMETHOD_METHOD,
	NMETHOD_COMPILE_ID,
	CONST_METHOD,
	POOL,
	NAME_INDEX,
	POOL_HOLDER,
	CLASS_NAME,
	CLASS_CONSTANTS,
	SYMBOL_LENGTH,
	SYMBOL_BODY,
	BLOCK_BYTES,
	POOL_BYTES,
	SENDER_SP,
	LAST_SP,
	N_NEEDED, /* the others are about inlined methods */
	CODE_BEGIN = N_NEEDED,
	CODE_OFFSET,
	METADATA_OFFSET,
	MUTABLE_DATA,
	RELOCATION_BYTES,
	SCOPES_BEGIN,
	SCOPES_OFFSET,
	PLACES_OFFSET,
	DEPENDENCIES_OFFSET,
	IMMUTABLE_DATA,
	IMMUTABLE_BYTES,
	PLACE_PC,
	PLACE_SCOPE,
	PLACE_BYTES,
	N_FACTS,
};

/* field NULL: the size of a type; type NULL: a constant. */
static const struct row {
	const char *type, *field;
	enum fact fact;
} rows[] = {
	{"CodeCache", "_heaps", HEAPS},
	{"GrowableArrayBase", "_len", ARRAY_LENGTH},
	{"GrowableArray<int>", "_data", ARRAY_DATA},
	{"CodeHeap", "_memory", MEMORY},
	{"CodeHeap", "_segmap", SEGMENTS},
	{"CodeHeap", "_log2_segment_size", SEGMENT_BITS},
	{"VirtualSpace", "_low_boundary", LOW},
	{"VirtualSpace", "_high_boundary", HIGH},
	{"HeapBlock::Header", "_length", BLOCK_LENGTH},
	{"HeapBlock::Header", "_used", BLOCK_USED},
	{"CodeBlob", "_name", BLOB_NAME},
	{"CodeBlob", "_frame_size", BLOB_FRAME_SIZE},
	{"CompiledMethod", "_method", NMETHOD_METHOD}, /* up to 22 */
	{"nmethod", "_method", NMETHOD_METHOD},
	{"nmethod", "_compile_id", NMETHOD_COMPILE_ID},
	{"Method", "_constMethod", CONST_METHOD},
	{"ConstMethod", "_constants", POOL},
	{"ConstMethod", "_name_index", NAME_INDEX},
	{"ConstantPool", "_pool_holder", POOL_HOLDER},
	{"Klass", "_name", CLASS_NAME},
	{"InstanceKlass", "_constants", CLASS_CONSTANTS},
	{"Symbol", "_length", SYMBOL_LENGTH},
	{"Symbol", "_body", SYMBOL_BODY},
	{"HeapBlock", NULL, BLOCK_BYTES},
	{"ConstantPool", NULL, POOL_BYTES},
	{NULL, "frame::interpreter_frame_sender_sp_offset", SENDER_SP},
	{NULL, "frame::interpreter_frame_last_sp_offset", LAST_SP},
	{"CodeBlob", "_code_begin", CODE_BEGIN},   /* up to 22 */
	{"CodeBlob", "_code_offset", CODE_OFFSET}, /* from 23 on */
	{"nmethod", "_metadata_offset", METADATA_OFFSET},
	{"CodeBlob", "_mutable_data", MUTABLE_DATA}, /* from 25 on */
	{"CodeBlob", "_relocation_size", RELOCATION_BYTES},
	{"CompiledMethod", "_scopes_data_begin", SCOPES_BEGIN},
	{"nmethod", "_scopes_data_offset", SCOPES_OFFSET},
	{"nmethod", "_scopes_pcs_offset", PLACES_OFFSET},
	{"nmethod", "_dependencies_offset", DEPENDENCIES_OFFSET},
	{"nmethod", "_immutable_data", IMMUTABLE_DATA},
	{"nmethod", "_immutable_data_size", IMMUTABLE_BYTES},
	{"PcDesc", "_pc_offset", PLACE_PC},
	{"PcDesc", "_scope_decode_offset", PLACE_SCOPE},
	{"PcDesc", NULL, PLACE_BYTES},
};

/* Where parts of compiled code are: at the pointer (N_FACTS: the CodeBlob), plus the number at
 * `add` (N_FACTS: none). Up to 22; from 25 on. */
static const struct {
	enum fact pointer, add;
} parts[][HOTSPOT_PARTS] = {
	{
		[HOTSPOT_CODE] = {CODE_BEGIN, N_FACTS},
		[HOTSPOT_METADATA] = {N_FACTS, METADATA_OFFSET},
		[HOTSPOT_SCOPES] = {SCOPES_BEGIN, N_FACTS},
		[HOTSPOT_SCOPES_END] = {N_FACTS, PLACES_OFFSET},
		[HOTSPOT_PLACES] = {N_FACTS, PLACES_OFFSET},
		[HOTSPOT_PLACES_END] = {N_FACTS, DEPENDENCIES_OFFSET},
	},
	{
		[HOTSPOT_CODE] = {N_FACTS, CODE_OFFSET},
		[HOTSPOT_METADATA] = {MUTABLE_DATA, RELOCATION_BYTES},
		[HOTSPOT_SCOPES] = {IMMUTABLE_DATA, SCOPES_OFFSET},
		[HOTSPOT_SCOPES_END] = {IMMUTABLE_DATA, IMMUTABLE_BYTES},
		[HOTSPOT_PLACES] = {IMMUTABLE_DATA, PLACES_OFFSET},
		[HOTSPOT_PLACES_END] = {IMMUTABLE_DATA, SCOPES_OFFSET},
	},
};

/* The columns of a table, by the variables that have their offsets; N_VARIABLES: none. */
static const struct columns {
	enum variable start, stride, type, field, value;
} tables[] = {
	{STRUCTS, STRUCT_STRIDE, STRUCT_TYPE, STRUCT_FIELD, STRUCT_OFFSET},
	{TYPES, TYPE_STRIDE, TYPE_NAME, N_VARIABLES, TYPE_SIZE},
	{CONSTANTS, CONSTANT_STRIDE, N_VARIABLES, CONSTANT_NAME, CONSTANT_VALUE},
};

struct facts {
	uint64_t value[N_FACTS];
	uint64_t found; /* bits */
};
_Static_assert(N_FACTS <= 64, "a bit for each fact");

static bool is_name(const char *want, const char *name)
{
	return want ? !strcmp(want, name) : !*name;
}

static void add_fact(struct facts *f, const char *type, const char *field, uint64_t value)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_name(rows[i].type, type) && is_name(rows[i].field, field)) {
			f->value[rows[i].fact] = value;
			f->found |= 1ull << rows[i].fact;
		}
}

static void name_in(const struct machine *m, const uint8_t *entry, enum variable v, char out[TEXT])
{
	*out = 0;
	if (v != N_VARIABLES)
		text_at(m, word_in(entry, m->value[v]), out);
}

/* Read a table, up to the entry without a name. */
static void read_table(const struct machine *m, const struct columns *c, struct facts *out)
{
	uint64_t stride = m->value[c->stride], at = m->value[c->start];
	uint8_t entry[STRIDE] = {0};
	char type[TEXT], field[TEXT];

	if (stride < 2 * sizeof(uint64_t) || stride > sizeof(entry))
		return;
	for (uint32_t i = 0; i < ENTRIES; i++, at += stride) {
		uint64_t value;

		if (!read_at(m, at, entry, stride))
			return;
		name_in(m, entry, c->type, type);
		name_in(m, entry, c->field, field);
		if (!*type && !*field)
			return;
		value = word_in(entry, m->value[c->value]);
		if (c->start == STRUCTS && (uint32_t)word_in(entry, m->value[STRUCT_IS_STATIC]))
			value = word_in(entry, m->value[STRUCT_ADDRESS]);
		add_fact(out, type, field, value);
	}
}

/* ---- what the walk reads -------------------------------------------------------------------- */

static int compare_heaps(const void *a, const void *b)
{
	const struct hotspot_heap *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int read_heaps(const struct machine *m, const struct facts *f, struct unwind_hotspot *out)
{
	const uint64_t *v = f->value;
	uint64_t array = word_at(m, v[HEAPS]), data = word_at(m, array + v[ARRAY_DATA]);
	uint32_t n = (uint32_t)word_at(m, array + v[ARRAY_LENGTH]);

	if (!array || !n)
		return -EAGAIN;
	if (n > HOTSPOT_HEAPS)
		return -ENOTSUP;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t heap = word_at(m, data + 8ull * i);
		uint32_t bits = (uint32_t)word_at(m, heap + v[SEGMENT_BITS]);

		out->heaps[i] = (struct hotspot_heap){
			.low = word_at(m, heap + v[MEMORY] + v[LOW]),
			.end = word_at(m, heap + v[MEMORY] + v[HIGH]),
			.segments = word_at(m, heap + v[SEGMENTS] + v[LOW]),
		};
		if (!out->heaps[i].low || !out->heaps[i].segments)
			return -EAGAIN;
		if (out->heaps[i].low >= out->heaps[i].end || bits < 4 || bits > 12 ||
		    (i && bits != out->segment_bits))
			return -ENOTSUP;
		out->segment_bits = (uint16_t)bits;
	}
	out->n_heaps = (uint16_t)n;
	qsort(out->heaps, n, sizeof(out->heaps[0]), compare_heaps);
	for (uint32_t i = 1; i < n; i++)
		if (out->heaps[i].low < out->heaps[i - 1].end)
			return -ENOTSUP;
	return 0;
}

/* Set *at to where the block has a fact; 0 for N_FACTS. Returns false if it is not known. */
static bool place_of(const struct facts *f, enum fact fact, uint16_t *at)
{
	uint64_t value = fact == N_FACTS ? 0 : f->value[BLOCK_BYTES] + f->value[fact];

	if (fact != N_FACTS && (!(f->found >> fact & 1) || value > HOTSPOT_BLOCK - 8))
		return false;
	*at = (uint16_t)value;
	return true;
}

/* What is needed to find inlined methods; nothing if something is missing. */
static void use_places(const struct facts *f, struct unwind_hotspot *out)
{
	const uint64_t *v = f->value, bytes = v[PLACE_BYTES];
	uint32_t i = 0;

	for (size_t row = 0; row < sizeof(parts) / sizeof(parts[0]) && i < HOTSPOT_PARTS; row++)
		for (i = 0; i < HOTSPOT_PARTS; i++)
			if (!place_of(f, parts[row][i].pointer, &out->parts[i].pointer) ||
			    !place_of(f, parts[row][i].add, &out->parts[i].add))
				break;
	if (i < HOTSPOT_PARTS || (~f->found >> PLACE_PC & ((1u << (N_FACTS - PLACE_PC)) - 1)) ||
	    bytes < 4 || bytes > OFFSET_MOST || v[PLACE_PC] > bytes - 4 ||
	    v[PLACE_SCOPE] > bytes - 4)
		return;
	out->place_bytes = (uint16_t)bytes;
	out->place_pc = (uint16_t)v[PLACE_PC];
	out->place_scope = (uint16_t)v[PLACE_SCOPE];
}

static int use_facts(const struct facts *f, struct unwind_hotspot *out)
{
	const uint64_t *v = f->value;

	if (~f->found & ((1ull << N_NEEDED) - 1))
		return -ENOTSUP;
	for (uint32_t i = ARRAY_LENGTH; i <= BLOCK_BYTES; i++)
		if (v[i] > OFFSET_MOST)
			return -ENOTSUP;
	/* what a walk reads of each */
	if (v[POOL] > HOTSPOT_CONST_METHOD - 8 || v[NAME_INDEX] > HOTSPOT_CONST_METHOD - 2 ||
	    v[NAME_INDEX] % 2 || v[POOL] % 8 || v[SYMBOL_LENGTH] > 6)
		return -ENOTSUP;
	/* the Method is in the next word */
	if ((int32_t)v[SENDER_SP] != -1 || (int32_t)v[LAST_SP] != -2 || v[POOL_BYTES] > POOL_MOST)
		return -ENOTSUP;
	*out = (struct unwind_hotspot){
		.runtime = UNWIND_HOTSPOT,
		.length = (uint16_t)v[BLOCK_LENGTH],
		.used = (uint16_t)v[BLOCK_USED],
		.const_method = (uint16_t)v[CONST_METHOD],
		.constants = (uint16_t)v[POOL],
		.name_index = (uint16_t)v[NAME_INDEX],
		.pool_bytes = (uint16_t)v[POOL_BYTES],
		.pool_holder = (uint16_t)v[POOL_HOLDER],
		.class_name = (uint16_t)v[CLASS_NAME],
		.class_constants = (uint16_t)v[CLASS_CONSTANTS],
		.symbol_length = (uint16_t)v[SYMBOL_LENGTH],
		.symbol_body = (uint16_t)v[SYMBOL_BODY],
		.blob = (uint16_t)v[BLOCK_BYTES],
	};
	if (!place_of(f, BLOB_NAME, &out->name) ||
	    !place_of(f, BLOB_FRAME_SIZE, &out->frame_size) ||
	    !place_of(f, NMETHOD_METHOD, &out->method) ||
	    !place_of(f, NMETHOD_COMPILE_ID, &out->compile_id))
		return -ENOTSUP;
	use_places(f, out);
	return 0;
}

static int read_machine(const struct machine *m, struct unwind_hotspot *out)
{
	struct facts f = {0};
	int err;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		read_table(m, &tables[i], &f);
	err = use_facts(&f, out);
	return err ? err : read_heaps(m, &f, out);
}

/* What is added to addresses of the file, which is mapped at `m`. Where two segments share a page
 * of the file, the mapping is that of the one which begins there. */
static int find_bias(const struct elf_file *f, const struct proc_mapping *m, uint64_t *bias)
{
	int err = -ENOTSUP;
	GElf_Phdr p;

	for (int i = 0; gelf_getphdr(f->elf, i, &p); i++) {
		uint64_t into = m->file_offset - (p.p_offset & -4096ull);

		if (p.p_type != PT_LOAD || into >= p.p_filesz + (p.p_offset & 4095))
			continue;
		*bias = m->start - m->file_offset + p.p_offset - p.p_vaddr;
		err = 0;
		if (!into)
			break;
	}
	return err;
}

static int find_machine(const struct elf_file *f, const struct proc_mapping *mapping,
			struct machine *m)
{
	uint64_t at[N_VARIABLES] = {0}, bias;

	if (find_variables(f, at) != N_VARIABLES || find_bias(f, mapping, &bias))
		return -ENOTSUP;
	for (uint32_t i = 0; i < N_VARIABLES; i++)
		m->value[i] = word_at(m, bias + at[i]);
	return 0;
}

int hotspot_read(uint32_t tgid, const struct proc_mapping *mapping, struct unwind_hotspot *out)
{
	struct machine m = {0};
	struct elf_file f = {0};
	char path[32];
	int err, fd;

	fd = mapped_file_open(tgid, mapping->start, mapping->end, mapping->device, mapping->inode,
			      mapping->path);
	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/mem", tgid);
	m.fd = open(path, O_RDONLY | O_CLOEXEC);
	err = m.fd < 0 ? -errno : elfsym_read_file(&f, fd);
	if (m.fd >= 0 && !err)
		err = find_machine(&f, mapping, &m);
	if (!err)
		err = read_machine(&m, out);
	elfsym_close_file(&f);
	if (m.fd >= 0)
		close(m.fd);
	close(fd);
	return err;
}
