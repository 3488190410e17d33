/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake kernel (fake_kernel.h). Its tables are small enough to be read as a whole; the formats
 * are those of real kernels, with fewer fields.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/sema/sema.h"
#include <errno.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define INT(name_, type, at, n, sign) \
	{.name = name_, .type_text = type, .offset = at, .size = n, .is_signed = sign}
#define CHARS(name_, at, n)       \
	{.name = name_,           \
	 .type_text = "char[16]", \
	 .offset = at,            \
	 .size = n,               \
	 .elem_size = 1,          \
	 .is_char_array = true}

static struct tp_field switch_fields[] = {
	CHARS("prev_comm", 8, 16),
	INT("prev_pid", "pid_t", 24, 4, true),
	INT("prev_state", "long", 32, 8, true),
	CHARS("next_comm", 40, 16),
	INT("next_pid", "pid_t", 56, 4, true),
};

static struct tp_field exec_fields[] = {
	{.name = "filename",
	 .type_text = "__data_loc char[]",
	 .offset = 8,
	 .size = 4,
	 .is_data_loc = true},
	INT("pid", "pid_t", 12, 4, true),
};

static struct tp_field openat_fields[] = {
	INT("__syscall_nr", "int", 8, 4, true),
	INT("filename", "const char *", 24, 8, false),
	INT("flags", "int", 32, 8, false),
};

static struct tp_field exit_fields[] = {
	INT("__syscall_nr", "int", 8, 4, true),
	INT("ret", "long", 16, 8, true),
};

static struct tp_field enter_fields[] = {
	INT("id", "long", 8, 8, true),
	{.name = "args", .type_text = "unsigned long[6]", .offset = 16, .size = 48, .elem_size = 8},
};

static struct tp_field skb_fields[] = {
	INT("skbaddr", "void *", 8, 8, false),
	INT("protocol", "unsigned short", 32, 2, false),
};

#define FORMAT(category_, event_, id_, fields_) \
	{.category = category_,                 \
	 .event = event_,                       \
	 .id = id_,                             \
	 .fields = fields_,                     \
	 .n_fields = COUNT(fields_)}

static const struct tp_format formats[] = {
	FORMAT("sched", "sched_switch", 372, switch_fields),
	FORMAT("sched", "sched_process_exec", 365, exec_fields),
	FORMAT("syscalls", "sys_enter_openat", 782, openat_fields),
	FORMAT("syscalls", "sys_enter_getppid", 305, exit_fields),
	FORMAT("syscalls", "sys_exit_openat", 781, exit_fields),
	FORMAT("syscalls", "sys_enter_unheard_of", 999, exit_fields),
	FORMAT("raw_syscalls", "sys_enter", 443, enter_fields),
	FORMAT("skb", "kfree_skb", 2310, skb_fields),
};

static const char *const raw_names[] = {"sched_switch", "sys_enter", "sys_exit", "kfree_skb"};

static const struct user_symbol symbols[] = {
	{.path = "/bin/app", .symbol = "main", .address = 0x401000, .offset = 0x1000, .size = 64},
	{.path = "/bin/app", .symbol = "handle", .address = 0x401040, .offset = 0x1040, .size = 32},
	{.path = "/bin/app",
	 .symbol = "_start",
	 .address = 0x401080,
	 .offset = 0x1080,
	 .size = 32,
	 .is_entry = true},
	{.path = "/bin/app", .symbol = "__handle", .address = 0x401040, .offset = 0x1040},
	{.path = "/bin/cpp",
	 .symbol = "_ZN2ns4findEi",
	 .address = 0x1140,
	 .offset = 0x140,
	 .size = 64},
	{.path = "/bin/cpp",
	 .symbol = "_ZN2ns4findEii",
	 .address = 0x1180,
	 .offset = 0x180,
	 .size = 64},
	{.path = "/bin/cpp",
	 .symbol = "_ZN2ns5twiceIiEET_S1_",
	 .address = 0x11c0,
	 .offset = 0x1c0,
	 .size = 64},
	{.path = "/bin/cpp", .symbol = "_ZN2ns4findEi.cold", .address = 0x1040, .offset = 0x40},
	{.path = "/bin/cpp",
	 .symbol = "pick",
	 .address = 0x1300,
	 .offset = 0x300,
	 .is_ifunc = true},
	{.path = "/bin/go", .symbol = "main.work", .address = 0x1200, .offset = 0x200, .size = 64},
	{.path = "/bin/go", .symbol = "main.spin", .address = 0x1240, .offset = 0x240, .size = 64},
	{.path = "/opt/a:b", .symbol = "run", .address = 0x401080, .offset = 0x1080, .size = 32},
};

static const struct usdt_note notes[] = {
	{.path = "/bin/app",
	 .provider = "app",
	 .name = "begin",
	 .args = "-4@%edi 8@$7",
	 .address = 0x401010,
	 .offset = 0x1010,
	 .semaphore = 0x3000},
	{.path = "/bin/app",
	 .provider = "app",
	 .name = "end",
	 .args = "8@-8(%rbp)",
	 .address = 0x401050,
	 .offset = 0x1050},
	{.path = "/bin/app",
	 .provider = "app",
	 .name = "end",
	 .args = "4@counter(%rip)",
	 .address = 0x401060,
	 .offset = 0x1060},
	{.path = "/bin/app",
	 .provider = "other",
	 .name = "end",
	 .args = "",
	 .address = 0x401070,
	 .offset = 0x1070},
	{.path = "/lib/one.so",
	 .provider = "one",
	 .name = "begin",
	 .args = "8@%xmm0",
	 .address = 0x1000,
	 .offset = 0x1000},
};

static struct fake_kernel *fake(struct kernel *k)
{
	return (struct fake_kernel *)k;
}

static int fake_tracepoint(struct kernel *k, const char *category, const char *event,
			   const struct tp_format **out)
{
	if (fake(k)->tracepoint_err)
		return fake(k)->tracepoint_err;
	for (size_t i = 0; i < COUNT(formats); i++)
		if (!strcmp(formats[i].category, category) && !strcmp(formats[i].event, event)) {
			*out = &formats[i];
			return 0;
		}
	return -ENOENT;
}

static int fake_each_tracepoint(struct kernel *k, const char *category, kernel_name_fn fn,
				void *ctx)
{
	char name[100];

	(void)k;
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (category && strcmp(formats[i].category, category) != 0)
			continue;
		snprintf(name, sizeof(name), "%s:%s", formats[i].category, formats[i].event);
		fn(name, ctx);
	}
	return 0;
}

static bool fake_has_raw_tracepoint(struct kernel *k, const char *name)
{
	for (size_t i = 0; i < COUNT(raw_names) && !fake(k)->has_no_btf; i++)
		if (!strcmp(raw_names[i], name))
			return true;
	return false;
}

static int fake_user_symbol(struct kernel *k, const char *path, const char *symbol,
			    struct user_symbol *out)
{
	int err = -ENOENT;

	if (fake(k)->symbol_err)
		return fake(k)->symbol_err;
	if (strcmp(path, "/bin/bare") == 0) { /* a stripped file */
		out->path = "/bin/bare";
		return -ESRCH;
	}
	for (size_t i = 0; i < COUNT(symbols); i++) {
		if (strcmp(symbols[i].path, path) != 0)
			continue;
		out->path = symbols[i].path;
		err = -ESRCH;
		if (!strcmp(symbols[i].symbol, symbol)) {
			*out = symbols[i];
			return 0;
		}
	}
	return err;
}

static int fake_user_object(struct kernel *k, const char *path, const char *name,
			    struct user_object *out)
{
	struct user_symbol s = {.path = "/bin/app", .address = 0x404060, .size = 4};
	int err = strcmp(path, s.path) == 0 && strcmp(name, "counter") == 0
			  ? 0
			  : fake_user_symbol(k, path, name, &s);

	*out = (struct user_object){.path = s.path,
				    .address = s.address,
				    .size = s.size,
				    .is_movable = true};
	return err;
}

static int fake_each_user_function(struct kernel *k, const char *path, user_function_fn fn,
				   void *ctx)
{
	char name[32]; /* handed over in a buffer that is gone afterwards, as kernel.h allows */

	(void)k;
	for (size_t i = 0; i < COUNT(symbols); i++)
		if (!strcmp(symbols[i].path, path)) {
			struct user_symbol s = symbols[i];

			snprintf(name, sizeof(name), "%s", symbols[i].symbol);
			s.symbol = name;
			fn(&s, ctx);
			memset(name, 'x', sizeof(name) - 1);
		}
	return 0;
}

static int fake_each_user_file(struct kernel *k, const char *pattern, kernel_name_fn fn, void *ctx)
{
	(void)k;
	if (strncmp(pattern, "/bin/", 5) != 0)
		return 0;
	fn("/bin/app", ctx);
	fn("/bin/no-elf", ctx);
	fn("/bin/go", ctx);
	return 0;
}

static int fake_user_function_at(struct kernel *k, const char *path, uint64_t address,
				 struct user_symbol *out)
{
	(void)k;
	out->path = path;
	out->offset = address - 0x400000;
	for (size_t i = 0; i < COUNT(symbols); i++)
		if (!strcmp(symbols[i].path, path) &&
		    address - symbols[i].address < symbols[i].size) {
			*out = symbols[i];
			return 0;
		}
	return address < 0x500000 ? -ESRCH : -EFAULT;
}

/* Instructions of four bytes. */
static int fake_user_instruction(struct kernel *k, const struct user_symbol *f, uint64_t offset,
				 uint64_t *before)
{
	(void)k;
	(void)f;
	*before = offset & ~3ull;
	return offset & 3 ? -EINVAL : 0;
}

static int fake_each_user_return(struct kernel *k, const struct user_symbol *f, user_place_fn fn,
				 void *ctx)
{
	(void)k;
	if (strcmp(f->symbol, "main.spin") == 0)
		return 0;
	fn(16, ctx);
	fn(60, ctx);
	return strcmp(f->symbol, "_ZN2ns5twiceIiEET_S1_") == 0;
}

static struct tp_field handle_params[] = {
	INT("id", "int", 0, 4, true),
	{.name = "part", .type_text = "double", .offset = TYPED_NO_PLACE},
	INT("name", "const char *", 8, 8, false),
	INT("gone", "int", TYPED_NO_PLACE, 4, true),
};

static struct tp_field main_params[] = {
	INT("argc", "int", 0, 4, true),
	INT("id", "long", 8, 8, true),
};

/* Debug information of /bin/app alone, in which _start is not. */
static int fake_user_typed(struct kernel *k, const char *path, uint64_t offset,
			   const struct typed_function **out)
{
	static const struct typed_function handle = {.name = "",
						     .module = "",
						     .params = handle_params,
						     .n_params = COUNT(handle_params)};
	static const struct typed_function start = {.name = "",
						    .module = "",
						    .params = main_params,
						    .n_params = COUNT(main_params)};

	(void)k;
	if (strcmp(path, "/bin/app") != 0)
		return -ENODATA;
	*out = offset == 0x1040 ? &handle : &start;
	return offset == 0x1040 || offset == 0x1000 ? 0 : -ESRCH;
}

static bool fake_user_unwinds(struct kernel *k, const char *path)
{
	(void)k;
	return strcmp(path, "/bin/cpp") == 0;
}

static bool fake_user_is_go(struct kernel *k, const char *path)
{
	(void)k;
	return strcmp(path, "/bin/go") == 0;
}

static bool fake_demangle(struct kernel *k, const char *symbol, bool with_parameters, char *out,
			  size_t size)
{
	static const struct {
		const char *symbol, *name, *with_parameters;
	} names[] = {
		{"_ZN2ns4findEi", "ns::find", "ns::find(int)"},
		{"_ZN2ns4findEii", "ns::find", "ns::find(int, int)"},
		{"_ZN2ns5twiceIiEET_S1_", "ns::twice<int>", "ns::twice<int>(int)"},
		{"_ZN2ns4findEi.cold", "ns::find [clone .cold]", "ns::find(int) [clone .cold]"},
	};

	(void)k;
	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcmp(names[i].symbol, symbol))
			return snprintf(out, size, "%s",
					with_parameters ? names[i].with_parameters
							: names[i].name) > 0;
	return false;
}

static int fake_each_usdt(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx)
{
	char name[32]; /* gone afterwards, as above */
	int err = strcmp(path, "/bin/bare") ? -ENOENT : 0;

	(void)k;
	for (size_t i = 0; i < COUNT(notes); i++) {
		struct usdt_note n = notes[i];

		if (strcmp(n.path, path) != 0)
			continue;
		err = 0;
		snprintf(name, sizeof(name), "%s", n.name);
		n.name = name;
		fn(&n, ctx);
		memset(name, 'x', sizeof(name) - 1);
	}
	return err;
}

static int fake_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	if (k->pid == 77) /* a kernel thread */
		return 0;
	fn("/bin/app", ctx);
	fn("/lib/one.so", ctx);
	fn("/lib/gone.so", ctx);
	return 0;
}

static int fake_kernel_function(struct kernel *k, const char *name)
{
	if (fake(k)->function_err)
		return fake(k)->function_err;
	return strcmp(name, "vfs_read") == 0 || strcmp(name, "vfs_write") == 0 ? 0 : -ENOENT;
}

static int fake_each_kernel_function(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	if (fake(k)->function_err)
		return fake(k)->function_err;
	fn("vfs_read", ctx);
	fn("vfs_write", ctx);
	fn("ext4_sync_file [ext4]", ctx);
	fn("thaw.isra.0", ctx);
	fn("freeze.constprop.0", ctx);
	fn("freeze.isra.1", ctx);
	fn("__do_sys_pause", ctx);
	fn("__ia32_sys_dup", ctx);
	fn("__x64_sys_dup", ctx);
	return 0;
}

static struct tp_field read_params[] = {
	INT("file", "struct file *", 0, 8, false),
	INT("buf", "char *", 8, 8, false),
	INT("count", "unsigned long", 16, 8, false),
	{.name = "by_value", .type_text = "struct thing", .offset = 24},
};

static struct tp_field sync_params[] = {
	INT("file", "struct file *", 0, 8, false),
	INT("datasync", "int", 8, 4, true),
};

static struct tp_field event_params[] = {
	INT("preempt", "bool", 0, 1, false),
	INT("prev", "struct task_struct *", 8, 8, false),
	INT("prev_state", "unsigned int", 16, 4, false),
};

static const struct fake_typed {
	enum typed_kind kind;
	struct typed_function f;
} typed[] = {
	{TYPED_FUNCTION,
	 {.name = "vfs_read",
	  .module = "vmlinux",
	  .btf_id = 7,
	  .params = read_params,
	  .n_params = 4,
	  .result = INT("", "long", 0, 8, true)}},
	{TYPED_FUNCTION,
	 {.name = "vfs_write",
	  .module = "vmlinux",
	  .btf_id = 8,
	  .params = read_params,
	  .n_params = 4,
	  .result = INT("", "long", 0, 8, true)}},
	{TYPED_FUNCTION,
	 {.name = "ext4_sync_file",
	  .module = "ext4",
	  .btf_id = 9,
	  .params = sync_params,
	  .n_params = 2,
	  .result = INT("", "int", 0, 4, true)}},
	{TYPED_FUNCTION,
	 {.name = "nowhere_traceable",
	  .module = "vmlinux",
	  .btf_id = 10,
	  .result = {.name = "", .type_text = "void"}}},
	{TYPED_FUNCTION, {.name = "twice", .module = "ext4", .btf_id = 11}},
	{TYPED_FUNCTION, {.name = "twice", .module = "xfs", .btf_id = 12}},
	{TYPED_FUNCTION,
	 {.name = "filter",
	  .module = "bpf",
	  .btf_id = 3,
	  .prog_id = 17,
	  .params = sync_params,
	  .n_params = 1,
	  .result = INT("", "int", 0, 4, true)}},
	{TYPED_FUNCTION,
	 {.name = "filter",
	  .module = "bpf",
	  .btf_id = 3,
	  .prog_id = 18,
	  .params = sync_params,
	  .n_params = 1,
	  .result = INT("", "int", 0, 4, true)}},
	{TYPED_TRACEPOINT,
	 {.name = "sched_switch",
	  .module = "vmlinux",
	  .btf_id = 20,
	  .params = event_params,
	  .n_params = 3}},
	{TYPED_TRACEPOINT,
	 {.name = "ext4_sync",
	  .module = "ext4",
	  .btf_id = 21,
	  .params = sync_params,
	  .n_params = 2}},
};

static int fake_typed(struct kernel *k, enum typed_kind kind, const char *module, const char *name,
		      const struct typed_function **out)
{
	bool has_module = !module;
	uint32_t n = 0;

	if (fake(k)->has_no_btf)
		return -ENODEV;
	for (size_t i = 0; i < COUNT(typed); i++) {
		const struct typed_function *f = &typed[i].f;

		has_module |= module && !strcmp(module, f->module);
		if (typed[i].kind != kind || f->prog_id || strcmp(f->name, name) ||
		    (module && strcmp(module, f->module)))
			continue;
		*out = f;
		n++;
	}
	return n == 1 ? 0 : n ? -ENOTUNIQ : has_module ? -ENOENT : -ESRCH;
}

static int fake_each_typed(struct kernel *k, enum typed_kind kind, const char *module,
			   kernel_name_fn fn, void *ctx)
{
	char text[64];

	(void)k;
	for (size_t i = 0; i < COUNT(typed); i++) {
		const struct typed_function *f = &typed[i].f;

		if (typed[i].kind != kind || f->prog_id || (module && strcmp(module, f->module)))
			continue;
		snprintf(text, sizeof(text), "%s [%s]", f->name, f->module);
		fn(strcmp(f->module, "vmlinux") ? text : f->name, ctx);
	}
	return 0;
}

static int fake_each_bpf_function(struct kernel *k, typed_function_fn fn, void *ctx)
{
	(void)k;
	for (size_t i = 0; i < COUNT(typed); i++)
		if (typed[i].f.prog_id)
			fn(&typed[i].f, ctx);
	return 0;
}

static int fake_iterator(struct kernel *k, const char *name, const struct kernel_iter **out)
{
	static struct iter_field fields[] = {
		{.name = "meta", .size = 8, .is_pointer = true},
		{.name = "task", .offset = 8, .size = 8, .is_pointer = true},
		{.name = "fd", .offset = 16, .size = 4},
	};
	static const struct kernel_iter iter = {"task_file", fields, COUNT(fields)};

	if (fake(k)->has_no_btf)
		return -ENOTSUP;
	*out = &iter;
	return strcmp(name, iter.name) == 0 ? 0 : -ENOENT;
}

static int fake_each_iterator(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	(void)k;
	fn("task_file", ctx);
	return 0;
}

static enum capability_state fake_capability(struct kernel *k, enum capability_id id)
{
	bool lacks = (id == CAP_KPROBES || id == CAP_FENTRY) ? fake(k)->has_no_kprobes
		     : id == CAP_UPROBES		     ? fake(k)->has_no_uprobes
		     : id == CAP_BTF			     ? fake(k)->has_no_btf
							     : false;

	return lacks ? CAPABILITY_NO : CAPABILITY_YES;
}

static uint32_t fake_n_cpus(struct kernel *k)
{
	return fake(k)->n_cpus;
}

void fake_kernel_init(struct fake_kernel *f)
{
	*f = (struct fake_kernel){.n_cpus = 4,
				  .k = {
					  .tracepoint = fake_tracepoint,
					  .each_tracepoint = fake_each_tracepoint,
					  .has_raw_tracepoint = fake_has_raw_tracepoint,
					  .user_symbol = fake_user_symbol,
					  .user_object = fake_user_object,
					  .each_user_function = fake_each_user_function,
					  .each_user_file = fake_each_user_file,
					  .user_function_at = fake_user_function_at,
					  .user_instruction = fake_user_instruction,
					  .each_user_return = fake_each_user_return,
					  .user_is_go = fake_user_is_go,
					  .user_unwinds = fake_user_unwinds,
					  .user_typed = fake_user_typed,
					  .demangle = fake_demangle,
					  .each_usdt = fake_each_usdt,
					  .each_mapped_file = fake_each_mapped,
					  .kernel_function = fake_kernel_function,
					  .each_kernel_function = fake_each_kernel_function,
					  .typed = fake_typed,
					  .each_typed = fake_each_typed,
					  .each_bpf_function = fake_each_bpf_function,
					  .iterator = fake_iterator,
					  .each_iterator = fake_each_iterator,
					  .capability = fake_capability,
					  .n_cpus = fake_n_cpus,
				  }};
}

/* ---- the walk ---- */

void world_init(struct world *w)
{
	*w = (struct world){.arena = arena_new()};
	w->diags.arena = w->arena;
	fake_kernel_init(&w->kernel);
}

uint32_t world_check(struct world *w, const char *text)
{
	w->diags.source = source_from_text(w->arena, "x.bt", text, strlen(text));
	w->program = parse(w->arena, w->diags.source, &w->diags);
	if (w->program && !w->diags.n_errors)
		sema_run(w->arena, w->program, &w->kernel.k, &w->diags);
	return w->diags.n_errors;
}

int world_resolve(struct world *w, const char *text, struct attach_point *out)
{
	struct probe_reader r = {w->arena, &w->diags, &w->kernel.k};
	struct attach_text t = {text, {7, 9}};

	printf("%s\n", text);
	return probe_resolve(&r, &t, out);
}

struct plan *world_plan(struct world *w, const char *text, const struct plan_options *options)
{
	struct plan_options none = {0};

	if (world_check(w, text)) {
		diags_print(&w->diags, stderr, false);
		return NULL;
	}
	w->plan = plan_make(w->arena, w->program, options ? options : &none, &w->diags);
	return w->plan;
}

void world_free(struct world *w)
{
	arena_free(w->arena);
}
