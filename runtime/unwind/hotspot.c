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
	uint32_t found; /* bits */
};
_Static_assert(N_FACTS <= 32, "a bit for each fact");

static bool is_name(const char *want, const char *name)
{
	return want ? !strcmp(want, name) : !*name;
}

static void add_fact(struct facts *f, const char *type, const char *field, uint64_t value)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_name(rows[i].type, type) && is_name(rows[i].field, field)) {
			f->value[rows[i].fact] = value;
			f->found |= 1u << rows[i].fact;
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

static int use_facts(const struct facts *f, struct unwind_hotspot *out)
{
	const uint64_t *v = f->value;

	if (f->found != (1ull << N_FACTS) - 1)
		return -ENOTSUP;
	for (uint32_t i = ARRAY_LENGTH; i <= BLOCK_BYTES; i++)
		if (v[i] > OFFSET_MOST)
			return -ENOTSUP;
	/* what a walk reads of each */
	if (v[BLOCK_BYTES] + v[BLOB_NAME] > HOTSPOT_BLOCK - 8 ||
	    v[BLOCK_BYTES] + v[BLOB_FRAME_SIZE] > HOTSPOT_BLOCK - 8 ||
	    v[BLOCK_BYTES] + v[NMETHOD_METHOD] > HOTSPOT_BLOCK - 8 ||
	    v[BLOCK_BYTES] + v[NMETHOD_COMPILE_ID] > HOTSPOT_BLOCK - 8 ||
	    v[POOL] > HOTSPOT_CONST_METHOD - 8 || v[NAME_INDEX] > HOTSPOT_CONST_METHOD - 2 ||
	    v[NAME_INDEX] % 2 || v[POOL] % 8 || v[SYMBOL_LENGTH] > 6)
		return -ENOTSUP;
	/* the Method is in the next word */
	if ((int32_t)v[SENDER_SP] != -1 || (int32_t)v[LAST_SP] != -2 || v[POOL_BYTES] > POOL_MOST)
		return -ENOTSUP;
	*out = (struct unwind_hotspot){
		.runtime = UNWIND_HOTSPOT,
		.length = (uint16_t)v[BLOCK_LENGTH],
		.used = (uint16_t)v[BLOCK_USED],
		.name = (uint16_t)(v[BLOCK_BYTES] + v[BLOB_NAME]),
		.frame_size = (uint16_t)(v[BLOCK_BYTES] + v[BLOB_FRAME_SIZE]),
		.method = (uint16_t)(v[BLOCK_BYTES] + v[NMETHOD_METHOD]),
		.compile_id = (uint16_t)(v[BLOCK_BYTES] + v[NMETHOD_COMPILE_ID]),
		.const_method = (uint16_t)v[CONST_METHOD],
		.constants = (uint16_t)v[POOL],
		.name_index = (uint16_t)v[NAME_INDEX],
		.pool_bytes = (uint16_t)v[POOL_BYTES],
		.pool_holder = (uint16_t)v[POOL_HOLDER],
		.class_name = (uint16_t)v[CLASS_NAME],
		.class_constants = (uint16_t)v[CLASS_CONSTANTS],
		.symbol_length = (uint16_t)v[SYMBOL_LENGTH],
		.symbol_body = (uint16_t)v[SYMBOL_BODY],
	};
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
