/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables by which V8 describes itself, as this program has them: a copy of its file is read
 * with other values. What the walk cannot use is refused, with the variable's name, and random
 * values do no harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/runtimes.h"

/* Names and values of node 20. */
#define FACTS(X)                                                      \
	X(off_fp_function, -16)                                       \
	X(off_fp_context, -8)                                         \
	X(class_JSFunction__shared__SharedFunctionInfo, 24)           \
	X(class_SharedFunctionInfo__name_or_scope_info__Object, 16)   \
	X(class_SharedFunctionInfo__script_or_debug_info__Object, 32) \
	X(class_Script__name__Object, 16)                             \
	X(class_Script__line_ends__Object, 56)                        \
	X(class_Script__eval_from_shared_or_wrapped_arguments__, 72)  \
	X(scopeinfo_idx_ncontextlocals, 2)                            \
	X(scopeinfo_idx_first_vars, 3)                                \
	X(class_Map__instance_type__uint16_t, 12)                     \
	X(class_String__length__int32_t, 12)                          \
	X(class_SeqOneByteString__chars__char, 16)                    \
	X(class_SeqTwoByteString__chars__char, 16)                    \
	X(class_ConsString__first__String, 16)                        \
	X(class_ConsString__second__String, 24)                       \
	X(class_SlicedString__parent__String, 16)                     \
	X(class_SlicedString__offset__SMI, 24)                        \
	X(class_ThinString__actual__String, 16)                       \
	X(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, 262)    \
	X(type_ScopeInfo__SCOPE_INFO_TYPE, 261)                       \
	X(type_Script__SCRIPT_TYPE, 167)                              \
	X(class_HeapObject__map__Map, 0)                              \
	X(TaggedSize, 8)                                              \
	X(HeapObjectTag, 1)                                           \
	X(HeapObjectTagMask, 3)                                       \
	X(SmiTag, 0)                                                  \
	X(SmiTagMask, 1)                                              \
	X(SmiShiftSize, 31)                                           \
	X(FirstNonstringType, 128)                                    \
	X(StringRepresentationMask, 7)                                \
	X(SeqStringTag, 0)                                            \
	X(ConsStringTag, 1)                                           \
	X(ExternalStringTag, 2)                                       \
	X(SlicedStringTag, 3)                                         \
	X(ThinStringTag, 5)                                           \
	X(StringEncodingMask, 8)                                      \
	X(OneByteStringTag, 8)

/* AddressSanitizer would make them larger. */
#ifdef SONDE_ASAN
#define PLAIN no_sanitize("address")
#else
#define PLAIN
#endif
#define VARIABLE(name, value) \
	int32_t v8dbg_##name  \
		__attribute__((used, visibility("default"), section(".data"), PLAIN)) = value;
FACTS(VARIABLE)

enum {
#define INDEX(name, value) AT_##name,
	FACTS(INDEX) N_FACTS
};

static const struct {
	const char *name;
	int32_t value;
} facts[] = {
#define ROW(name, value) {"v8dbg_" #name, value},
	FACTS(ROW)};

/* A copy of this program's file, its bytes, and where in it each value is. */
static struct elf_file file;
static uint8_t *bytes;
static uint64_t places[N_FACTS];

static void note_place(const char *name, uint64_t address, uint64_t offset, uint64_t size,
		       void *ctx)
{
	for (uint32_t i = 0; i < N_FACTS; i++)
		if (!strcmp(name, facts[i].name))
			places[i] = address;
}

/* The file offset of an address. */
static uint64_t offset_of(uint64_t address)
{
	for (uint32_t i = 0; i < file.n_sections; i++)
		if (file.sections[i].address && file.sections[i].type == SHT_PROGBITS &&
		    address - file.sections[i].address < file.sections[i].size)
			return file.sections[i].offset + address - file.sections[i].address;
	fail_msg("no section");
	return 0;
}

static int copy_own_file(void **state)
{
	int fd = memfd_create("copy", 0), own = open("/proc/self/exe", O_RDONLY);
	struct elfsym *e;
	struct stat st;

	assert_int_equal(fstat(own, &st), 0);
	while (sendfile(fd, own, NULL, 1 << 24) > 0)
		;
	close(own);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	assert_int_equal(elfsym_read_file(&file, fd), 0);
	assert_int_equal(unwind_runtime_symbols(&file, &e), 0);
	assert_int_equal(elfsym_each_object(e, note_place, NULL), 0);
	elfsym_close(e);
	for (uint32_t i = 0; i < N_FACTS; i++)
		places[i] = offset_of(places[i]);
	return 0;
}

static void set(uint32_t i, int32_t value)
{
	memcpy(bytes + places[i], &value, sizeof(value));
}

static void set_up(void)
{
	for (uint32_t i = 0; i < N_FACTS; i++)
		set(i, facts[i].value);
}

static struct unwind_v8 find(const char **unknown)
{
	struct unwind_v8 v;

	assert_int_equal(unwind_runtime_find_v8(&file, &v, unknown), 0);
	assert_true(!v.runtime == (*unknown != NULL));
	return v;
}

static void facts_are_read(void **state)
{
	const char *unknown;
	struct unwind_v8 v;

	set_up();
	v = find(&unknown);
	assert_int_equal(v.runtime, UNWIND_V8);
	assert_int_equal(v.frame_function, V8_FRAME - 16);
	assert_int_equal(v.script_id, 64);
	assert_int_equal(v.scope_count, 24);
	assert_int_equal(v.scope_first, 32);
	assert_int_equal(v.scope_start, 0);
	assert_int_equal(v.type_shared, 262);
	set(AT_scopeinfo_idx_first_vars, 5); /* version 13 */
	v = find(&unknown);
	assert_int_equal(v.scope_first, 48);
	assert_int_equal(v.scope_start, 32);
}

/* Each value that differs from what all versions have, or is out of bounds. */
static void what_is_unexpected_is_named(void **state)
{
	static const int32_t others[] = {-1, 6, 127, INT32_MIN, INT32_MAX};
	const char *unknown;

	for (uint32_t i = 0; i < N_FACTS; i++) {
		for (uint32_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
			if (i == AT_class_Map__instance_type__uint16_t && others[j] == 6)
				continue;
			set_up();
			set(i, others[j]);
			find(&unknown);
			assert_non_null(unknown);
		}
	}
	set_up();
	set(AT_SmiShiftSize, 0);
	find(&unknown);
	assert_string_equal(unknown, "SmiShiftSize");
	set_up();
	set(AT_class_SlicedString__offset__SMI, 16);
	find(&unknown);
	assert_string_equal(unknown, "class_SlicedString__offset__");
}

/* One name after the other is changed in the file's tables of strings. */
static void what_is_missing_is_named(void **state)
{
	uint64_t n = file.size;
	const char *unknown;

	set_up();
	for (uint32_t i = 0; i < N_FACTS; i++) {
		size_t length = strlen(facts[i].name) + 1;
		uint8_t *at = bytes, *hits[8];
		uint32_t n_hits = 0;

		while (n_hits < 8 &&
		       (at = memmem(at, n - (size_t)(at - bytes), facts[i].name, length))) {
			hits[n_hits++] = at;
			*at++ = 'V';
		}
		find(&unknown);
		assert_non_null(unknown);
		assert_memory_equal(facts[i].name + strlen("v8dbg_"), unknown, strlen(unknown));
		while (n_hits)
			*hits[--n_hits] = 'v';
	}
	assert_int_equal(find(&unknown).runtime, UNWIND_V8);
}

static void random_values_do_no_harm(void **state)
{
	static const int32_t values[] = {-64, -8, 0, 1, 3, 4, 8, 12, 16, 24, 28, 56, 64, 72, 4096};
	uint32_t n_read = 0;

	srand(7);
	for (uint32_t i = 0; i < 3000; i++) {
		const char *unknown;
		struct unwind_v8 v;

		set_up();
		for (int n = rand() % 4; n >= 0; n--)
			set((uint32_t)rand() % N_FACTS, rand() % 8 ? values[rand() % 15] : rand());
		v = find(&unknown);
		if (!v.runtime)
			continue;
		n_read++;
		assert_in_range(v.frame_function, 0, V8_FRAME - 8);
		assert_in_range(v.frame_context, 0, V8_FRAME - 8);
		assert_in_range(v.function_shared, 8, V8_OBJECT - 8);
		assert_in_range(v.shared_name, 8, V8_OBJECT - 8);
		assert_in_range(v.shared_script, 8, V8_OBJECT - 8);
		assert_in_range(v.script_name, 8, V8_SCRIPT - 8);
		assert_in_range(v.script_id, 8, V8_SCRIPT - 8);
		assert_in_range(v.scope_first, 24, 64);
		assert_in_range(v.text_length, 8, V8_TEXT - 4);
		assert_in_range(v.text_more, 8, V8_TEXT - 8);
		assert_in_range(v.map_type, 0, 14);
	}
	assert_in_range(n_read, 1, 2999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_read),
		cmocka_unit_test(what_is_unexpected_is_named),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(random_values_do_no_harm),
	};

	return cmocka_run_group_tests(tests, copy_own_file, NULL);
}
