/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries by name: see ldcache.h. The cache has glibc's format "1.1": a header, entries of
 * {flags, name, path, os_version, hwcap}, and the strings, whose offsets are from the header.
 */
#include "runtime/elf/ldcache.h"
#include "runtime/base/memory_file.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "glibc-ld.so.cache1.1";

#if defined(__x86_64__)
enum { FLAGS = 0x0303 };
#elif defined(__aarch64__)
enum { FLAGS = 0x0a03 };
#endif
enum { FLAGS_I386 = 0x0003, CACHE_MAX_BYTES = 64 << 20 };
static const char default_dirs[] =
	"/lib/" LDCACHE_MULTIARCH ":/usr/lib/" LDCACHE_MULTIARCH ":/lib64:/usr/lib64:/lib:/usr/lib";
static const char i386_dirs[] =
	"/lib/i386-linux-gnu:/usr/lib/i386-linux-gnu:/lib32:/usr/lib32:/lib:/usr/lib";

struct cache_head {
	char magic[20];
	uint32_t n_entries, string_bytes;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path, os_version;
	uint64_t hwcap; /* only for such processors; 0: any */
};

bool ldcache_is_library(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(file, name, len) != 0)
		return false;
	if (!file[len])
		return true;
	return strstr(name, ".so") ? file[len] == '.' : strncmp(file + len, ".so", 3) == 0;
}

static const char *text_at(const char *cache, size_t size, uint32_t at)
{
	return at < size && memchr(cache + at, '\0', size - at) ? cache + at : NULL;
}

const char *ldcache_find(const char *cache, size_t size, uint16_t machine, const char *name)
{
	int32_t flags = machine == EM_386 ? FLAGS_I386 : FLAGS;
	struct cache_head head;
	struct cache_entry e;

	if (size < sizeof(head) || memcmp(cache, magic, sizeof(head.magic)) != 0)
		return NULL;
	memcpy(&head, cache, sizeof(head));
	for (uint64_t i = 0; i < head.n_entries; i++) {
		uint64_t at = sizeof(head) + i * sizeof(e);
		const char *file, *path;

		if (at + sizeof(e) > size)
			break;
		memcpy(&e, cache + at, sizeof(e));
		file = text_at(cache, size, e.name);
		path = text_at(cache, size, e.path);
		if (file && path && e.flags == flags && !e.hwcap && ldcache_is_library(file, name))
			return path;
	}
	return NULL;
}

static bool is_file(const char *root, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	return snprintf(full, sizeof(full), "%s%s", root, path) < (int)sizeof(full) &&
	       !stat(full, &st) && S_ISREG(st.st_mode);
}

/* Find the library in a directory; of several files, the first in alphabetical order. (A name like
 * "libc" is never that of a file.) */
static int in_dir(const char *root, const char *dir, const char *name, char *out)
{
	char full[PATH_MAX], best[NAME_MAX + 1] = "";
	struct dirent *entry;
	DIR *d;

	if (strstr(name, ".so") && snprintf(out, PATH_MAX, "%s/%s", dir, name) < PATH_MAX &&
	    is_file(root, out))
		return 0;
	if (snprintf(full, sizeof(full), "%s%s", root, dir) >= (int)sizeof(full))
		return -ENOENT;
	d = opendir(full);
	while (d && (entry = readdir(d)))
		if (ldcache_is_library(entry->d_name, name) &&
		    snprintf(out, PATH_MAX, "%s/%s", dir, entry->d_name) < PATH_MAX &&
		    is_file(root, out) && (!*best || strcmp(entry->d_name, best) < 0))
			snprintf(best, sizeof(best), "%s", entry->d_name);
	if (d)
		closedir(d);
	return *best && snprintf(out, PATH_MAX, "%s/%s", dir, best) < PATH_MAX ? 0 : -ENOENT;
}

int ldcache_in_dirs(const char *root, const char *dirs, const char *name, char *out)
{
	char dir[PATH_MAX];
	const char *end;

	for (; dirs && *dirs; dirs = *end ? end + 1 : end) {
		end = strchrnul(dirs, ':');
		if (end > dirs &&
		    snprintf(dir, sizeof(dir), "%.*s", (int)(end - dirs), dirs) <
			    (int)sizeof(dir) &&
		    !in_dir(root, dir, name, out))
			return 0;
	}
	return -ENOENT;
}

static char *read_cache(const char *root, size_t *size)
{
	char path[PATH_MAX], *text = NULL;
	int fd = -1;

	if (snprintf(path, sizeof(path), "%s/etc/ld.so.cache", root) < (int)sizeof(path))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = memory_file_bytes(fd, CACHE_MAX_BYTES, size);
	close(fd);
	return text;
}

int ldcache_search(const char *root, uint16_t machine, const char *name, bool use_environment,
		   char *out)
{
	const char *path;
	char *cache;
	size_t size = 0;
	bool is_found;

	if (use_environment && !ldcache_in_dirs(root, getenv("LD_LIBRARY_PATH"), name, out))
		return 0;
	cache = read_cache(root, &size);
	path = cache ? ldcache_find(cache, size, machine, name) : NULL;
	is_found = path && snprintf(out, PATH_MAX, "%s", path) < PATH_MAX && is_file(root, out);
	free(cache);
	return is_found ? 0
			: ldcache_in_dirs(root, machine == EM_386 ? i386_dirs : default_dirs, name,
					  out);
}
