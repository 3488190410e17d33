/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug info, which LLVM turns into BTF: line info of programs (the kernel prints script lines in
 * the verifier log) and map definitions in the form that libbpf reads from section .maps. Every
 * DISubprogram must name its parameters, or the kernel rejects all BTF; the names of map globals
 * must be C identifiers.
 */
#include "codegen/gen.h"
#include <llvm-c/IRReader.h>

enum { DW_ATE_SIGNED = 5, DW_ATE_UNSIGNED = 7, DW_ATE_UNSIGNED_CHAR = 8 };

/* The text as a string of textual IR. */
static const char *quoted(struct gen *g, const char *text, uint32_t len)
{
	static const char hex[] = "0123456789abcdef";
	char *out = arena_alloc(g->arena, 3 * (size_t)len + 3), *at = out;

	*at++ = '"';
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
			*at++ = (char)c;
			continue;
		}
		*at++ = '\\';
		*at++ = hex[c / 16];
		*at++ = hex[c % 16];
	}
	*at = '"';
	return out;
}

/* Scripts with more lines have no line info in BTF: LLVM compares each line with all lines before
 * it. */
enum { MOST_LINES = 2000 };

/* A DIFile that contains the script's text. LLVM copies lines of it into BTF. Without the text,
 * LLVM would open the file, which the compile child may not do. LLVM's C API cannot set the text,
 * so it is parsed from textual IR. */
static LLVMMetadataRef file_with_text(struct gen *g, const struct source *s)
{
	uint32_t len = s->n_lines > MOST_LINES ? 0 : s->len;
	/* The text of -e must not be confused with a file of that name in the current directory. */
	const char *ir = arena_printf(
		g->arena,
		"!file = !{!0}\n!0 = !DIFile(filename: %s, directory: \"%s\", source: %s)\n",
		quoted(g, s->name, (uint32_t)strlen(s->name)), s->is_file ? "." : "/dev/null",
		quoted(g, s->text, len));
	LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "file");
	LLVMModuleRef module;
	LLVMValueRef node;
	char *message = NULL;

	if (LLVMParseIRInContext(g->llvm, buf, &module, &message)) { /* takes buf */
		LLVMDisposeMessage(message);
		return NULL;
	}
	LLVMGetNamedMetadataOperands(module, "file", &node);
	LLVMDisposeModule(module);
	return LLVMValueAsMetadata(node);
}

static LLVMMetadataRef script_file(struct gen *g)
{
	const struct source *s = g->program->source;
	LLVMMetadataRef file = file_with_text(g, s);

	return file ? file
		    : LLVMDIBuilderCreateFile(g->di, s->name, strlen(s->name), "/dev/null", 9);
}

void gen_di_begin(struct gen *g)
{
	g->di = LLVMCreateDIBuilder(g->module);
	g->di_file = script_file(g);
	g->di_unit =
		LLVMDIBuilderCreateCompileUnit(g->di, LLVMDWARFSourceLanguageC, g->di_file, "sonde",
					       5, true, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0,
					       false, false, "", 0, "", 0);
}

static LLVMMetadataRef di_int(struct gen *g, const char *name, unsigned bits, unsigned encoding)
{
	return LLVMDIBuilderCreateBasicType(g->di, name, strlen(name), bits, encoding,
					    LLVMDIFlagZero);
}

static LLVMMetadataRef di_pointer(struct gen *g, LLVMMetadataRef to)
{
	return LLVMDIBuilderCreatePointerType(g->di, to, 64, 64, 0, "", 0);
}

static LLVMMetadataRef di_array(struct gen *g, LLVMMetadataRef of, unsigned of_bits, uint32_t n)
{
	LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(g->di, 0, n);

	return LLVMDIBuilderCreateArrayType(g->di, (uint64_t)n * of_bits, of_bits, of, &range, 1);
}

/* A function whose result and n_params parameters have these types. */
static LLVMMetadataRef di_function(struct gen *g, LLVMValueRef fn, const char *name,
				   LLVMMetadataRef *types, unsigned n_params, const char *param,
				   unsigned line, bool is_static)
{
	LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(g->di, g->di_file, types,
								 n_params + 1, LLVMDIFlagZero);
	LLVMMetadataRef sub =
		LLVMDIBuilderCreateFunction(g->di, g->di_file, name, strlen(name), name,
					    strlen(name), g->di_file, line, type, is_static, true,
					    line, LLVMDIFlagPrototyped, true);

	for (unsigned i = 1; i <= n_params; i++)
		LLVMDIBuilderCreateParameterVariable(g->di, sub, param, strlen(param), i,
						     g->di_file, line, types[i], true,
						     LLVMDIFlagZero);
	LLVMSetSubprogram(fn, sub);
	return sub;
}

LLVMMetadataRef gen_di_program(struct gen *g, LLVMValueRef fn, const char *name, struct span span)
{
	LLVMMetadataRef word = di_int(g, "uint64", 64, DW_ATE_UNSIGNED);
	LLVMMetadataRef types[] = {di_int(g, "int32", 32, DW_ATE_SIGNED), di_pointer(g, word)};

	return di_function(g, fn, name, types, 1, "ctx",
			   source_place(g->program->source, span.start).line, false);
}

LLVMMetadataRef gen_di_body(struct gen *g, LLVMValueRef fn, const char *name, unsigned n_params,
			    struct span span)
{
	LLVMMetadataRef word = di_int(g, "uint64", 64, DW_ATE_UNSIGNED), at = di_pointer(g, word);
	LLVMMetadataRef types[] = {word, word, at, at, at, word};
	/* a function of bpf_helpers/ has no line of the script */
	unsigned line = span.end ? source_place(g->program->source, span.start).line : 0;

	return di_function(g, fn, name, types, n_params, "x", line, true);
}

LLVMValueRef gen_function_begin(struct gen *g, const char *name, LLVMTypeRef type, struct span span)
{
	g->body.fn = LLVMAddFunction(g->module, name, type);
	LLVMSetLinkage(g->body.fn, LLVMInternalLinkage);
	gen_no_unwind(g, g->body.fn);
	g->body.di_fn = gen_di_body(g, g->body.fn, name, LLVMCountParams(g->body.fn), span);
	g->body.entry = gen_block(g, "entry");
	g->body.start = gen_block(g, "body");
	LLVMPositionBuilderAtEnd(g->b, g->body.start);
	gen_location(g, span);
	return g->body.fn;
}

void gen_function_end(struct gen *g)
{
	LLVMPositionBuilderAtEnd(g->b, g->body.entry);
	LLVMBuildBr(g->b, g->body.start);
}

/* ---- maps -------------------------------------------------------------------------------- */

/* One member of a map's definition: a pointer, whose pointee encodes the value. */
struct member {
	const char *name;
	LLVMMetadataRef pointee;
};

static LLVMMetadataRef di_number(struct gen *g, uint32_t n)
{
	return di_array(g, di_int(g, "int32", 32, DW_ATE_SIGNED), 32, n);
}

/* A key or value of `size` bytes: an integer if it has 4 bytes, as array maps and task storage
 * require of keys; else an array of bytes. */
static LLVMMetadataRef di_bytes(struct gen *g, uint32_t size)
{
	if (size == 4)
		return di_int(g, "uint32", 32, DW_ATE_UNSIGNED);
	if (size == 8)
		return di_int(g, "uint64", 64, DW_ATE_UNSIGNED);
	return di_array(g, di_int(g, "uint8", 8, DW_ATE_UNSIGNED_CHAR), 8, size);
}

static LLVMMetadataRef di_definition(struct gen *g, const struct member *members, unsigned n)
{
	LLVMMetadataRef fields[5];

	for (unsigned i = 0; i < n; i++)
		fields[i] = LLVMDIBuilderCreateMemberType(g->di, g->di_unit, members[i].name,
							  strlen(members[i].name), g->di_file, 0,
							  64, 64, i * 64, LLVMDIFlagZero,
							  di_pointer(g, members[i].pointee));
	return LLVMDIBuilderCreateStructType(g->di, g->di_unit, "", 0, g->di_file, 0, n * 64, 64,
					     LLVMDIFlagZero, NULL, fields, n, 0, NULL, "", 0);
}

LLVMValueRef gen_di_map(struct gen *g, const char *name, unsigned map_type, unsigned flags,
			uint32_t max_entries, uint32_t key_size, uint32_t value_size)
{
	const struct member members[] = {
		{"type", di_number(g, map_type)},   {"max_entries", di_number(g, max_entries)},
		{"map_flags", di_number(g, flags)}, {"key", di_bytes(g, key_size)},
		{"value", di_bytes(g, value_size)},
	};
	LLVMTypeRef type = LLVMArrayType(g->ptr, 5);
	LLVMValueRef map = LLVMAddGlobal(g->module, type, name);
	LLVMMetadataRef di;

	LLVMSetInitializer(map, LLVMConstNull(type));
	LLVMSetSection(map, ".maps");
	LLVMSetAlignment(map, 8);
	di = LLVMDIBuilderCreateGlobalVariableExpression(
		g->di, g->di_unit, name, strlen(name), "", 0, g->di_file, 0,
		di_definition(g, members, 5), false, LLVMDIBuilderCreateExpression(g->di, NULL, 0),
		NULL, 64);
	LLVMGlobalSetMetadata(map, LLVMGetMDKindIDInContext(g->llvm, "dbg", 3), di);
	return map;
}
