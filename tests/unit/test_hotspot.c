/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of HotSpot, as this program has them, in its own memory: read right, refused if
 * something is missing, and read without harm if they have random words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/proc_maps.h"
#include "runtime/unwind/hotspot.h"
#include "runtime/unwind/jvm.h"
#include "runtime/unwind/store.h"

struct field {
	const char *type, *name, *text;
	int32_t is_static;
	uint64_t offset;
	const void *address;
};

struct type {
	const char *name, *super;
	int32_t flags[3];
	uint64_t size;
};

struct constant {
	const char *name;
	int32_t value;
};

struct space {
	uint64_t low, high;
};

struct heap {
	struct space memory, segments;
	int32_t bits;
};

struct array {
	int32_t n, most;
	struct heap **data;
};

static struct heap heaps[5];
static struct heap *heap_list[5] = {&heaps[0], &heaps[1], &heaps[2], &heaps[3], &heaps[4]};
static struct array array;
static struct array *array_at;

static struct field fields[48];
static struct type types[5];
static struct constant constants[4];

/* AddressSanitizer would make it larger. */
#ifdef SONDE_ASAN
#define PLAIN no_sanitize("address")
#else
#define PLAIN
#endif
#define VARIABLE(name, value) \
	uint64_t name __attribute__((used, visibility("default"), PLAIN)) = (uint64_t)(value);
VARIABLE(gHotSpotVMStructs, fields)
VARIABLE(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct field, type))
VARIABLE(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct field, name))
VARIABLE(gHotSpotVMStructEntryIsStaticOffset, offsetof(struct field, is_static))
VARIABLE(gHotSpotVMStructEntryOffsetOffset, offsetof(struct field, offset))
VARIABLE(gHotSpotVMStructEntryAddressOffset, offsetof(struct field, address))
VARIABLE(gHotSpotVMStructEntryArrayStride, sizeof(struct field))
VARIABLE(gHotSpotVMTypes, types)
VARIABLE(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct type, name))
VARIABLE(gHotSpotVMTypeEntrySizeOffset, offsetof(struct type, size))
VARIABLE(gHotSpotVMTypeEntryArrayStride, sizeof(struct type))
VARIABLE(gHotSpotVMIntConstants, constants)
VARIABLE(gHotSpotVMIntConstantEntryNameOffset, offsetof(struct constant, name))
VARIABLE(gHotSpotVMIntConstantEntryValueOffset, offsetof(struct constant, value))
VARIABLE(gHotSpotVMIntConstantEntryArrayStride, sizeof(struct constant))

static const struct field good_fields[] = {
	{"CodeCache", "_heaps", "", 1, 0, &array_at},
	{"GrowableArrayBase", "_len", "", 0, offsetof(struct array, n), NULL},
	{"GrowableArray<int>", "_data", "", 0, offsetof(struct array, data), NULL},
	{"CodeHeap", "_memory", "", 0, offsetof(struct heap, memory), NULL},
	{"CodeHeap", "_segmap", "", 0, offsetof(struct heap, segments), NULL},
	{"CodeHeap", "_log2_segment_size", "", 0, offsetof(struct heap, bits), NULL},
	{"VirtualSpace", "_low_boundary", "", 0, offsetof(struct space, low), NULL},
	{"VirtualSpace", "_high_boundary", "", 0, offsetof(struct space, high), NULL},
	{"HeapBlock::Header", "_length", "", 0, 0, NULL},
	{"HeapBlock::Header", "_used", "", 0, 8, NULL},
	{"CodeBlob", "_name", "", 0, 96, NULL},
	{"CodeBlob", "_frame_size", "", 0, 28, NULL},
	{"CompiledMethod", "_method", "", 0, 112, NULL},
	{"nmethod", "_compile_id", "", 0, 304, NULL},
	{"Method", "_constMethod", "", 0, 8, NULL},
	{"ConstMethod", "_constants", "", 0, 8, NULL},
	{"ConstMethod", "_name_index", "", 0, 34, NULL},
	{"ConstantPool", "_pool_holder", "", 0, 24, NULL},
	{"Klass", "_name", "", 0, 24, NULL},
	{"InstanceKlass", "_constants", "", 0, 232, NULL},
	{"Symbol", "_length", "", 0, 4, NULL},
	{"Symbol", "_body", "", 0, 6, NULL},
};

enum { N_FIELDS = sizeof(good_fields) / sizeof(good_fields[0]) };

/* About inlined methods: of JDK 17 and 25. */
static const struct field old_places[] = {
	{"CodeBlob", "_code_begin", "", 0, 32, NULL},
	{"CodeBlob", "_relocation_size", "", 0, 8, NULL},
	{"CompiledMethod", "_scopes_data_begin", "", 0, 120, NULL},
	{"nmethod", "_metadata_offset", "", 0, 260, NULL},
	{"nmethod", "_scopes_pcs_offset", "", 0, 268, NULL},
	{"nmethod", "_dependencies_offset", "", 0, 272, NULL},
	{"PcDesc", "_pc_offset", "", 0, 0, NULL},
	{"PcDesc", "_scope_decode_offset", "", 0, 4, NULL},
};
static const struct field new_places[] = {
	{"CodeBlob", "_code_offset", "", 0, 36, NULL},
	{"CodeBlob", "_mutable_data", "", 0, 16, NULL},
	{"CodeBlob", "_relocation_size", "", 0, 28, NULL},
	{"nmethod", "_immutable_data", "", 0, 96, NULL},
	{"nmethod", "_immutable_data_size", "", 0, 160, NULL},
	{"nmethod", "_scopes_pcs_offset", "", 0, 196, NULL},
	{"nmethod", "_scopes_data_offset", "", 0, 200, NULL},
	{"PcDesc", "_pc_offset", "", 0, 0, NULL},
	{"PcDesc", "_scope_decode_offset", "", 0, 4, NULL},
};

static void set_up(void)
{
	memset(fields, 0, sizeof(fields));
	memcpy(fields, good_fields, sizeof(good_fields));
	memcpy(types,
	       ((struct type[]){{"HeapBlock", "", {0}, 16},
				{"ConstantPool", "", {0}, 72},
				{"PcDesc", "", {0}, 16},
				{0}}),
	       4 * sizeof(types[0]));
	memcpy(constants,
	       ((struct constant[]){{"frame::interpreter_frame_sender_sp_offset", -1},
				    {"frame::interpreter_frame_last_sp_offset", -2},
				    {0}}),
	       3 * sizeof(constants[0]));
	for (uint64_t i = 0; i < 5; i++) /* the last one is the lowest */
		heaps[i] = (struct heap){{0x900000 - i * 0x100000, 0xa00000 - i * 0x100000},
					 {0x10000 + i, 0x20000},
					 7};
	array = (struct array){3, 4, heap_list};
	array_at = &array;
}

static int note_code(const struct proc_mapping *m, void *ctx)
{
	uint64_t at = (uint64_t)(uintptr_t)note_code;

	if (at < m->start || at >= m->end)
		return 0;
	*(struct proc_mapping *)ctx = *m;
	((struct proc_mapping *)ctx)->path = strdup(m->path);
	return 0;
}

static int read_own(struct unwind_hotspot *out)
{
	static struct proc_mapping m;

	if (!m.path)
		assert_int_equal(proc_maps_each(0, note_code, &m), 0);
	return hotspot_read((uint32_t)getpid(), &m, out);
}

static void tables_are_read(void **state)
{
	struct unwind_hotspot h;

	set_up();
	assert_int_equal(read_own(&h), 0);
	assert_int_equal(h.n_heaps, 3);
	assert_int_equal(h.segment_bits, 7);
	assert_int_equal(h.heaps[0].low, 0x700000);
	assert_int_equal(h.heaps[0].segments, 0x10002);
	assert_int_equal(h.heaps[2].end, 0xa00000);
	assert_int_equal(h.name, 16 + 96);
	assert_int_equal(h.frame_size, 16 + 28);
	assert_int_equal(h.method, 16 + 112);
	assert_int_equal(h.compile_id, 16 + 304);
	assert_int_equal(h.class_constants, 232);
	assert_int_equal(h.pool_bytes, 72);
	assert_int_equal(h.place_bytes, 0); /* nothing is known of inlined methods */
	array_at = NULL;		    /* the machine starts */
	assert_int_equal(read_own(&h), -EAGAIN);
}

static void read_places(const struct field *f, size_t n, size_t without, struct unwind_hotspot *out)
{
	set_up();
	memcpy(fields + N_FIELDS, f, n * sizeof(*f));
	if (without < n)
		fields[N_FIELDS + without].name = "another";
	assert_int_equal(read_own(out), 0);
}

static void places_of_inlined_methods_are_read(void **state)
{
	enum { N_OLD = sizeof(old_places) / sizeof(old_places[0]) };
	enum { N_NEW = sizeof(new_places) / sizeof(new_places[0]) };
	struct unwind_hotspot h;

	read_places(old_places, N_OLD, N_OLD, &h);
	assert_int_equal(h.place_bytes, 16);
	assert_int_equal(h.place_scope, 4);
	assert_int_equal(h.parts[HOTSPOT_CODE].pointer, 16 + 32);
	assert_int_equal(h.parts[HOTSPOT_CODE].add, 0);
	assert_int_equal(h.parts[HOTSPOT_METADATA].pointer, 0);
	assert_int_equal(h.parts[HOTSPOT_METADATA].add, 16 + 260);
	assert_int_equal(h.parts[HOTSPOT_PLACES_END].add, 16 + 272);
	read_places(new_places, N_NEW, N_NEW, &h);
	assert_int_equal(h.place_bytes, 16);
	assert_int_equal(h.parts[HOTSPOT_CODE].add, 16 + 36);
	assert_int_equal(h.parts[HOTSPOT_METADATA].pointer, 16 + 16);
	assert_int_equal(h.parts[HOTSPOT_SCOPES_END].pointer, 16 + 96);
	assert_int_equal(h.parts[HOTSPOT_SCOPES_END].add, 16 + 160);
	for (size_t i = 0; i < N_OLD; i++) { /* that one is of later versions */
		read_places(old_places, N_OLD, i, &h);
		assert_int_equal(h.place_bytes, i == 1 ? 16 : 0);
	}
	for (size_t i = 0; i < N_NEW; i++) {
		read_places(new_places, N_NEW, i, &h);
		assert_int_equal(h.place_bytes, 0);
	}
	read_places(new_places, N_NEW, N_NEW, &h);
	fields[N_FIELDS + N_NEW - 1].offset = ~0ull;
	assert_int_equal(read_own(&h), 0);
	assert_int_equal(h.place_bytes, 0);
}

static void what_is_missing_is_not_guessed(void **state)
{
	struct unwind_hotspot h;

	for (uint32_t i = 0; i < N_FIELDS; i++) {
		set_up();
		fields[i].name = "another";
		assert_int_equal(read_own(&h), -ENOTSUP);
	}
	set_up();
	fields[N_FIELDS - 1].offset = 4096;
	assert_int_equal(read_own(&h), -ENOTSUP);
	set_up();
	constants[0].value = -3;
	assert_int_equal(read_own(&h), -ENOTSUP);
	set_up();
	array.n = 5;
	assert_int_equal(read_own(&h), -ENOTSUP);
	set_up();
	heaps[1].memory.high += 4096; /* the heaps overlap */
	assert_int_equal(read_own(&h), -ENOTSUP);
	set_up();
	gHotSpotVMStructEntryArrayStride = 0;
	assert_int_equal(read_own(&h), -ENOTSUP);
	gHotSpotVMStructEntryArrayStride = sizeof(struct field);
}

static void garble(void *at, size_t n)
{
	static const uint64_t words[] = {0, 1, 8, 255, 4096, 1ull << 40, ~0ull};
	uint64_t word = words[rand() % 7];

	memcpy((char *)at + (size_t)rand() % (n / 8) * 8, &word, sizeof(word));
}

static void random_words_do_no_harm(void **state)
{
	uint64_t stride = gHotSpotVMStructEntryArrayStride;
	uint32_t n_read = 0;

	srand(7);
	for (uint32_t i = 0; i < 2000; i++) {
		struct unwind_hotspot h;

		set_up();
		memcpy(fields + N_FIELDS, new_places, sizeof(new_places));
		switch (rand() % 5) {
		case 0: garble(fields, sizeof(good_fields) + sizeof(new_places)); break;
		case 1: garble(types, sizeof(types)); break;
		case 2: garble(heaps, sizeof(heaps)); break;
		case 3: garble(&array, sizeof(array)); break;
		default: garble(&gHotSpotVMStructEntryArrayStride, 8);
		}
		if (!read_own(&h)) {
			n_read++;
			assert_in_range(h.n_heaps, 1, HOTSPOT_HEAPS);
			assert_in_range(h.segment_bits, 4, 12);
			assert_in_range(h.compile_id, 0, 1024);
			assert_in_range(h.place_scope, 0, 508);
		}
		gHotSpotVMStructEntryArrayStride = stride;
	}
	assert_in_range(n_read, 1, 1999);
}

/* ---- a process that has the machine --------------------------------------------------------- */

#define SECOND 1000000000ull

struct process {
	struct unwind_store *store;
	struct proc_mapping m;
	struct unwind_jvm *jvm;
	struct unwind_ranges ranges;
	char folder[32];
};

/* The mapping of this program, under the name of libjvm. */
static void start_process(struct process *p)
{
	static char path[64];
	int err = unwind_store_open(&p->store, 4);

	if (err == -EPERM || err == -EACCES || err == -ENOSYS)
		skip();
	assert_int_equal(err, 0);
	strcpy(p->folder, "/tmp/test-jvm-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(path, sizeof(path), "%s/libjvm.so", p->folder);
	assert_int_equal(symlink("/proc/self/exe", path), 0);
	assert_int_equal(proc_maps_each(0, note_code, &p->m), 0);
	free((char *)p->m.path);
	p->m.path = path;
	set_up();
}

static void end_process(struct process *p)
{
	unwind_jvm_release(p->store, p->jvm);
	unwind_store_close(p->store);
	vec_free(&p->ranges);
	unlink(p->m.path);
	rmdir(p->folder);
}

/* Read it at that time, and mark a range of a file and one of anonymous memory, from 0x600000 to
 * 0xb00000: the heaps are from 0x700000 on. Returns how many ranges there are then. */
static size_t read_process(struct process *p, uint64_t now_ns)
{
	struct unwind_range r[] = {{.start = 0x10000, .end = 0x20000},
				   {.start = 0x600000,
				    .end = 0xb00000,
				    .flags = UNWIND_RANGE_NO_TABLE | UNWIND_RANGE_ANONYMOUS}};
	struct unwind_jvm *jvm = NULL;

	assert_int_equal(unwind_jvm_note(p->store, (uint32_t)getpid(), &p->m, now_ns, p->jvm, &jvm),
			 0);
	assert_non_null(jvm);
	unwind_jvm_keep(&p->jvm, &jvm);
	unwind_jvm_release(p->store, jvm);
	p->ranges.n = 0;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(vec_push(&p->ranges, r[i]), 0);
	assert_int_equal(unwind_jvm_mark(p->jvm, &p->ranges), 0);
	assert_int_equal(p->ranges.items[0].end, 0x20000);
	return p->ranges.n;
}

static size_t n_heaps_marked(const struct process *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->ranges.n; i++)
		n += p->ranges.items[i].flags & UNWIND_RANGE_HOTSPOT ? 1 : 0;
	return n;
}

/* Its anonymous memory is left out for 10 s at most. */
static void a_machine_that_cannot_be_read_does_not_start_for_ever(void **state)
{
	struct process p = {0};

	start_process(&p);
	fields[0].name = "another";
	assert_int_equal(read_process(&p, 100 * SECOND), 1);
	assert_int_equal(read_process(&p, 109 * SECOND), 1);
	assert_int_equal(read_process(&p, 111 * SECOND), 2);
	assert_int_equal(n_heaps_marked(&p), 0);
	set_up(); /* that is final */
	assert_int_equal(read_process(&p, 112 * SECOND), 2);
	assert_int_equal(n_heaps_marked(&p), 0);
	end_process(&p);
}

static void a_machine_that_starts_is_read_again(void **state)
{
	struct process p = {0};

	start_process(&p);
	array_at = NULL;
	assert_int_equal(read_process(&p, 100 * SECOND), 1);
	array_at = &array;
	array.n = 1; /* one heap, then all */
	assert_int_equal(read_process(&p, 101 * SECOND), 2);
	assert_int_equal(n_heaps_marked(&p), 1);
	array.n = 3;
	assert_int_equal(read_process(&p, 101 * SECOND + SECOND / 2), 4);
	assert_int_equal(n_heaps_marked(&p), 3);
	assert_int_equal(read_process(&p, 101 * SECOND + SECOND / 2), 4);
	fields[0].name = "another"; /* the good one is kept */
	assert_int_equal(read_process(&p, 101 * SECOND + SECOND / 2), 4);
	set_up();
	/* what is in no heap is shown only now: before the first heap, and behind the last one */
	assert_int_equal(read_process(&p, 103 * SECOND), 6);
	assert_int_equal(n_heaps_marked(&p), 3);
	array.n = 1; /* that is final */
	assert_int_equal(read_process(&p, 104 * SECOND), 6);
	end_process(&p);
}

static void too_many_ranges_stay_as_they_are(void **state)
{
	struct unwind_range r = {.flags = UNWIND_RANGE_NO_TABLE | UNWIND_RANGE_ANONYMOUS};
	struct process p = {0};

	start_process(&p);
	read_process(&p, 100 * SECOND);
	read_process(&p, 102 * SECOND);
	p.ranges.n = 0;
	for (uint64_t i = 0; i < UNWIND_RANGES; i++) {
		r.start = 0x600000 + i * 0x1000;
		r.end = r.start + 0x800;
		assert_int_equal(vec_push(&p.ranges, r), 0);
	}
	p.ranges.items[0x0ff].end = 0x700800; /* partly in a heap: this makes one more */
	p.ranges.items[0x100].start = 0x700900;
	assert_int_equal(unwind_jvm_mark(p.jvm, &p.ranges), 0);
	assert_int_equal(p.ranges.n, UNWIND_RANGES);
	assert_int_equal(n_heaps_marked(&p), 0);
	end_process(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_read),
		cmocka_unit_test(places_of_inlined_methods_are_read),
		cmocka_unit_test(what_is_missing_is_not_guessed),
		cmocka_unit_test(random_words_do_no_harm),
		cmocka_unit_test(a_machine_that_cannot_be_read_does_not_start_for_ever),
		cmocka_unit_test(a_machine_that_starts_is_read_again),
		cmocka_unit_test(too_many_ranges_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
