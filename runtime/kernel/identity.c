/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identities: see identity.h. The kernel and its modules have their notes in sysfs.
 */
#include "runtime/kernel/identity.h"
#include "runtime/elf/build_id.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NOTES_BYTES = 4096 };

static void put_hex(char *out, const unsigned char *id, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

int identity_of_file(const char *path, char out[IDENTITY_BYTES])
{
	unsigned char id[BUILD_ID_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t n;

	if (fd < 0)
		return -errno;
	n = build_id_read(fd, id);
	if (n)
		put_hex(out, id, n);
	else if (!fstat(fd, &st))
		snprintf(out, IDENTITY_BYTES, "%lld-%lld.%ld", (long long)st.st_size,
			 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	close(fd);
	return 0;
}

/* The first bytes of a file. Their number, or -errno. */
static ssize_t read_bytes(const char *path, void *bytes, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, bytes, most);
	n = n < 0 ? -errno : n;
	close(fd);
	return n;
}

static int read_notes(const char *path, char *out, size_t size)
{
	unsigned char id[BUILD_ID_BYTES];
	char notes[NOTES_BYTES];
	ssize_t n = read_bytes(path, notes, sizeof(notes));
	size_t len = n > 0 ? build_id_find(notes, (size_t)n, id) : 0;

	if (n < 0)
		return (int)n;
	if (!len || 2 * len >= size)
		return -ENODATA;
	put_hex(out, id, len);
	return 0;
}

int identity_of_kernel(char out[IDENTITY_BYTES])
{
	char id[2 * BUILD_ID_BYTES + 1];
	struct utsname u;
	int err = uname(&u) ? -errno : read_notes("/sys/kernel/notes", id, sizeof(id));

	if (err == -ENODATA || err == -ENOENT) /* its version names the build */
		snprintf(id, sizeof(id), "%s", u.version);
	else if (err)
		return err;
	snprintf(out, IDENTITY_BYTES, "%.40s %.20s %s", u.release, u.machine, id);
	return 0;
}

int identity_of_module(const char *name, char out[IDENTITY_BYTES])
{
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return -EINVAL;
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return read_notes(path, out, IDENTITY_BYTES);
}

int identity_of_boot(char out[IDENTITY_BYTES])
{
	ssize_t n = read_bytes("/proc/sys/kernel/random/boot_id", out, IDENTITY_BYTES - 1);

	if (n < 0)
		return (int)n;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}
