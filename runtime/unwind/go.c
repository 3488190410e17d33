/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of Go files: see go.h. The layout is that of struct pcHeader and struct _func in Go's
 * runtime/symtab.go and runtime/runtime2.go. For each function the table has
 *
 *   flags      TOPFRAME: the outermost function of a stack. SPWRITE: it sets rsp to something
 *              else, as those do that switch stacks. ASM: it was written in assembly.
 *   distances  pairs of differences (distance from rsp to the return address, bytes of code).
 *
 * On x86-64, a function with a frame stores rbp below the return address, at CFA - 16. A function
 * written in assembly may omit this, and may use rbp for something else.
 *
 * Functions that set rsp call code that runs on another stack. If such a function has a frame, rbp
 * leads to the frame, which is on the caller's stack. Without a frame it has no rows, and walks use
 * the frame pointer. Up to Go 1.20, assembly that needs no frame gets none; in these versions,
 * systemstack and asmcgocall have rules of their own. The offsets in Go's structs that these rules
 * need are read from the instructions of the two functions.
 *
 * On arm64, the distance is from sp to the CFA, and is 0 while the return address is in x30. A
 * frame has it in the word at sp, and x29 in the word below, to which x29 points then. So a frame
 * pointer leads through functions that set sp, but for the same two: up to Go 1.20, they set x29,
 * too.
 */
#include "runtime/unwind/go.h"
#include "runtime/unwind/cfi.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/reader.h"
#include "runtime/unwind/rules.h"

enum {
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,
	WORD = 8,
	HEADER_BYTES = 8 + 8 * WORD,
	/* entry of the table of functions: offset of the code, offset of the description */
	ENTRY_BYTES = 8,
	NAME_AT = 4, /* offset of the name in the description */
	DISTANCES_AT = 16,
	FLAGS_AT_118 = 37,
	FLAGS_AT_120 = 41,
	FUNCTION_BYTES = 44,
	FLAG_TOPFRAME = 1,
	FLAG_SPWRITE = 2,
	FLAG_ASM = 4,
	DISTANCE_MAX = 1 << 30,
	CODE_BYTES = 256, /* largest size of functions that switch stacks */
	PROLOGUE_BYTES = 16,
};

/* Functions to which the general rules do not apply. */
enum special {
	ORDINARY,
	OUTERMOST,
	SIGNAL_RETURN,
	SIGNAL_HANDLER,
	/* functions in assembly that store rbp where compiled functions do; on arm64, x29 and x30
	 * where an instruction tells */
	KEEPS_RBP,
	SYSTEM_STACK,
	C_STACK,
};

static const struct {
	const char *name;
	enum special special;
} specials[] = {
	/* It runs on the stack of a thread, for a goroutine that may continue elsewhere in the
	 * meantime. */
	{"runtime.mcall", OUTERMOST},
	{"runtime.morestack", OUTERMOST},
	{"runtime.systemstack", SYSTEM_STACK},
	{"runtime.asmcgocall", C_STACK},
	{"runtime.asmcgocall_landingpad", KEEPS_RBP},
	{"crosscall2", KEEPS_RBP},
	/* the return address of a signal handler */
	{"runtime.sigreturn", SIGNAL_RETURN},
	{"runtime.sigreturn__sigaction", SIGNAL_RETURN},
	/* it has the flag TOPFRAME, but returns to sigreturn */
	{"runtime.sigtramp", SIGNAL_HANDLER},
	{"runtime.cgoSigtramp", SIGNAL_HANDLER},
};

static struct reader reader_at(const struct go_table *t, uint64_t offset)
{
	uint64_t at = offset < t->n ? offset : t->n;

	return (struct reader){t->bytes + at, t->bytes + t->n, false};
}

static uint32_t u32_at(const struct go_table *t, uint64_t offset)
{
	struct reader r = reader_at(t, offset);

	return reader_u32(&r);
}

static enum special special_of(const struct go_table *t, uint32_t function)
{
	struct reader name = reader_at(t, t->names + u32_at(t, function + (uint64_t)NAME_AT));

	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		size_t n = strlen(specials[i].name) + 1;

		if (reader_left(&name) >= n && !memcmp(name.at, specials[i].name, n))
			return specials[i].special;
	}
	return ORDINARY;
}

/* Read the header of the table. Returns false if its format is not known. */
static bool read_header(struct go_table *t, uint64_t *text)
{
	struct reader r = reader_at(t, 0);
	uint32_t magic = reader_u32(&r);
	uint64_t n_functions;

	if (t->n < HEADER_BYTES || t->n > UINT32_MAX || reader_u16(&r))
		return false;
	t->code_unit = reader_u8(&r);
	if ((t->code_unit != 1 && t->code_unit != 4) || reader_u8(&r) != WORD ||
	    (magic != MAGIC_118 && magic != MAGIC_120))
		return false;
	t->flags_at = magic == MAGIC_118 ? FLAGS_AT_118 : FLAGS_AT_120;
	n_functions = reader_u64(&r);
	reader_u64(&r); /* files */
	*text = reader_u64(&r);
	t->names = reader_u64(&r);
	reader_u64(&r); /* compilation units */
	reader_u64(&r); /* names of files */
	t->distances = reader_u64(&r);
	t->functions = reader_u64(&r);
	if (t->names >= t->n || t->distances >= t->n || t->functions >= t->n ||
	    n_functions >= (t->n - t->functions) / ENTRY_BYTES)
		return false;
	t->n_functions = (uint32_t)n_functions;
	return true;
}

bool go_is_table(const uint8_t *bytes, size_t n)
{
	struct go_table t = {.bytes = bytes, .n = n};
	uint64_t text;
	/* tested first, since the caller tries each word of a section */
	uint32_t magic = u32_at(&t, 0);

	return (magic == MAGIC_118 || magic == MAGIC_120) && read_header(&t, &text) &&
	       t.n_functions;
}

/* Does one of the functions start at that offset of the code? */
static bool has_function(const struct go_table *t, uint64_t offset)
{
	uint32_t first = 0, end = t->n_functions;

	while (first < end) {
		uint32_t middle = first + (end - first) / 2;
		uint32_t here = u32_at(t, t->functions + (uint64_t)middle * ENTRY_BYTES);

		if (here == offset)
			return true;
		if (here < offset)
			first = middle + 1;
		else
			end = middle;
	}
	return false;
}

static int add_function(struct cfi *c, const struct go_table *t, uint64_t text, uint32_t i)
{
	uint64_t entry = t->functions + (uint64_t)i * ENTRY_BYTES;
	uint32_t start = u32_at(t, entry), end = u32_at(t, entry + ENTRY_BYTES);
	uint64_t function = t->functions + u32_at(t, entry + 4), offset;

	offset = text + start - c->segments[0].address;
	if (end <= start || offset > UINT32_MAX || function + FUNCTION_BYTES > t->n)
		return 0;
	/* The return address of a signal handler is the start of this function, and lookups
	 * subtract 1. */
	if (special_of(t, (uint32_t)function) == SIGNAL_RETURN && offset) {
		offset--;
		start--;
	}
	return cfi_add_fde(c, (struct cfi_fde){.start = (uint32_t)offset,
					       .bytes = end - start,
					       .cie = CFI_GO,
					       .program = (uint32_t)function});
}

int go_add_functions(struct cfi *c, struct go_table *t, const uint8_t *bytes, size_t n,
		     uint64_t text, uint64_t entry)
{
	uint64_t own_text;
	int err = 0;

	*t = (struct go_table){.machine = c->machine,
			       .bytes = bytes,
			       .n = n,
			       .read_code = t->read_code,
			       .file = t->file};
	if (!c->n_segments || !read_header(t, &own_text))
		return 0;
	if (!own_text && !has_function(t, entry - text))
		return 0;
	c->go = t;
	for (uint32_t i = 0; i < t->n_functions && !err; i++)
		err = add_function(c, t, own_text ? own_text : text, i);
	return err;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* arm64: how a function with a frame is left. */
struct link_frame {
	uint8_t cfa;	  /* enum unwind_cfa */
	int16_t saved_at; /* where x29 and x30 are saved, from sp */
	int16_t curg;	  /* of UNWIND_GO_AT */
	int64_t bytes;	  /* of the frame in which they are saved; below it may be arguments of C */
};

/* Is there an instruction with these bits? The first one is in *out. */
static bool find_instruction(const uint8_t *code, size_t n, uint32_t mask, uint32_t bits,
			     uint32_t *out)
{
	for (size_t i = 0; i + sizeof(*out) <= n; i += sizeof(*out)) {
		memcpy(out, code + i, sizeof(*out));
		if ((*out & mask) == bits)
			return true;
	}
	return false;
}

static struct link_frame link_frame(const struct go_table *t, uint8_t flags, enum special special,
				    uint64_t start, uint64_t end)
{
	struct link_frame f = {.cfa = UNWIND_SP, .saved_at = -WORD};
	uint8_t code[CODE_BYTES];
	size_t n = end - start < sizeof(code) ? end - start : sizeof(code);
	uint32_t word;

	if (special != KEEPS_RBP && !(flags & FLAG_SPWRITE))
		return f;
	n = t->read_code(t->file, start, code, n);
	if (special == KEEPS_RBP) {
		if (find_instruction(code, n, 0xffc07fff, 0xa9007bfd, &word))
			f.saved_at = (int16_t)((int32_t)(word << 10) >> 25) *
				     WORD; /* stp x29, x30, [sp, N] */
		return f;
	}
	f.cfa = UNWIND_SWITCH_FP;
	if (!find_instruction(code, n, ~0u, 0xf940379d, &word)) /* ldr x29, [x28, 104] */
		return f;
	if (special == C_STACK) {
		f.cfa = UNWIND_GO_C;
	} else if (special == SYSTEM_STACK &&
		   find_instruction(code, n, 0xffc003ff, 0xf9400086, &word)) {
		f.cfa = UNWIND_GO_SYSTEM;
		f.curg = (int16_t)((word >> 10 & 0xfff) * WORD); /* ldr x6, [x4, N] */
	}
	return f;
}

static struct unwind_rule link_rule(const struct unwind_machine *m, int64_t distance,
				    const struct link_frame *f)
{
	struct unwind_rule rule = {.cfa = UNWIND_SP, .cfa_offset = (int32_t)distance};
	int64_t offset = (f->saved_at - f->bytes) / m->fp_unit;
	bool is_switch = f->cfa != UNWIND_SP;

	if (!distance)
		return rule;
	if (distance < 0 || distance > DISTANCE_MAX || offset != (int16_t)offset ||
	    (is_switch && f->bytes > INT16_MAX))
		return (struct unwind_rule){.cfa = UNWIND_NO_RULE};
	if (is_switch)
		return (struct unwind_rule){.cfa = f->cfa,
					    .cfa_offset = UNWIND_GO_AT(f->bytes, f->curg)};
	rule.fp_offset = (int16_t)offset;
	rule.saved = UNWIND_SAVED(UNWIND_FP_AT_CFA, UNWIND_EXTRA_AFTER_FP);
	return rule;
}

/* The rule where the return address is `distance` bytes above rsp. */
static struct unwind_rule rule_for(int64_t distance, uint8_t flags, enum special special)
{
	struct unwind_rule rule = {.cfa = UNWIND_SP};
	enum unwind_fp rbp = UNWIND_FP_SAME;

	if (distance < 0 || distance > DISTANCE_MAX)
		return (struct unwind_rule){.cfa = UNWIND_NO_RULE};
	rule.cfa_offset = (int32_t)distance + WORD;
	if (distance && flags & FLAG_SPWRITE)
		return (struct unwind_rule){.cfa = UNWIND_SWITCH_FP};
	if (distance && flags & FLAG_ASM && special != KEEPS_RBP) {
		rbp = UNWIND_FP_UNKNOWN;
	} else if (distance) {
		rbp = UNWIND_FP_AT_CFA;
		rule.fp_offset = -2 * (int)WORD;
	}
	rule.saved = UNWIND_SAVED(rbp, UNWIND_EXTRA_UNKNOWN);
	return rule;
}

/* Does the code make rbp a frame pointer, before it does anything else? */
static bool has_frame(const uint8_t *code, size_t n)
{
	n = n < PROLOGUE_BYTES ? n : PROLOGUE_BYTES;
	return memmem(code, n, "\x48\x89\xe5", 3) /* mov %rsp, %rbp */ ||
	       memmem(code, n, "\x48\x8d\x6c\x24", 4) /* lea N(%rsp), %rbp */;
}

/* Find the bytes in the code, and read the 32 bits after them. Returns false if they are not
 * there. */
static bool find_operand(const uint8_t *code, size_t n, const void *bytes, size_t n_bytes,
			 int32_t *out)
{
	const uint8_t *found = memmem(code, n, bytes, n_bytes);

	if (!found || (size_t)(code + n - found) < n_bytes + sizeof(*out))
		return false;
	memcpy(out, found + n_bytes, sizeof(*out));
	return true;
}

/* systemstack: mov %fs:TLS, %rax or mov $TLS, %rcx; then cmp CURG(%rbx), %rax. */
static struct unwind_rule system_stack_rule(const uint8_t *code, size_t n)
{
	int32_t tls, curg;

	if ((!find_operand(code, n, "\x64\x48\x8b\x04\x25", 5, &tls) &&
	     !find_operand(code, n, "\x48\xc7\xc1", 3, &tls)) ||
	    !find_operand(code, n, "\x48\x3b\x83", 3, &curg) || tls != (int16_t)tls ||
	    curg != (int16_t)curg)
		return (struct unwind_rule){.cfa = UNWIND_NO_RULE};
	return (struct unwind_rule){.cfa = UNWIND_GO_SYSTEM, .cfa_offset = UNWIND_GO_AT(tls, curg)};
}

/* asmcgocall: mov %rdi, 48(%rsp) and mov %rdi, 40(%rsp). */
static struct unwind_rule c_stack_rule(const uint8_t *code, size_t n)
{
	bool is_known = memmem(code, n, "\x48\x89\x7c\x24\x30", 5) &&
			memmem(code, n, "\x48\x89\x7c\x24\x28", 5);

	return (struct unwind_rule){.cfa = is_known ? UNWIND_GO_C : UNWIND_NO_RULE};
}

/* Set the rule of a function that sets rsp. Returns false if it has a frame: then the rule depends
 * on the address. */
static bool switch_rule(const struct go_table *t, enum special special, uint64_t start,
			uint64_t end, struct unwind_rule *out)
{
	uint8_t code[CODE_BYTES];
	size_t n = end - start < sizeof(code) ? end - start : sizeof(code);

	n = t->read_code(t->file, start, code, n);
	if (has_frame(code, n))
		return false;
	if (special == SYSTEM_STACK)
		*out = system_stack_rule(code, n);
	else if (special == C_STACK)
		*out = c_stack_rule(code, n);
	return true;
}

/* Set the rule that applies to a whole function, if there is one. */
static bool whole_rule(const struct unwind_machine *m, uint8_t flags, enum special special,
		       struct unwind_rule *out)
{
	if (special == SIGNAL_RETURN)
		*out = unwind_machine_signal(m, 0);
	else if (special == OUTERMOST || (flags & FLAG_TOPFRAME && special != SIGNAL_HANDLER))
		out->cfa = UNWIND_END;
	else
		return false;
	return true;
}

static int pack_rule(struct unwind_rules *rules, struct pack *out, uint64_t address,
		     struct unwind_rule rule)
{
	int index = unwind_rules_intern(rules, rule);

	return index < 0 ? index : pack_row(out, address, (uint32_t)index);
}

int go_pack_function(const struct go_table *t, uint32_t function, uint64_t start, uint64_t end,
		     struct unwind_rules *rules, struct pack *out)
{
	struct reader r = reader_at(t, function + t->flags_at);
	uint8_t flags = reader_u8(&r);
	enum special special = flags ? special_of(t, function) : ORDINARY;
	uint32_t at = u32_at(t, function + (uint64_t)DISTANCES_AT);
	struct unwind_rule rule = {0};
	struct link_frame frame = {0};
	int64_t distance = -1;
	int err = 0;

	if (whole_rule(t->machine, flags, special, &rule))
		return pack_rule(rules, out, start, rule);
	if (!t->machine->has_link && flags & FLAG_SPWRITE &&
	    switch_rule(t, special, start, end, &rule))
		return pack_rule(rules, out, start, rule);
	if (t->machine->has_link)
		frame = link_frame(t, flags, special, start, end);
	r = reader_at(t, t->distances + at);
	r.failed = !at; /* there are no pairs */
	while (!err && start < end) {
		uint32_t difference = (uint32_t)reader_uleb(&r);
		uint64_t bytes = reader_uleb(&r) * t->code_unit;

		distance += (int32_t)(difference >> 1 ^ -(difference & 1));
		if (r.failed || !bytes) /* the end of the pairs, or code without a row */
			return pack_row(out, start, UNWIND_RULE_NONE);
		frame.bytes = frame.bytes ?: distance;
		rule = t->machine->has_link ? link_rule(t->machine, distance, &frame)
					    : rule_for(distance, flags, special);
		err = pack_rule(rules, out, start, rule);
		start = bytes < end - start ? start + bytes : end;
	}
	return err;
}
