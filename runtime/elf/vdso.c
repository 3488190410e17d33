/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's vDSOs as files: see elfsym.h. That of 32-bit programs is not mapped in this process.
 * The kernel maps it on request (arch_prctl(2)) in a process that has no vDSO: in a child, which
 * has unmapped its own. It is not read from a 32-bit process, which could have changed it.
 */
#include "runtime/base/memory_file.h"
#include "runtime/base/proc_maps.h"
#include "runtime/elf/elfsym.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAPPINGS_MAX = 8, PAGE = 4096, PAGES_MAX = 64, BYTES_MAX = 1 << 20 };

static int open_own(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *h = (const void *)image;
	size_t size;

	if (!image || h->e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	size = h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
	return size > BYTES_MAX ? -EFBIG : memory_file("vdso", image, size);
}

#ifdef __x86_64__

enum { MAP_VDSO_32 = 0x2002 }; /* ARCH_MAP_VDSO_32; needs CONFIG_CHECKPOINT_RESTORE */

/* The mappings of a vDSO and its data. */
struct mappings {
	struct {
		uint64_t start, end;
	} at[MAPPINGS_MAX];
	size_t n;
};

static int note_mapping(const struct proc_mapping *m, void *ctx)
{
	struct mappings *all = ctx;

	if ((!strncmp(m->path, "[vdso", 5) || !strncmp(m->path, "[vvar", 5)) &&
	    all->n < MAPPINGS_MAX) {
		all->at[all->n].start = m->start;
		all->at[all->n++].end = m->end;
	}
	return 0;
}

/* In the child, which has one thread: store the vDSO in the file. It makes system calls only. */
static void store_vdso32(int fd, const struct mappings *own)
{
	char *at = (char *)(uintptr_t)(1 << 28), head[SELFMAG];
	long bytes;

	for (size_t i = 0; i < own->n; i++)
		munmap((void *)(uintptr_t)own->at[i].start, own->at[i].end - own->at[i].start);
	bytes = syscall(SYS_arch_prctl, MAP_VDSO_32, at);
	/* its data comes first; some of its pages cannot be read */
	for (int i = 0; bytes > 0 && i < PAGES_MAX; i++, at += PAGE)
		if (pwrite(fd, at, SELFMAG, 0) == SELFMAG &&
		    pread(fd, head, SELFMAG, 0) == SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
			_exit(pwrite(fd, at, (size_t)bytes, 0) != bytes);
	_exit(1);
}

static int open_vdso32(void)
{
	struct mappings own = {0};
	int fd, status = -1;
	pid_t pid;

	if (proc_maps_each(0, note_mapping, &own))
		return -ENOENT;
	fd = memfd_create("vdso32", MFD_CLOEXEC);
	pid = fd < 0 ? -1 : fork();
	if (!pid)
		store_vdso32(fd, &own);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

#else

static int open_vdso32(void)
{
	return -ENOENT;
}

#endif

int elfsym_open_vdso(unsigned word)
{
	return word == 4 ? open_vdso32() : open_own();
}
