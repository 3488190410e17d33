/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C types in a script, such as `struct ns::item`: the types that they mean, and hints for
 * those that mean none.
 */
#include "parser/sema/sema_type.h"
#include <errno.h>

static const struct {
	const char *word;
	enum c_kind kind;
} tag_words[] = {{"struct ", C_STRUCT}, {"union ", C_UNION}, {"enum ", C_ENUM}};

/* The name after `struct` and the like, which *kind says; all of it, of a typedef. */
static const char *bare_name(const char *name, enum c_kind *kind)
{
	*kind = C_TYPEDEF;
	for (size_t i = 0; i < sizeof(tag_words) / sizeof(*tag_words); i++)
		if (strncmp(name, tag_words[i].word, strlen(tag_words[i].word)) == 0) {
			*kind = tag_words[i].kind;
			return name + strlen(tag_words[i].word);
		}
	return name;
}

/* The program that a probe of user functions is on, whose types are meant there. */
static const char *program_of(const struct probe *p)
{
	const struct attach_point *point = p && p->n_points ? &p->points[0] : NULL;

	return point && point_has(point, ARM_USER) && point->n_targets ? point->targets[0].path
								       : NULL;
}

const struct type *struct_named(struct sema *s, const char *name)
{
	struct c_types *c = s->program->c_types;
	enum c_kind kind;
	const char *file = program_of(s->probe), *bare = bare_name(name, &kind);
	const struct type *t = NULL;

	if (file && !c_types_own(c, kind, bare))
		t = c_types_find_user(c, file, name);
	t = t ? t : c_types_find(c, kind, bare);
	return t || kind != C_TYPEDEF ? t : c_types_number(bare);
}

/* By zstd, so that the types of the probe's program cannot be read. */
static bool is_compressed(struct sema *s, const char *name)
{
	const char *file = program_of(s->probe);
	const struct type *t;

	return file && s->kernel->user_c_type &&
	       s->kernel->user_c_type(s->kernel, file, name, &t) == -EPROTONOSUPPORT;
}

/* `n_word`: the length of `struct ` in the name. */
static void hint_near_type(struct sema *s, struct nearest *near, enum c_kind kind, int n_word,
			   const char *name)
{
	if (!near->best && s->kernel->each_c_type)
		s->kernel->each_c_type(s->kernel, kind, nearest_offer_name, near);
	if (near->best && strcmp(near->best, name + n_word) == 0)
		diag_hint(s->diags, "it is declared, but not defined");
	else if (near->best)
		diag_hint(s->diags, "did you mean '%.*s%s'?", n_word, name, near->best);
	else if (s->kernel->recording)
		diag_hint(s->diags, "a recording has no types of the kernel");
	else if (!kernel_has(s->kernel, CAP_BTF))
		diag_hint(s->diags, "this kernel has no type information (BTF)");
	else
		diag_hint(s->diags,
			  "neither the script nor the type information of the kernel has it");
}

void struct_unknown(struct sema *s, struct span span, const char *name)
{
	struct c_types *c = s->program->c_types;
	enum c_kind kind;
	const char *bare = bare_name(name, &kind);
	struct nearest near;

	sema_error(s, span, "unknown-type", "unknown type '%s'", name);
	if (!s->report)
		return;
	nearest_init(&near, bare);
	if (kind == C_TYPEDEF)
		type_offer_names(&near, nearest_offer);
	for (uint32_t i = 0; i < c->n_names; i++)
		if (c->names[i].type && c->names[i].kind == kind)
			nearest_offer(&near, c->names[i].name);
	if (c->more && c->more->hint(c->more, bare))
		diag_hint(s->diags, "%s", c->more->hint(c->more, bare));
	else if (is_compressed(s, name))
		diag_hint(s->diags,
			  "the debug information of %s is compressed by zstd, which libdw "
			  "cannot read here: objcopy --decompress-debug-sections",
			  program_of(s->probe));
	else if (strstr(bare, "::") || strchr(bare, '<'))
		diag_hint(s->diags, "names of C++ types are looked up in the debug information of "
				    "the probe's program, as the compiler wrote them there: "
				    "box<long unsigned int>");
	else if (kind == C_TYPEDEF && c_types_find(c, C_STRUCT, bare))
		diag_hint(s->diags, "write struct %s", bare);
	else
		hint_near_type(s, &near, kind, (int)(bare - name), name);
}
