/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See kernel_impl.h. Prototypes are those of BTF, of the functions that are global symbols of
 * .text: functions in other sections are programs, which scripts cannot call.
 */
#include "runtime/kernel/kernel_impl.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/bpf_import.h"
#include "parser/lang/kernel.h"
#include "runtime/base/memory_file.h"
#include "runtime/bpf/bpf_elf.h"
#include "runtime/kernel/btf_layout.h"
#include "runtime/kernel/c_compiler.h"
#include <fcntl.h>
#include <linux/btf.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the bytes --------------------------------------------------------------------------- */

enum { ARGS_MAX = 200 };

/* The newest first: see has_sections(). */
static const char *const compilers[] = {"clang-22", "clang-21", "clang-20", "clang-19",
					"clang-18", "clang-17", "clang-16", "clang"};

static const char *const fixed[] = {
	"-target",
	"bpf",
	"-mcpu=v3",
	"-O2",
	"-g",
	"-c",
	"-o",
	"-",
	"-Wno-everything",
#ifdef SONDE_MULTIARCH
	"-idirafter",
	("/usr/include/" SONDE_MULTIARCH), /* for <asm/types.h> */
#endif
#if defined(__x86_64__)
	"-D__TARGET_ARCH_x86",
#elif defined(__aarch64__)
	"-D__TARGET_ARCH_arm64",
#endif
};

static const void *compile(struct kernel *k, struct arena *a, const char *path, size_t *len,
			   const char **why)
{
	const char *argv[ARGS_MAX] = {
		c_compiler_find(a, compilers, sizeof(compilers) / sizeof(*compilers))};
	uint32_t n = 1;

	if (!argv[0]) {
		*why = "compiling it needs clang: install the package clang";
		return NULL;
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		argv[n++] = fixed[i];
	for (uint32_t i = 0; i < k->n_include_dirs && n + 4 < ARGS_MAX; i++) {
		argv[n++] = "-I";
		argv[n++] = k->include_dirs[i];
	}
	argv[n] = path;
	return c_compiler_run(a, argv, "", true, len, why);
}

static const void *read_object(struct arena *a, const char *path, size_t *len, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *bytes = NULL, *copy = NULL;

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		*why = "it is not a file";
	else if (fd < 0 || !(bytes = memory_file_bytes(fd, LIMIT_SCRIPT_BYTES, len)))
		*why = errno == EFBIG ? "it is too large" : strerror(errno);
	if (bytes)
		copy = arena_strndup(a, bytes, *len);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return copy;
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct object {
	struct arena *arena;
	struct bpf_import *import;
	struct bpf_elf elf;
};

/* Is there such a function that other objects can call? It becomes hidden. */
static bool take_symbol(struct object *o, const char *name)
{
	for (uint32_t i = 0; i < o->elf.n_symbols; i++) {
		Elf64_Sym *s = (Elf64_Sym *)(uintptr_t)&o->elf.symbols[i];

		if (!bpf_elf_is_function(&o->elf, s) || ELF64_ST_BIND(s->st_info) == STB_LOCAL ||
		    strcmp(bpf_elf_section_name(&o->elf, s->st_shndx), ".text") != 0 ||
		    strcmp(bpf_elf_symbol_name(&o->elf, s), name) != 0)
			continue;
		s->st_other = (unsigned char)((s->st_other & ~3) | STV_HIDDEN);
		return true;
	}
	return false;
}

/* ---- prototypes -------------------------------------------------------------------------- */

enum { LEVELS_MAX = 8 };

/* False: no type that a script can pass. */
static bool read_base(struct bpf_type *t, const struct btf_types *types, const struct btf_type *b)
{
	uint32_t encoding;

	if (!b) {
		t->base = BPF_BASE_VOID;
		return true;
	}
	t->name = btf_types_string(types, b->name_off);
	t->size = b->size;
	switch (BTF_INFO_KIND(b->info)) {
	case BTF_KIND_INT:
		encoding = BTF_INT_ENCODING(*(const uint32_t *)(b + 1));
		t->base = BPF_BASE_INT;
		t->is_signed = encoding & BTF_INT_SIGNED;
		t->is_bool = encoding & BTF_INT_BOOL;
		t->is_char = encoding & BTF_INT_CHAR;
		return t->size <= 8 || t->levels;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: t->base = BPF_BASE_ENUM; return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		t->base =
			BTF_INFO_KIND(b->info) == BTF_KIND_UNION ? BPF_BASE_UNION : BPF_BASE_STRUCT;
		return t->levels;
	case BTF_KIND_FWD:
		t->base = BTF_INFO_KFLAG(b->info) ? BPF_BASE_UNION : BPF_BASE_STRUCT;
		t->size = 0;
		return t->levels;
	default: return false;
	}
}

static bool read_type(struct bpf_type *t, struct btf_layouts *s, uint32_t id)
{
	const struct btf_type *b = btf_types_plain(s->types, id);

	*t = (struct bpf_type){.name = "", .type = btf_layouts_type(s, id)};
	while (b && BTF_INFO_KIND(b->info) == BTF_KIND_PTR) {
		b = btf_types_plain(s->types, b->type);
		if (++t->levels > LEVELS_MAX)
			return false;
	}
	return read_base(t, s->types, b);
}

static const char *read_prototype(struct bpf_function *f, struct btf_layouts *s,
				  const struct btf_type *proto)
{
	const struct btf_param *params = (const struct btf_param *)(proto + 1);
	uint32_t n = BTF_INFO_VLEN(proto->info);

	if (!read_type(&f->result, s, proto->type))
		return "its result is neither a number nor an address";
	if (n > BPF_PARAMS)
		return "it has more than 5 parameters";
	for (f->n_params = 0; f->n_params < n; f->n_params++) {
		struct bpf_type *t = &f->params[f->n_params];

		if (!read_type(t, s, params[f->n_params].type))
			return "a parameter is neither a number nor an address of a simple type";
		if (t->base == BPF_BASE_VOID && !t->levels)
			return "it has a variable number of parameters";
	}
	return NULL;
}

static void add_function(struct object *o, struct btf_layouts *s, const struct btf_type *t)
{
	const struct btf_type *proto = btf_types_at(s->types, t->type);
	struct bpf_function f = {
		.name = arena_strdup(o->arena, btf_types_string(s->types, t->name_off))};

	if (!proto || BTF_INFO_KIND(proto->info) != BTF_KIND_FUNC_PROTO ||
	    BTF_INFO_VLEN(t->info) != BTF_FUNC_GLOBAL || !take_symbol(o, f.name))
		return;
	f.obstacle = read_prototype(&f, s, proto);
	arena_push(o->arena, o->import->functions, o->import->n_functions, f);
}

static bool has_section(const struct object *o, const char *name)
{
	/* of names that the kernel defines */
	return bpf_elf_find(&o->elf, name) || strcmp(name, ".ksyms") == 0 ||
	       strcmp(name, ".kconfig") == 0;
}

/* Old clang (14) describes small constants as in .rodata, and puts them into .rodata.cst4: the
 * kernel refuses such BTF when the objects have been linked. */
static bool has_sections(const struct object *o, const struct btf_types *types)
{
	for (uint32_t id = types->first; id < types->first + types->n; id++) {
		const struct btf_type *t = btf_types_at(types, id);

		if (t && BTF_INFO_KIND(t->info) == BTF_KIND_DATASEC &&
		    !has_section(o, btf_types_string(types, t->name_off)))
			return false;
	}
	return true;
}

/* Layouts of structs are completed when a script needs them. It is not in the script's arena, which
 * ends before the kernel is closed. */
struct bpf_object_types {
	struct btf_raw raw;
	struct btf_types types;
	struct btf_layouts layouts;
	struct bpf_object_types *next;
};

static const char *read_functions(struct object *o, struct bpf_object_types **list)
{
	struct bpf_object_types *of = calloc(1, sizeof(*of));

	if (!of)
		return "no memory is left";
	of->next = *list;
	*list = of;
	if (btf_raw_init(&of->raw, bpf_elf_bytes(&o->elf, o->elf.btf),
			 o->elf.sections[o->elf.btf].sh_size) ||
	    btf_types_init(&of->types, &of->raw, NULL))
		return "its BTF is damaged";
	btf_layouts_init(&of->layouts, &of->types, NULL, o->arena);
	if (!has_sections(o, &of->types))
		return "its BTF names a section that it does not have, as clang before 16 writes "
		       "it: compile it with a newer one";
	for (uint32_t id = of->types.first; id < of->types.first + of->types.n; id++) {
		const struct btf_type *t = btf_types_at(&of->types, id);

		if (t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC)
			add_function(o, &of->layouts, t);
	}
	return NULL;
}

void bpf_object_forget(struct bpf_object_types *list)
{
	while (list) {
		struct bpf_object_types *next = list->next;

		btf_layouts_free(&list->layouts);
		btf_types_free(&list->types);
		free(list);
		list = next;
	}
}

const char *bpf_object_read(struct kernel *k, struct arena *a, struct bpf_import *import,
			    struct bpf_object_types **list)
{
	struct object o = {.arena = a, .import = import};
	size_t n = strlen(import->path);
	bool is_c = n > 2 && strcmp(import->path + n - 2, ".c") == 0;
	const char *why = NULL;
	const void *bytes;

	bytes = is_c ? compile(k, a, import->path, &import->len, &why)
		     : read_object(a, import->path, &import->len, &why);
	if (!bytes)
		return why;
	why = bpf_elf_open(&o.elf, bytes, import->len);
	if (!why && !o.elf.btf)
		why = "it has no BTF: compile it with -g";
	if (!why)
		why = read_functions(&o, list);
	if (!why)
		import->unsafe_use = unsafe_use_find(a, &o.elf, &(*list)->types);
	import->bytes = why ? NULL : bytes;
	return why;
}
