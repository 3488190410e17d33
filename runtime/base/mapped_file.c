/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped files: see mapped_file.h.
 */
#include "runtime/base/mapped_file.h"
#include "runtime/base/proc_maps.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct page_search {
	uint64_t page, *device, *inode;
};

static int find_page(const struct proc_mapping *m, void *ctx)
{
	const struct page_search *s = ctx;

	if (m->start != s->page)
		return 0;
	*s->device = m->device;
	*s->inode = m->inode;
	return 1;
}

bool mapped_file_identity(int fd, uint64_t *device, uint64_t *inode)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct page_search s = {(uintptr_t)page, device, inode};
	bool is_found;

	if (page == MAP_FAILED)
		return false;
	is_found = proc_maps_each(0, find_page, &s) > 0;
	munmap(page, 1);
	return is_found;
}

int mapped_file_open_path(const char *path, uint64_t device, uint64_t inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint64_t its_device, its_inode;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    ((st.st_dev == device && st.st_ino == inode) ||
	     (mapped_file_identity(fd, &its_device, &its_inode) && its_device == device &&
	      its_inode == inode)))
		return fd;
	close(fd);
	return -1;
}

int mapped_file_open_in_root(uint32_t tgid, const char *path, uint64_t device, uint64_t inode)
{
	char full[PATH_MAX + 32];

	if (!tgid)
		return -1;
	snprintf(full, sizeof(full), "/proc/%u/root%s", tgid, path);
	return mapped_file_open_path(full, device, inode);
}

int mapped_file_open(uint32_t tgid, uint64_t start, uint64_t end, uint64_t device, uint64_t inode,
		     const char *path)
{
	char link[96];
	int fd;

	/* The process may have mapped something else there since: this is compared, too. */
	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", tgid,
		 (unsigned long long)start, (unsigned long long)end);
	fd = mapped_file_open_path(link, device, inode);
	return fd >= 0 ? fd : mapped_file_open_in_root(tgid, path, device, inode);
}
