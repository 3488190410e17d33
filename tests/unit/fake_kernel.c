/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of the unit tests (fake_kernel.h): facts, read as those of a facts file, and below
 * them hooks for what facts cannot say: errors, missing capabilities, code of functions, and
 * strings that are valid during a callback only. The formats are those of real kernels, with fewer
 * fields.
 */
#include "tests/unit/fake_kernel.h"
#include "runtime/output/out.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/sema/sema.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char facts_text[] =
	"capability BTF\n"
	"tracepoint sched:sched_switch raw\n"
	"ID: 372\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"tracepoint sched:sched_process_exec\n"
	"ID: 365\n"
	"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"tracepoint syscalls:sys_enter_openat\n"
	"ID: 782\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"tracepoint syscalls:sys_enter_getppid\n"
	"ID: 305\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"tracepoint syscalls:sys_exit_openat\n"
	"ID: 781\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"tracepoint syscalls:sys_enter_unheard_of\n"
	"ID: 999\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"tracepoint raw_syscalls:sys_enter\n"
	"ID: 443\n"
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
	"tracepoint skb:kfree_skb raw\n"
	"ID: 2310\n"
	"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned short protocol;\toffset:32;\tsize:2;\tsigned:0;\n"
	"raw sys_enter\n"
	"raw sys_exit\n"
	"symbol /bin/app main 0x401000 0x1000 64\n"
	"symbol /bin/app handle 0x401040 0x1040 32\n"
	"symbol /bin/app _start 0x401080 0x1080 32\n"
	"symbol /bin/app __handle 0x401040 0x1040 32\n"
	"symbol /bin/cpp _ZN2ns4findEi 0x1140 0x140 64\n"
	"symbol /bin/cpp _ZN2ns4findEii 0x1180 0x180 64\n"
	"symbol /bin/cpp _ZN2ns5twiceIiEET_S1_ 0x11c0 0x1c0 64\n"
	"symbol /bin/cpp _ZN2ns4findEi.cold 0x1040 0x40 8\n"
	"symbol /bin/cpp pick 0x1300 0x300 16\n"
	"symbol /srv/ptr _Z4seekPi 0x1100 0x100 32\n" /* seek(int*) */
	"symbol /srv/ptr _Z4seeki 0x1140 0x140 32\n"
	"symbol /srv/ptr _Z4seekPiS_ 0x1180 0x180 32\n" /* seek(int*, int*) */
	"symbol /bin/go main.work 0x1200 0x200 64\n"
	"symbol /bin/go main.spin 0x1240 0x240 64\n"
	"symbol /bin/go main.add.abi0 0x1280 0x280 32\n"
	"symbol /bin/go c_part 0x12c0 0x2c0 32\n"
	"symbol /srv/oldgo main.work 0x1200 0x200 64\n"
	"symbol /srv/oddgo main.work 0x1200 0x200 64\n"
	"symbol /opt/a:b run 0x401080 0x1080 32\n"
	"object /bin/app counter 0x404060\n"
	"go /bin/go\n"
	"go /srv/oldgo go1.16\n"
	"go /srv/oddgo unknown\n"
	"arguments /bin/app handle void int32:id double:part text:name lost:gone\n"
	"arguments /bin/app main void int32:argc int64:id\n"
#ifdef __aarch64__
	"usdt /bin/app app:begin 0x1010 0x3000 -4@w0;8@7\n"
	"usdt /bin/app app:end 0x1050 0 8@[x29,-8]\n"
	"usdt /bin/app app:end 0x1060 0 4@[x0]\n"
#else
	"usdt /bin/app app:begin 0x1010 0x3000 -4@%edi;8@$7\n"
	"usdt /bin/app app:end 0x1050 0 8@-8(%rbp)\n"
	"usdt /bin/app app:end 0x1060 0 4@counter(%rip)\n"
#endif
	"usdt /bin/app other:end 0x1070 0 -\n"
	"usdt /lib/one.so one:begin 0x1000 0 8@%xmm0\n"
	"mapped /bin/app\n"
	"mapped /lib/one.so\n"
	"mapped /lib/gone.so\n"
	"function vfs_read\n"
	"function vfs_write\n"
	"function thaw.isra.0\n"
	"function freeze.constprop.0\n"
	"function freeze.isra.1\n"
	"function __do_sys_pause\n"
	"function __ia32_sys_dup\n"
	"function __x64_sys_dup\n"
	"typed vmlinux vfs_read int64 ptr:file ptr:buf uint64:count struct:by_value\n"
	"typed vmlinux vfs_write int64 ptr:file ptr:buf uint64:count struct:by_value\n"
	"typed ext4 ext4_sync_file int32 ptr:file int32:datasync\n"
	"typed vmlinux nowhere_traceable void\n"
	"typed ext4 twice void\n"
	"typed xfs twice void\n"
	"typed bpf:17 filter int32 ptr:file\n"
	"typed bpf:18 filter int32 ptr:file\n"
	"typed-raw vmlinux sched_switch uint8:preempt ptr:prev uint32:prev_state\n"
	"typed-raw ext4 ext4_sync ptr:file int32:datasync\n"
	"iterator task_file meta:pointer task:pointer fd:u32\n";

/* The hooks that answer from the facts. */
static struct kernel answers;

static struct fake_kernel *fake(struct kernel *k)
{
	return (struct fake_kernel *)k;
}

/* ---- errors and missing capabilities ---- */

static int fake_tracepoint(struct kernel *k, const char *category, const char *event,
			   const struct tp_format **out)
{
	int err = fake(k)->tracepoint_err;

	return err ? err : answers.tracepoint(k, category, event, out);
}

static bool fake_has_raw_tracepoint(struct kernel *k, const char *name)
{
	return !fake(k)->has_no_btf && answers.has_raw_tracepoint(k, name);
}

static int fake_typed(struct kernel *k, enum typed_kind kind, const char *module, const char *name,
		      const struct typed_function **out)
{
	return fake(k)->has_no_btf ? -ENODEV : answers.typed(k, kind, module, name, out);
}

static int fake_iterator(struct kernel *k, const char *name, const struct kernel_iter **out)
{
	return fake(k)->has_no_btf ? -ENOTSUP : answers.iterator(k, name, out);
}

static int fake_kernel_function(struct kernel *k, const char *name)
{
	int err = fake(k)->function_err;

	return err ? err : answers.kernel_function(k, name);
}

static int fake_each_kernel_function(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	if (fake(k)->function_err)
		return fake(k)->function_err;
	fn("ext4_sync_file [ext4]", ctx); /* facts have no functions of modules */
	return answers.each_kernel_function(k, fn, ctx);
}

static int fake_user_symbol(struct kernel *k, const char *path, const char *symbol,
			    struct user_symbol *out)
{
	int err = fake(k)->symbol_err;

	if (err)
		return err;
	if (strcmp(path, "/bin/bare") == 0) { /* a stripped file */
		out->path = "/bin/bare";
		return -ESRCH;
	}
	err = answers.user_symbol(k, path, symbol, out);
	if (!err) {
		out->is_entry = strcmp(symbol, "_start") == 0;
		out->is_ifunc = strcmp(symbol, "pick") == 0;
	}
	return err;
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

/* ---- programs and libraries ---- */

static int fake_user_object(struct kernel *k, const char *path, const char *name,
			    struct user_object *out)
{
	int err = answers.user_object(k, path, name, out);

	out->size = 4;
	out->is_movable = true;
	return err;
}

/* Hands on names in a buffer that is overwritten after the call, as kernel.h allows. */
struct name_walk {
	user_function_fn *function;
	usdt_note_fn *note;
	void *ctx;
};

static void offer_function(const struct user_symbol *f, void *ctx)
{
	const struct name_walk *w = ctx;
	struct user_symbol s = *f;
	char name[32];

	snprintf(name, sizeof(name), "%s", f->symbol);
	s.symbol = name;
	s.is_entry = strcmp(name, "_start") == 0;
	s.is_ifunc = strcmp(name, "pick") == 0;
	(*w->function)(&s, w->ctx);
	memset(name, 'x', sizeof(name) - 1);
}

static int fake_each_user_function(struct kernel *k, const char *path, user_function_fn fn,
				   void *ctx)
{
	struct name_walk w = {.function = &fn, .ctx = ctx};

	answers.each_user_function(k, path, offer_function, &w);
	return 0;
}

static void offer_note(const struct usdt_note *note, void *ctx)
{
	const struct name_walk *w = ctx;
	struct usdt_note n = *note;
	char name[32];

	snprintf(name, sizeof(name), "%s", note->name);
	n.name = name;
	if (strcmp(n.path, "/bin/app") == 0)
		n.address += 0x400000; /* where its symbols are loaded; facts have one number */
	(*w->note)(&n, w->ctx);
	memset(name, 'x', sizeof(name) - 1);
}

static int fake_each_usdt(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx)
{
	struct name_walk w = {.note = &fn, .ctx = ctx};
	int err = answers.each_usdt(k, path, offer_note, &w);

	return strcmp(path, "/bin/bare") ? err : 0;
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
	out->path = path;
	out->offset = address - 0x400000;
	if (answers.user_function_at(k, path, address, out) == 0)
		return 0;
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

/* Two returns. ns::twice ends in a jump instead of the second. */
static int fake_each_user_exit(struct kernel *k, const struct user_symbol *f, user_exit_fn fn,
			       void *ctx, struct user_exits *out)
{
	bool is_twice = strcmp(f->symbol, "_ZN2ns5twiceIiEET_S1_") == 0;

	(void)k;
	out->unclear = 60;
	if (strcmp(f->symbol, "main.spin") == 0)
		return 0;
	if (strcmp(f->symbol, "pick") == 0)
		return -EDOM;
	fn(&(struct user_exit){.offset = 16}, ctx);
	fn(&(struct user_exit){.offset = 60,
			       .is_jump = is_twice,
			       .to = is_twice ? "ns::find(int)" : NULL,
			       .condition = is_twice ? 5 : 0},
	   ctx);
	return 0;
}

static bool fake_user_unwinds(struct kernel *k, const char *path)
{
	(void)k;
	return strcmp(path, "/bin/cpp") == 0;
}

static int fake_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	return k->scope->pid == 77 ? 0
				   : answers.each_mapped_file(k, fn, ctx); /* 77: a kernel thread */
}

void fake_kernel_init(struct fake_kernel *f)
{
	memset(f, 0, sizeof(*f));
	facts_init(&f->facts);
	f->facts.text = strdup(facts_text);
	if (!f->facts.text || facts_read(&f->facts, "fake_kernel.c"))
		abort();
	f->n_cpus = 4;
	answers = f->k;
	f->k.tracepoint = fake_tracepoint;
	f->k.has_raw_tracepoint = fake_has_raw_tracepoint;
	f->k.typed = fake_typed;
	f->k.iterator = fake_iterator;
	f->k.kernel_function = fake_kernel_function;
	f->k.each_kernel_function = fake_each_kernel_function;
	f->k.capability = fake_capability;
	f->k.n_cpus = fake_n_cpus;
	f->k.user_symbol = fake_user_symbol;
	f->k.user_object = fake_user_object;
	f->k.each_user_function = fake_each_user_function;
	f->k.each_usdt = fake_each_usdt;
	f->k.each_user_file = fake_each_user_file;
	f->k.user_function_at = fake_user_function_at;
	f->k.user_instruction = fake_user_instruction;
	f->k.each_user_exit = fake_each_user_exit;
	f->k.user_unwinds = fake_user_unwinds;
	f->k.each_mapped_file = fake_each_mapped;
	f->k.user_library = NULL; /* optional hooks that no test uses */
	f->k.each_user_line = NULL;
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
	if (w->program)
		w->program->unsafe = w->unsafe;
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
	facts_free(&w->kernel.facts);
	arena_free(w->arena);
}
