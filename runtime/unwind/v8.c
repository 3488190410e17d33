/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V8 in files: see runtimes.h. It describes itself to debuggers by variables v8dbg_*, which each
 * program or library with V8 exports, stripped or not: a value in each. Those that a walk needs are
 * read here, by their names. If one is missing, or is not what the walk expects of all versions,
 * frames keep the names of V8's own code.
 */
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/runtimes.h"
#include <stddef.h>
#include <unistd.h>

#define PREFIX "v8dbg_"

enum {
	WORD = 8,
	IDS_BEHIND = 2 * WORD, /* from Script.line_ends to the member after Script.id */
	SCOPE_HEAD = WORD,     /* before the members of a ScopeInfo that have a number */
};

/* What is looked for: the value of the variable with that name, or whose name begins so, if it ends
 * with an underscore. `is`: all versions have that value. */
enum fact {
	FP_FUNCTION,
	FP_CONTEXT,
	FUNCTION_SHARED,
	SHARED_NAME,
	SHARED_SCRIPT,
	SCRIPT_NAME,
	SCRIPT_LINE_ENDS,
	SCRIPT_EVAL_FROM,
	SCOPE_COUNT,
	SCOPE_FIRST,
	MAP_TYPE,
	TEXT_LENGTH,
	ONE_BYTE_CHARS,
	TWO_BYTE_CHARS,
	CONS_FIRST,
	CONS_SECOND,
	SLICED_PARENT,
	SLICED_OFFSET,
	THIN_ACTUAL,
	TYPE_SHARED,
	TYPE_SCOPE,
	TYPE_SCRIPT,
	N_FACTS,
	IS, /* the value must be `is` */
};

static const struct row {
	const char *name;
	uint8_t fact;
	uint8_t is;
} rows[] = {
	{"off_fp_function", FP_FUNCTION, 0},
	{"off_fp_context", FP_CONTEXT, 0},
	{"class_JSFunction__shared__", FUNCTION_SHARED, 0},
	{"class_SharedFunctionInfo__name_or_scope_info__", SHARED_NAME, 0},
	{"class_SharedFunctionInfo__script_or_debug_info__", SHARED_SCRIPT, 0}, /* up to 12.0 */
	{"class_SharedFunctionInfo__script__", SHARED_SCRIPT, 0},
	{"class_Script__name__", SCRIPT_NAME, 0},
	{"class_Script__line_ends__", SCRIPT_LINE_ENDS, 0},
	{"class_Script__eval_from_shared_or_wrapped_arguments__", SCRIPT_EVAL_FROM, 0},
	{"class_Script__eval_from_shared_or_wrapped_arguments_or_sfi_table__", SCRIPT_EVAL_FROM,
	 0}, /* 10 */
	{"scopeinfo_idx_ncontextlocals", SCOPE_COUNT, 0},
	{"scopeinfo_idx_first_vars", SCOPE_FIRST, 0},
	{"class_Map__instance_type__", MAP_TYPE, 0},
	{"class_String__length__", TEXT_LENGTH, 0},
	{"class_SeqOneByteString__chars__", ONE_BYTE_CHARS, 0},
	{"class_SeqTwoByteString__chars__", TWO_BYTE_CHARS, 0},
	{"class_ConsString__first__", CONS_FIRST, 0},
	{"class_ConsString__second__", CONS_SECOND, 0},
	{"class_SlicedString__parent__", SLICED_PARENT, 0},
	{"class_SlicedString__offset__", SLICED_OFFSET, 0},
	{"class_ThinString__actual__", THIN_ACTUAL, 0},
	{"type_SharedFunctionInfo__", TYPE_SHARED, 0},
	{"type_ScopeInfo__", TYPE_SCOPE, 0},
	{"type_Script__", TYPE_SCRIPT, 0},
	{"class_HeapObject__map__", IS, 0},
	{"TaggedSize", IS, WORD}, /* pointers are not compressed */
	{"HeapObjectTag", IS, V8_TAG},
	{"HeapObjectTagMask", IS, V8_TAG_MASK},
	{"SmiTag", IS, 0},
	{"SmiTagMask", IS, 1},
	{"SmiShiftSize", IS, 31},
	{"FirstNonstringType", IS, V8_NO_STRING},
	{"StringRepresentationMask", IS, V8_KIND_MASK},
	{"SeqStringTag", IS, V8_SEQUENTIAL},
	{"ConsStringTag", IS, V8_CONS},
	{"ExternalStringTag", IS, V8_EXTERNAL},
	{"SlicedStringTag", IS, V8_SLICED},
	{"ThinStringTag", IS, V8_THIN},
	{"StringEncodingMask", IS, V8_ONE_BYTE},
	{"OneByteStringTag", IS, V8_ONE_BYTE},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };
_Static_assert(N_ROWS < 64, "a bit for each row");

struct facts {
	const struct elf_file *f;
	int64_t value[N_FACTS];
	uint64_t found, differs; /* bits of rows */
};

static bool is_named(const char *name, const char *want)
{
	size_t n = strlen(want);

	return want[n - 1] == '_' ? !strncmp(name, want, n) : !strcmp(name, want);
}

static void note_variable(const char *name, uint64_t address, uint64_t offset, uint64_t size,
			  void *ctx)
{
	struct facts *facts = ctx;
	int32_t value = 0; /* in .bss */

	(void)offset;
	if (strncmp(name, PREFIX, strlen(PREFIX)) || size != sizeof(value))
		return;
	for (uint32_t i = 0; i < N_ROWS; i++) {
		if (!is_named(name + strlen(PREFIX), rows[i].name))
			continue;
		elfsym_read_address(facts->f, address, &value, sizeof(value));
		facts->found |= 1ull << i;
		if (rows[i].fact != IS)
			facts->value[rows[i].fact] = value;
		else if (value != rows[i].is)
			facts->differs |= 1ull << i;
	}
}

/* What the walk can use: from `least` to `most`, and a multiple of `unit`. */
static const struct {
	int32_t least, most;
	uint32_t unit;
} limits[N_FACTS] = {
	[FP_FUNCTION] = {-V8_FRAME, -WORD, WORD},
	[FP_CONTEXT] = {-V8_FRAME, -WORD, WORD},
	[FUNCTION_SHARED] = {WORD, V8_OBJECT - WORD, WORD},
	[SHARED_NAME] = {WORD, V8_OBJECT - WORD, WORD},
	[SHARED_SCRIPT] = {WORD, V8_OBJECT - WORD, WORD},
	[SCRIPT_NAME] = {WORD, V8_SCRIPT - WORD, WORD},
	[SCRIPT_LINE_ENDS] = {WORD, V8_SCRIPT - WORD, WORD},
	[SCRIPT_EVAL_FROM] = {WORD, V8_SCRIPT - WORD, WORD},
	[SCOPE_COUNT] = {1, 4, 1},
	[SCOPE_FIRST] = {2, 7, 1},
	[MAP_TYPE] = {0, WORD + 6, 1},
	[TEXT_LENGTH] = {WORD, V8_TEXT - 4, 4},
	[ONE_BYTE_CHARS] = {WORD, V8_TEXT - 4, 4},
	[TWO_BYTE_CHARS] = {WORD, V8_TEXT - 4, 4},
	[CONS_FIRST] = {WORD, V8_TEXT - WORD, WORD},
	[CONS_SECOND] = {WORD, V8_TEXT - WORD, WORD},
	[SLICED_PARENT] = {WORD, V8_TEXT - WORD, WORD},
	[SLICED_OFFSET] = {WORD, V8_TEXT - WORD, WORD},
	[THIN_ACTUAL] = {WORD, V8_TEXT - WORD, WORD},
	[TYPE_SHARED] = {V8_NO_STRING, UINT16_MAX - 1, 1},
	[TYPE_SCOPE] = {V8_NO_STRING, UINT16_MAX - 1, 1},
	[TYPE_SCRIPT] = {V8_NO_STRING, UINT16_MAX - 1, 1},
};

/* The walk reads both in the same way: the second one is the first plus `add`, or plus `or_add`. */
static const struct {
	enum fact first, second;
	int32_t add, or_add;
} pairs[] = {
	{SCRIPT_LINE_ENDS, SCRIPT_EVAL_FROM, IDS_BEHIND, IDS_BEHIND},
	/* where a function begins and ends is between, since 13 */
	{SCOPE_COUNT, SCOPE_FIRST, 1, 3},
	{ONE_BYTE_CHARS, TWO_BYTE_CHARS, 0, 0},
	{CONS_FIRST, SLICED_PARENT, 0, 0},
	{CONS_FIRST, THIN_ACTUAL, 0, 0},
	{CONS_SECOND, SLICED_OFFSET, 0, 0},
};

static const char *name_of(enum fact fact)
{
	uint32_t i = 0;

	while (rows[i].fact != fact)
		i++;
	return rows[i].name;
}

/* The name of a variable that is missing, or is not as the walk expects; NULL: there is none. */
static const char *find_unknown(const struct facts *facts)
{
	const int64_t *v = facts->value;
	uint32_t found = 0;

	for (uint32_t i = 0; i < N_ROWS; i++) {
		if (rows[i].fact != IS)
			found |= (uint32_t)(facts->found >> i & 1) << rows[i].fact;
		else if (!(facts->found >> i & 1) || facts->differs >> i & 1)
			return rows[i].name;
	}
	for (uint32_t i = 0; i < N_FACTS; i++)
		if (!(found >> i & 1) || v[i] < limits[i].least || v[i] > limits[i].most ||
		    v[i] % limits[i].unit)
			return name_of(i);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		int64_t add = v[pairs[i].second] - v[pairs[i].first];

		if (add != pairs[i].add && add != pairs[i].or_add)
			return name_of(pairs[i].second);
	}
	return NULL;
}

static void use_facts(const int64_t *v, struct unwind_v8 *out)
{
	bool is_before = v[SCOPE_FIRST] - v[SCOPE_COUNT] > 1;

	*out = (struct unwind_v8){
		.runtime = UNWIND_V8,
		.frame_function = (uint16_t)(V8_FRAME + v[FP_FUNCTION]),
		.frame_context = (uint16_t)(V8_FRAME + v[FP_CONTEXT]),
		.function_shared = (uint16_t)v[FUNCTION_SHARED],
		.shared_name = (uint16_t)v[SHARED_NAME],
		.shared_script = (uint16_t)v[SHARED_SCRIPT],
		.script_name = (uint16_t)v[SCRIPT_NAME],
		.script_id = (uint16_t)(v[SCRIPT_LINE_ENDS] + WORD),
		.scope_count = (uint16_t)(SCOPE_HEAD + v[SCOPE_COUNT] * WORD),
		.scope_first = (uint16_t)(SCOPE_HEAD + v[SCOPE_FIRST] * WORD),
		.scope_start = is_before ? (uint16_t)(SCOPE_HEAD + (v[SCOPE_COUNT] + 1) * WORD) : 0,
		.map_type = (uint16_t)v[MAP_TYPE],
		.text_length = (uint16_t)v[TEXT_LENGTH],
		.text_chars = (uint16_t)v[ONE_BYTE_CHARS],
		.text_next = (uint16_t)v[CONS_FIRST],
		.text_more = (uint16_t)v[CONS_SECOND],
		.type_shared = (uint16_t)v[TYPE_SHARED],
		.type_scope = (uint16_t)v[TYPE_SCOPE],
		.type_script = (uint16_t)v[TYPE_SCRIPT],
	};
}

int unwind_runtime_find_v8(const struct elf_file *f, struct unwind_v8 *out, const char **unknown)
{
	struct facts facts = {.f = f};
	struct elfsym *e;
	int err;

	*out = (struct unwind_v8){0};
	*unknown = NULL;
	if (!unwind_runtime_may_export(f, "v8dbg_off_fp_function") ||
	    !unwind_runtime_may_export(f, "v8dbg_SmiTag"))
		return 0;
	err = unwind_runtime_symbols(f, &e);
	if (!e)
		return err;
	err = elfsym_each_object(e, note_variable, &facts);
	elfsym_close(e);
	if (!err && facts.found)
		*unknown = find_unknown(&facts);
	if (!err && facts.found && !*unknown)
		use_facts(facts.value, out);
	return err == -ENOMEM ? err : 0;
}
