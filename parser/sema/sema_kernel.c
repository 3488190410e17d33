/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of functions that the kernel answers while the script is checked: addresses of its
 * symbols, cgroups, kernel functions. The answer replaces the call. Also the address spaces that
 * kptr() and uptr() give to an address.
 */
#include "parser/sema/sema_type.h"
#include <errno.h>

/* ---- addresses --------------------------------------------------------------------------- */

/* The address of a symbol of the kernel. If there is none: `otherwise`, or 0 after an error. */
static uint64_t symbol_address(struct sema *s, const struct expr *name,
			       const struct expr *otherwise)
{
	uint64_t address = 0;
	int err = s->kernel->kernel_symbol
			  ? s->kernel->kernel_symbol(s->kernel, name->string.text, &address)
			  : -ENOENT;

	if (!err)
		return address;
	if (err == -ENOENT && otherwise)
		return (uint64_t)otherwise->integer.value;
	sema_error(s, name->span, "unknown-symbol", "Failed to resolve kernel symbol: %s",
		   name->string.text);
	if (err == -EPERM)
		sema_hint(s, "the kernel hides addresses from this user: run as root, and see "
			     "'sysctl kernel.kptr_restrict'");
	else if (err == -ENOENT)
		sema_hint(s, "/proc/kallsyms lists the symbols that this kernel has");
	else
		sema_hint(s, "%s", strerror(-err));
	return 0;
}

const struct type *chk_kaddr(struct sema *s, struct expr *e)
{
	const struct expr *otherwise = e->call.n_args > 1 ? e->call.args[1] : NULL;
	uint64_t address = symbol_address(s, e->call.args[0], otherwise);

	return address || otherwise ? sema_become(s, e, ast_int(s->arena, e->span, address))
				    : sema_word(false);
}

/* Code adds what the kernel's table has for the processor to the symbol's address. */
const struct type *chk_percpu_kaddr(struct sema *s, struct expr *e)
{
	struct expr *table = ast_string(s->arena, e->call.args[0]->span, "__per_cpu_offset", 16);

	if (!e->call.known[0])
		e->call.known[0] = symbol_address(s, e->call.args[0], NULL);
	if (e->call.known[0] && !e->call.known[1])
		e->call.known[1] = symbol_address(s, table, NULL);
	return type_tagged(s->arena, false, NSECS_BOOT, SPACE_KERNEL);
}

static const struct type *in_space(struct sema *s, struct expr *e, enum type_space space)
{
	const struct type *t = e->call.args[0]->type;

	if (t->kind == TY_ERROR)
		return t;
	if (t->kind == TY_POINTER)
		return type_pointer(s->arena, t->to, space);
	return type_tagged(s->arena, t->is_signed, NSECS_BOOT, space);
}

const struct type *chk_kptr(struct sema *s, struct expr *e)
{
	return in_space(s, e, SPACE_KERNEL);
}

const struct type *chk_uptr(struct sema *s, struct expr *e)
{
	return in_space(s, e, SPACE_USER);
}

/* ---- cgroups ----------------------------------------------------------------------------- */

const struct type *chk_cgroupid(struct sema *s, struct expr *e)
{
	const struct expr *path = e->call.args[0];
	uint64_t id = 0;
	int err = s->kernel->cgroup_id ? s->kernel->cgroup_id(s->kernel, path->string.text, &id)
				       : -ENOENT;

	if (!err)
		return sema_become(s, e, ast_int(s->arena, e->span, id));
	sema_error(s, path->span, "no-cgroup",
		   err == -EINVAL ? "'%s' is not a directory of cgroups" : "cannot open '%s': %s",
		   path->string.text, strerror(-err));
	sema_hint(s, "write the directory of a cgroup, as in \"/sys/fs/cgroup/system.slice\"");
	return sema_word(false);
}

const struct type *chk_cgroup_path(struct sema *s, struct expr *e)
{
	const struct expr *filter = e->call.n_args > 1 ? e->call.args[1] : NULL;
	struct type *t = arena_new_of(s->arena, struct type);

	*t = (struct type){.kind = TY_CGROUP,
			   .size = 8,
			   .align = 8,
			   .format = filter ? filter->string.text : NULL};
	return t;
}

/* ---- sockets, packets -------------------------------------------------------------------- */

/* The verifier must know the type of the pointer: that of an argument itself. In probes that do not
 * have the function, sema_check.c reports that alone. */
static const struct type *check_argument(struct sema *s, struct expr *call, uint32_t n,
					 const char *type, const char *usage)
{
	const struct expr *arg = call->call.args[n];
	bool is_args = arg->kind == EX_FIELD && ast_is_args(arg->field.object);

	for (uint32_t i = 0; i < s->probe->n_points; i++)
		if (!builtin_exists_in(call->call.builtin, s->probe->points[i].id))
			return chk_none(s, call);
	for (uint32_t i = 0; is_args && i < s->probe->n_points; i++) {
		const struct tp_pointee *to = &arg->field.fields[i]->to;
		const char *text = to->text ?: "";

		text += strncmp(text, "const ", 6) ? 0 : 6;
		is_args = to->levels == 1 && strcmp(text, type) == 0;
	}
	if (is_args && !sema_is_open_end(s))
		return chk_none(s, call);
	sema_error(s, arg->span, "arg-type", "%s needs an argument of the probe here, a %s *",
		   call->call.name, type);
	sema_hint(s, "write %s; sonde -lv shows the types", usage);
	return chk_none(s, call);
}

const struct type *chk_socket_cookie(struct sema *s, struct expr *e)
{
	return check_argument(s, e, 0, "struct sock", "socket_cookie(args.sk)");
}

/* Without --unsafe a script writes only below the current folder. Whether the path gets there
 * through a link is found out when the file is created. */
static void check_path(struct sema *s, const struct expr *path)
{
	const char *text = path->string.text;

	if (path->kind != EX_STRING || s->program->unsafe)
		return;
	if (*text != '/' && strncmp(text, "../", 3) != 0 && !strstr(text, "/../"))
		return;
	sema_error(s, path->span, "needs-unsafe",
		   "skboutput() writes to a file that is not below the current folder");
	sema_hint(s, "give a path below it; the option --unsafe allows any file");
}

const struct type *chk_skboutput(struct sema *s, struct expr *e)
{
	check_path(s, e->call.args[0]);
	return check_argument(s, e, 1, "struct sk_buff",
			      "skboutput(path, args.skb, length, offset)");
}

/* ---- kernel functions --------------------------------------------------------------------- */

static bool exists(struct sema *s, const char *name)
{
	const struct typed_function *f;
	int err = s->kernel->typed ? s->kernel->typed(s->kernel, TYPED_FUNCTION, NULL, name, &f)
				   : -ENOENT;

	return !err || err == -ENOTUNIQ;
}

const struct type *chk_kfunc_exist(struct sema *s, struct expr *e)
{
	return sema_become(s, e,
			   ast_bool(s->arena, e->span, exists(s, e->call.args[0]->string.text)));
}

/* Whether the programs of all attach points may call it. */
const struct type *chk_kfunc_allowed(struct sema *s, struct expr *e)
{
	const char *name = e->call.args[0]->string.text;
	bool is_allowed = s->probe->n_points && s->kernel->kfunc_allowed && exists(s, name);

	for (uint32_t i = 0; is_allowed && i < s->probe->n_points; i++) {
		enum plan_prog_kind kind = probe_rows[s->probe->points[i].id].program;

		is_allowed = s->kernel->kfunc_allowed(s->kernel, name, prog_rows[kind].section);
	}
	return sema_become(s, e, ast_bool(s->arena, e->span, is_allowed));
}
