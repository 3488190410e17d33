/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See create_file.h.
 */
#include "runtime/base/create_file.h"
#include "runtime/base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MOST = 40, FILE_MODE = 0600 };

static bool is_ours(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static bool others_may_write(const struct stat *folder)
{
	return !is_ours(folder->st_uid) || folder->st_mode & (S_IWGRP | S_IWOTH);
}

static bool is_trusted_link(int folder, const struct stat *link)
{
	struct stat st;

	return is_ours(link->st_uid) && fstat(folder, &st) == 0 &&
	       (!others_may_write(&st) || (is_ours(st.st_uid) && st.st_mode & S_ISVTX));
}

static bool is_in_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* ---- the folder -------------------------------------------------------------------------- */

struct walk {
	int folder;
	char rest[PATH_MAX]; /* of the path, in `folder` */
	uint32_t n_links;
	bool is_proc;
};

static void go_to(struct walk *w, int folder)
{
	if (w->folder >= 0)
		close(w->folder);
	w->folder = folder;
}

/* Put the target of a link in its place: it is the first `len` bytes of what is left. */
static int follow_link(struct walk *w, int link, size_t len)
{
	char target[PATH_MAX], left[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);

	if (n <= 0)
		return n ? -errno : -ENOENT;
	target[n] = '\0';
	snprintf(left, sizeof(left), "%s", w->rest + len);
	if ((size_t)n + strlen(left) >= sizeof(w->rest))
		return -ENAMETOOLONG;
	stpcpy(stpcpy(w->rest, target), left);
	if (*target == '/')
		go_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return w->folder < 0 ? -errno : 0;
}

/* One name of the path. 1: it is the last one, in the folder; 0: go on; -errno. */
static int step(struct walk *w, char name[NAME_MAX + 1])
{
	size_t skip = strspn(w->rest, "/"), len = strcspn(w->rest + skip, "/");
	bool is_last = !w->rest[skip + len];
	struct stat st;
	int next, err;

	if (!len || len > NAME_MAX)
		return len ? -ENAMETOOLONG : *w->rest ? -EISDIR : -ENOENT;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)len, w->rest + skip);
	next = openat(w->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return errno == ENOENT && is_last ? 1 : -errno;
	if (fstat(next, &st)) {
		err = -errno;
	} else if (S_ISLNK(st.st_mode) && is_in_proc(next) && !is_last) {
		close(next);
		next = openat(w->folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		err = next < 0 ? -errno : 0;
	} else if (S_ISLNK(st.st_mode) && !is_in_proc(next)) {
		err = !is_trusted_link(w->folder, &st) || ++w->n_links > LINKS_MOST
			      ? -ELOOP
			      : follow_link(w, next, skip + len);
		close(next);
		return err;
	} else {
		w->is_proc = S_ISLNK(st.st_mode);
		err = is_last;
	}
	if (err) {
		if (next >= 0)
			close(next);
		return err;
	}
	go_to(w, next);
	memmove(w->rest, w->rest + skip + len, strlen(w->rest + skip + len) + 1);
	return 0;
}

int create_file_folder(const char *path, char name[NAME_MAX + 1], bool *is_proc)
{
	struct walk w = {.folder =
				 open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	int got = w.folder < 0 ? -errno : 0;

	if (strlen(path) >= sizeof(w.rest))
		got = -ENAMETOOLONG;
	else
		strcpy(w.rest, path);
	while (got == 0)
		got = step(&w, name);
	*is_proc = w.is_proc;
	if (got > 0)
		return w.folder;
	go_to(&w, -1);
	return got;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* A file that others could have put there: not theirs, and no second name of another file. */
static bool may_write(int folder, const struct stat *st)
{
	struct stat in;

	if (fstat(folder, &in) || !others_may_write(&in))
		return true;
	if (in.st_mode & (S_IWGRP | S_IWOTH) && st->st_uid != geteuid())
		return false;
	return S_ISDIR(st->st_mode) || st->st_nlink <= 1;
}

/* Two runs must not write one file, and a report must not read what is emptied meanwhile. The lock
 * is the process's: its children, which may live longer, do not hold it. */
static int make_empty(int fd, bool is_proc)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_SETLK, &lock) && (errno == EAGAIN || errno == EACCES))
		return -EBUSY;
	if (!is_proc && fchmod(fd, FILE_MODE) && errno != EPERM) /* EPERM: its owner decides */
		return -errno;
	return ftruncate(fd, 0) ? -errno : 0;
}

static int open_in(int folder, const char *name, bool is_new, bool is_proc)
{
	int flags = O_CREAT | O_CLOEXEC | (is_new ? O_EXCL : 0) | (is_proc ? 0 : O_NOFOLLOW), fd;
	struct stat st;
	int err = 0;

	if (fstatat(folder, name, &st, is_proc ? 0 : AT_SYMLINK_NOFOLLOW))
		st.st_mode = S_IFREG;
	else if (!is_proc && !may_write(folder, &st))
		return -EPERM; /* before a pipe of others is opened */
	flags |= S_ISREG(st.st_mode) ? O_RDWR : O_WRONLY;
	fd = openat(folder, name, flags, FILE_MODE);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!is_proc && !may_write(folder, &st))
		err = -EPERM;
	else if (S_ISREG(st.st_mode))
		err = make_empty(fd, is_proc);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int create_file(const char *path, bool is_new)
{
	char name[NAME_MAX + 1];
	bool is_proc;
	int folder = create_file_folder(path, name, &is_proc), fd;

	if (folder < 0)
		return folder;
	fd = open_in(folder, name, is_new, is_proc);
	close(folder);
	return fd;
}

static bool keeps_mode(int folder, const char *name, mode_t mode, struct stat *old)
{
	return mode & 077 && fstatat(folder, name, old, AT_SYMLINK_NOFOLLOW) == 0 &&
	       old->st_uid == geteuid();
}

int create_file_replace(const char *path, const void *bytes, size_t len, mode_t mode)
{
	char name[NAME_MAX + 1], new[NAME_MAX + 32];
	bool is_proc;
	int folder = create_file_folder(path, name, &is_proc), fd, err = 0;
	struct stat st;

	if (folder < 0)
		return folder;
	snprintf(new, sizeof(new), "%s.%d.new", name, getpid());
	fd = openat(folder, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		err = -errno;
	else if (fchmod(fd, keeps_mode(folder, name, mode, &st) ? st.st_mode & 07777 : mode))
		err = -errno;
	else
		err = io_write(fd, bytes, len);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && renameat(folder, new, folder, name))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(folder, new, 0);
	close(folder);
	return err;
}
