/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * path(): the text of a struct path, as the kernel's d_path() makes it. bpf_d_path() is allowed in
 * a few kernel functions only, so the entries are walked up to the root here: first to add up the
 * length, then to write the names, the last one first. A path that is longer than the buffer is cut
 * at its end.
 *
 * Nothing is locked. An entry that is renamed meanwhile makes the two walks differ, which is
 * counted as a failed read.
 */
#include "bpf_helpers/helpers.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct qstr___path {
	uint32_t len;
	const unsigned char *name;
};

struct hlist_bl_node___path {
	void *next;
	void *pprev;
};

struct file_system_type___path {
	const char *name;
};

struct super_block___path {
	struct file_system_type___path *s_type;
	unsigned long s_magic;
};

struct inode___path {
	unsigned long i_ino;
};

struct dentry___path {
	struct hlist_bl_node___path d_hash;
	struct dentry___path *d_parent;
	struct qstr___path d_name;
	struct inode___path *d_inode;
	struct super_block___path *d_sb;
};

struct vfsmount___path {
	struct dentry___path *mnt_root;
};

struct mount___path {
	struct mount___path *mnt_parent;
	struct dentry___path *mnt_mountpoint;
	struct vfsmount___path mnt;
};

struct path___path {
	struct vfsmount___path *mnt;
	struct dentry___path *dentry;
};

struct fs_struct___path {
	struct path___path root;
};

struct task_struct___path {
	struct fs_struct___path *fs;
};

#pragma clang attribute pop

enum {
	PATH_ENTRIES = 4096,
	NAME_BYTES = 256, /* a name and the slash before it */
	MAGIC_PIPE = 0x50495045,
	MAGIC_SOCKET = 0x534f434b,
	MAGIC_ANON = 0x09041934,
	DIGITS = 20,
};

struct path_walk {
	struct dentry___path *dentry;
	struct vfsmount___path *mnt;
	struct path___path root;
	char *to; /* NULL: only add up the length */
	uint64_t size;
	uint64_t at; /* bytes so far; in the second walk, bytes that are left to write */
};

/* Read one word of kernel memory. All reads share one word on the BPF stack. */
static INLINE uint64_t path_word(const void *from)
{
	uint64_t word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), from);
	return word;
}

#define READ(pointer, member) \
	((typeof((pointer)->member))path_word(__builtin_preserve_access_index(&(pointer)->member)))

static INLINE_CORE uint32_t path_name_bytes(const struct dentry___path *dentry)
{
	uint32_t len = 0;

	bpf_core_read(&len, sizeof(len), &dentry->d_name.len);
	return len & (NAME_BYTES - 1);
}

static INLINE_CORE void path_entry(struct path_walk *w)
{
	const struct dentry___path *dentry = w->dentry;
	uint64_t n = path_name_bytes(dentry), at;
	char *to;

	/* The verifier must not bound w->at by what follows. */
	if (!w->to) {
		w->at = (w->at + n + 1) ^ sonde_control_zero();
		return;
	}
	at = w->at - n - 1;
	w->at = at ^ sonde_control_zero();
	barrier_var(at);
	if (at >= w->size)
		return;
	to = w->to + at;
	*(volatile char *)to = '/';
	bpf_probe_read_kernel(to + 1, n, READ(dentry, d_name.name));
}

static long path_step(uint64_t round, void *ctx)
{
	struct path_walk *w = ctx;
	struct dentry___path *dentry = w->dentry, *parent;
	struct vfsmount___path *mnt = w->mnt;
	struct mount___path *mount, *above;

	if (w->dentry == w->root.dentry && w->mnt == w->root.mnt)
		return 1;
	if (dentry != READ(mnt, mnt_root)) {
		parent = READ(dentry, d_parent);
		if (parent == dentry || !parent)
			return 1; /* the entry is not below the root */
		path_entry(w);
		w->dentry = parent;
		return 0;
	}
	mount = (void *)((char *)mnt - bpf_core_field_offset(struct mount___path, mnt));
	above = READ(mount, mnt_parent);
	if (!above || above == mount)
		return 1;
	w->dentry = READ(mount, mnt_mountpoint);
	w->mnt = (void *)((char *)above + bpf_core_field_offset(struct mount___path, mnt));
	return 0;
}

/* Copy text to offset `at` of a buffer that has `size` bytes and NAME_BYTES more. */
static INLINE void path_put(char *to, uint64_t at, uint32_t size, const char *text, uint32_t n)
{
	barrier_var(at);
	if (at >= size)
		return;
#pragma unroll
	for (uint32_t i = 0; i < n; i++)
		*(volatile char *)(to + at + i) = text[i];
}

#define PUT(to, at, size, text) path_put(to, at, size, text, sizeof(text) - 1)

/* Write a number, as in pipe:[123]. There are no branches, since the verifier would follow both
 * sides of each: a leading 0 is written and then overwritten. */
static INLINE void path_number(char *to, uint32_t at, uint64_t n)
{
	uint64_t place = 10000000000000000000ull, begun = 0;

	for (uint32_t i = 0; i < DIGITS; i++) {
		uint64_t digit = n / place;

		n -= digit * place;
		place /= 10;
		at &= NAME_BYTES / 4 - 1;
		*(volatile char *)(to + at) = '0' + digit;
		begun |= digit | (i == DIGITS - 1);
		begun = -begun;
		barrier_var(begun);
		begun >>= 63;
		at += begun;
	}
	at &= NAME_BYTES / 4 - 1;
	*(volatile char *)(to + at) = ']';
}

/* Write the text for files of other file systems without names, such as nsfs:[4026531840] for a
 * namespace. */
static INLINE_CORE void path_unnamed(char *to, const struct super_block___path *sb, uint64_t ino)
{
	struct file_system_type___path *type = READ(sb, s_type);
	uint64_t n = bpf_probe_read_kernel_str(to, NAME_BYTES / 16, READ(type, name));

	PUT(to, n - 1, NAME_BYTES / 8, ":[");
	path_number(to, n + 1, ino);
}

/* Files that are in no folder: pipes, sockets, and those of memfd_create() and the like. */
static INLINE_CORE void path_alone(char *to, const struct dentry___path *dentry)
{
	struct super_block___path *sb = READ(dentry, d_sb);
	struct inode___path *inode = READ(dentry, d_inode);
	uint64_t magic = READ(sb, s_magic), ino = READ(inode, i_ino);
	uint32_t n = path_name_bytes(dentry) & (NAME_BYTES / 2 - 1);

	if (magic == MAGIC_PIPE || magic == MAGIC_SOCKET) {
		if (magic == MAGIC_PIPE)
			PUT(to, 0, NAME_BYTES, "pipe:[");
		else
			PUT(to, 0, NAME_BYTES, "socket:[");
		path_number(to, magic == MAGIC_PIPE ? 6 : 8, ino);
		return;
	}
	if (n <= 1) { /* no name, or / */
		path_unnamed(to, sb, ino);
		return;
	}
	if (magic == MAGIC_ANON) {
		PUT(to, 0, NAME_BYTES, "anon_inode:");
		bpf_probe_read_kernel(to + 11, n, READ(dentry, d_name.name));
		return;
	}
	PUT(to, 0, NAME_BYTES, "/");
	bpf_probe_read_kernel(to + 1, n, READ(dentry, d_name.name));
	PUT(to, 1 + n, NAME_BYTES, " (deleted)");
}

/* Write the text of a path to `to`, which has `size` bytes and SONDE_PATH_MORE more, all 0. Returns
 * 0, or an error, which is counted. */
INLINE_CORE int64_t sonde_path_text(char *to, uint32_t size, const void *from, uint32_t probe)
{
	const struct path___path *path = from;
	struct task_struct___path *task = (void *)bpf_get_current_task();
	struct fs_struct___path *fs = READ(task, fs);
	struct dentry___path *dentry = READ(path, dentry);
	struct vfsmount___path *mnt = READ(path, mnt);
	struct path_walk w = {.size = size};
	uint64_t is_deleted, length;

	if (!dentry) {
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
		return -EFAULT;
	}
	is_deleted = READ(dentry, d_parent) != dentry;
	if (!is_deleted && dentry != READ(mnt, mnt_root)) {
		path_alone(to, dentry);
		if (size < NAME_BYTES && *(volatile char *)(to + size - 1))
			sonde_loss_count(probe, SONDE_LOSS_STRING_CUT);
		return 0;
	}
	is_deleted = is_deleted && !READ(dentry, d_hash.pprev);
	w.root.mnt = READ(fs, root.mnt);
	w.root.dentry = READ(fs, root.dentry);
	w.dentry = dentry;
	w.mnt = mnt;
	w.at = sonde_control_zero();
	if (bpf_loop(PATH_ENTRIES, path_step, &w, 0) == PATH_ENTRIES)
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT); /* its beginning is missing */
	length = w.at;
	if (!length)
		PUT(to, 0, size, "/");
	w.dentry = dentry;
	w.mnt = mnt;
	w.to = to;
	bpf_loop(PATH_ENTRIES, path_step, &w, 0);
	if (w.at)
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	length += !length;
	if (is_deleted)
		PUT(to, length, size, " (deleted)");
	if (length + (is_deleted ? 10 : 0) >= size)
		sonde_loss_count(probe, SONDE_LOSS_STRING_CUT);
	return 0;
}
