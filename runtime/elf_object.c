/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of an ELF file by their names, for watchpoints, and where a running process has the
 * file. Symbol tables are read once through: a script has few watchpoints.
 */
#define _GNU_SOURCE
#include "elf_object.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(Elf *elf, const GElf_Shdr *table, const GElf_Sym *s, const char *name)
{
	const char *text;
	int type = GELF_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF ||
	    (type != STT_OBJECT && type != STT_FUNC && type != STT_NOTYPE))
		return false;
	text = elf_strptr(elf, table->sh_link, s->st_name);
	return text && strcmp(text, name) == 0;
}

static int find_in_table(Elf *elf, Elf_Scn *section, const char *name, struct user_object *out)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr h;
	GElf_Sym s;

	if (!data || !gelf_getshdr(section, &h) || !h.sh_entsize)
		return -ESRCH;
	for (size_t i = 0; i < h.sh_size / h.sh_entsize && gelf_getsym(data, (int)i, &s); i++)
		if (is_wanted(elf, &h, &s, name)) {
			out->address = s.st_value;
			out->size = s.st_size;
			return 0;
		}
	return -ESRCH;
}

static int find(Elf *elf, const char *name, struct user_object *out)
{
	Elf_Scn *section = NULL;
	int err = -ESRCH;
	GElf_Ehdr file;
	GElf_Shdr h;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &file))
		return -ENOEXEC;
	out->is_movable = file.e_type == ET_DYN;
	while (err && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &h) &&
		    (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
			err = find_in_table(elf, section, name, out);
	return err;
}

int elf_object_find(const char *path, const char *name, struct user_object *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	Elf *elf;

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	err = elf ? find(elf, name, out) : -ENOEXEC;
	elf_end(elf);
	close(fd);
	return err;
}

int elf_object_base(uint32_t pid, const char *path, uint64_t *base)
{
	char name[PATH_MAX + 128], *line = NULL;
	unsigned long long start, offset;
	int at = 0, err = -ESRCH;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	while (f && err && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &start, &offset, &at) == 2 &&
		    offset == 0 && strcmp(line + at, path) == 0) {
			*base = start;
			err = 0;
		}
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}
