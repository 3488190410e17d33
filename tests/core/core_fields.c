/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_fields OBJECT...: are the members of kernel structs that these BPF objects read those of the running
 * kernel? For each CO-RE relocation, the member must exist in the kernel's BTF and have the same kind (unless the
 * object asks if it does: to libbpf a member of another kind does not exist). An integer must be declared unsigned: libbpf adapts the size of a load only if both
 * sides are. Where it cannot adapt (an address that is read by a helper), the
 * member has at least the size declared: its low bytes are read.
 * Prints what differs; exit status 1 if anything does.
 */
#include "runtime/bpf/bpf_elf.h"
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH_LEN = 256, MAX_ASKED = 256 };

struct member {
	uint32_t type; /* without modifiers */
	bool is_bitfield;
};

static struct btf *kernel;
static struct btf *object;
static const struct bpf_elf *elf;
static char asked[MAX_ASKED][MAX_PATH_LEN]; /* members whose existence the objects ask for */
static int n_asked, n_checked, n_wrong;

static uint32_t plain_type(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (btf_is_mod(t) || btf_is_typedef(t)) {
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	return id;
}

/* The member of that name, also within members without a name. */
static bool find_member(const struct btf *btf, uint32_t type, const char *name,
			struct member *found)
{
	const struct btf_type *t = btf__type_by_id(btf, plain_type(btf, type));
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		const char *its_name = btf__name_by_offset(btf, m[i].name_off);

		if (*its_name ? !strcmp(its_name, name)
			      : find_member(btf, m[i].type, name, found)) {
			if (*its_name)
				*found = (struct member){plain_type(btf, m[i].type),
							 btf_member_bitfield_size(t, i) != 0};
			return true;
		}
	}
	return false;
}

/* The kernel's struct or union of that name, up to "___". 0: there is none. */
static uint32_t kernel_struct(const char *name)
{
	const char *flavour = strstr(name, "___");
	size_t len = flavour ? (size_t)(flavour - name) : strlen(name);

	for (uint32_t i = 1; i < btf__type_cnt(kernel); i++) {
		const struct btf_type *t = btf__type_by_id(kernel, i);
		const char *its_name = btf__name_by_offset(kernel, t->name_off);

		if (btf_is_composite(t) && !strncmp(its_name, name, len) && !its_name[len])
			return i;
	}
	return 0;
}

/* Follow the relocation's path in both; false where the kernel lacks a member. */
static bool follow(const struct bpf_core_relo *relo, char *path, struct member *ours,
		   struct member *theirs)
{
	const char *at = strchr(bpf_elf_string(elf, relo->access_str_off), ':');
	const struct btf_type *t = btf__type_by_id(object, relo->type_id);
	const char *name = btf__name_by_offset(object, t->name_off);
	char *end = path + snprintf(path, MAX_PATH_LEN, "%s", name);
	bool is_there;

	*ours = (struct member){plain_type(object, relo->type_id), false};
	*theirs = (struct member){kernel_struct(name), false};
	is_there = theirs->type != 0;
	while (at) {
		uint32_t i = (uint32_t)strtoul(at + 1, NULL, 10);

		t = btf__type_by_id(object, ours->type);
		if (btf_is_array(t)) {
			ours->type = plain_type(object, btf_array(t)->type);
			t = is_there ? btf__type_by_id(kernel, theirs->type) : NULL;
			is_there = is_there && btf_is_array(t);
			if (is_there)
				theirs->type = plain_type(kernel, btf_array(t)->type);
		} else {
			name = btf__name_by_offset(object, btf_members(t)[i].name_off);
			*ours = (struct member){plain_type(object, btf_members(t)[i].type),
						btf_member_bitfield_size(t, i) != 0};
			end += snprintf(end, (size_t)(path + MAX_PATH_LEN - end), ".%s", name);
			is_there = is_there &&
				   (!*name || find_member(kernel, theirs->type, name, theirs));
		}
		at = strchr(at + 1, ':');
	}
	return is_there;
}

/* Kinds of equal use: an enum is an integer. */
static uint32_t kind_of(const struct btf_type *t)
{
	if (btf_is_any_enum(t))
		return BTF_KIND_INT;
	return btf_is_composite(t) ? BTF_KIND_STRUCT : btf_kind(t);
}

static bool is_same_kind(const struct member *ours, const struct member *theirs)
{
	return kind_of(btf__type_by_id(object, ours->type)) ==
	       kind_of(btf__type_by_id(kernel, theirs->type));
}

/* Why the member cannot be read as it is declared; NULL: it can. */
static const char *mismatch(const struct member *ours, const struct member *theirs, bool is_load)
{
	const struct btf_type *t = btf__type_by_id(object, ours->type),
			      *k = btf__type_by_id(kernel, theirs->type);
	long long size = btf__resolve_size(object, ours->type),
		  its_size = btf__resolve_size(kernel, theirs->type);

	if (ours->is_bitfield != theirs->is_bitfield)
		return "is a bit field on one side only";
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED)
		return "is declared as signed";
	if (kind_of(t) != BTF_KIND_INT || ours->is_bitfield || size == its_size)
		return NULL;
	if (!is_load)
		return size < its_size ? NULL : "is smaller than what is read";
	return btf_is_int(k) && btf_int_encoding(k) & BTF_INT_SIGNED
		       ? "has another size, and is signed"
		       : NULL;
}

static bool is_asked(const char *path)
{
	for (int i = 0; i < n_asked; i++)
		if (!strncmp(path, asked[i], strlen(asked[i])))
			return true;
	return false;
}

static void note_asked(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct bpf_core_relo *relo = record;
	struct member ours, theirs;

	if (relo->kind == BPF_CORE_FIELD_EXISTS && n_asked < MAX_ASKED)
		follow(relo, asked[n_asked++], &ours, &theirs);
}

static void check(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct bpf_insn *i = (const struct bpf_insn *)bpf_elf_bytes(elf, section) + insn;
	const struct bpf_core_relo *relo = record;
	struct member ours, theirs;
	char path[MAX_PATH_LEN];
	const char *wrong = NULL;

	if (relo->kind != BPF_CORE_FIELD_BYTE_OFFSET)
		return;
	n_checked++;
	if (!follow(relo, path, &ours, &theirs))
		wrong = is_asked(path) ? NULL : "is missing";
	else if (!is_same_kind(&ours, &theirs))
		wrong = is_asked(path) ? NULL : "is of another kind";
	else
		wrong = mismatch(&ours, &theirs, BPF_CLASS(i->code) == BPF_LDX);
	if (wrong)
		printf("%s %s\n", path, wrong);
	n_wrong += wrong != NULL;
}

static void check_object(const char *path, bpf_elf_record_fn *fn)
{
	static uint64_t bytes[1 << 18];
	struct bpf_elf e;
	FILE *f = fopen(path, "r");
	size_t len = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	const char *why = len ? bpf_elf_open(&e, bytes, len) : "cannot be read";

	if (why) {
		printf("%s: %s\n", path, why);
		exit(2);
	}
	fclose(f);
	elf = &e;
	object = btf__new(bpf_elf_bytes(&e, e.btf), (uint32_t)e.sections[e.btf].sh_size);
	if (!object)
		exit(2);
	bpf_elf_each(&e, BPF_ELF_CORE, fn, NULL);
	btf__free(object);
}

int main(int argc, char **argv)
{
	kernel = btf__load_vmlinux_btf();
	if (!kernel) {
		printf("no BTF of the kernel\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		check_object(argv[i], note_asked);
	for (int i = 1; i < argc; i++)
		check_object(argv[i], check);
	btf__free(kernel);
	printf("%d reads, %d wrong\n", n_checked, n_wrong);
	return n_wrong != 0;
}
