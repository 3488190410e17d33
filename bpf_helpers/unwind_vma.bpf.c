/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Finds the mapping of an address. First it is looked up in the process's ranges, which user space
 * has read; the range found is compared with the kernel's own mapping. The kernel's mappings are
 * also used if user space has not read the ranges of the process yet, or not since the process has
 * mapped something. The file behind the mapping leads to the tables.
 *
 * The tree of mappings is walked here, because bpf_find_vma() takes mmap_lock. It fails while that
 * is taken for writing, and where interrupts are disabled it finds one mapping only, until they
 * were enabled again. Nodes and mappings are freed after an RCU grace period, and every word is
 * read with bpf_probe_read_kernel(), so a tree that changes meanwhile leads to a wrong mapping at
 * worst. A mapping that does not contain the address is not used.
 *
 * Frames are small, since large programs leave 224 bytes of BPF stack for a walk, and the verifier
 * of 6.1 counts each frame as a multiple of 32.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, UNWIND_FILES);
	__type(key, struct unwind_file_key);
	__type(value, struct unwind_file);
} sonde_unwind_files SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	uint32_t s_dev;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	unsigned long long i_size;
};

struct dentry {
	struct inode *d_inode;
};

struct path {
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode;
	struct inode *f_inode;
};

struct backing_file {
	struct path user_path; /* since 6.8 */
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff;
	unsigned long vm_flags;
	struct file *vm_file;
};

#pragma clang attribute pop

enum { VM_EXEC = 4, PAGE_SHIFT = 12, FMODE_BACKING = 3 << 24 };

/* Nodes of a maple tree: 256 bytes, a word for the parent, pivots, slots. A slot leads to all up to
 * its pivot. The address of a node has its kind in bits 3 to 6. */
enum {
	NODE_DENSE,
	NODE_LEAF,
	NODE_RANGE,
	NODE_GAPS,
	NODE_BYTES = 256,
	NODE_PIVOTS = 15,
	NODE_GAPS_PIVOTS = 9,
	TREE_DEPTH = 8, /* 4 for 65,530 mappings, which is the default limit */
};

enum {
	CHECKS = 256, /* ranges of a CPU: a power of two */
	TRIES = 2,
};

/* The slot of node `entry` that covers address x. The function is global, so that the verifier does
 * not follow its loop at each depth of the tree. */
GLOBAL uint64_t sonde_unwind_slot(struct sonde_walk *w, uint64_t entry, uint64_t kind, uint64_t x)
{
	uint64_t node = entry & -(uint64_t)NODE_BYTES, child, pivot, i;
	uint64_t n = kind == NODE_GAPS ? NODE_GAPS_PIVOTS : NODE_PIVOTS;

	if (!w || bpf_probe_read_kernel(w->node, sizeof(w->node), (void *)(node + 8)))
		return 0;
	LOOP for (i = 0; i < NODE_PIVOTS && i < n; i++)
	{
		pivot = w->node[i];
		if (pivot >= x || (!pivot && i))
			break; /* the last slot needs no pivot */
	}
	OPAQUE(i);
	if (bpf_probe_read_kernel(&child, sizeof(child), (void *)(node + 8 + 8 * (n + i))))
		return 0;
	return child;
}

/* The address of the mapping that contains address x; 0: there is none. */
GLOBAL uint64_t sonde_unwind_tree(struct sonde_walk *w, uint64_t root, uint64_t x)
{
	uint64_t entry = root, kind;

	if (!w)
		return 0;
	LOOP for (uint32_t i = 0; i < TREE_DEPTH && entry >= PAGE; i++)
	{
		kind = entry >> 3 & 15;
		if (kind == NODE_DENSE || kind > NODE_GAPS)
			return 0;
		entry = sonde_unwind_slot(w, entry, kind, x);
		if (kind == NODE_LEAF)
			return entry;
	}
	return 0;
}

/* The inode that /proc/PID/maps shows. Of a file on overlayfs, the kernel maps the file below, and
 * since 6.8 it shows that of overlayfs. The flag that marks such files moved to another bit in
 * newer kernels, where the old bit has another meaning. So the inode it leads to is used only if it
 * has the mode and the size of the file below. */
static INLINE_CORE struct inode *inode_of(struct file *file)
{
	struct backing_file *backing = (void *)file;
	struct inode *inode = BPF_CORE_READ(file, f_inode), *above;

	if (!bpf_core_field_exists(backing->user_path) ||
	    !(BPF_CORE_READ(file, f_mode) & FMODE_BACKING))
		return inode;
	above = BPF_CORE_READ(backing, user_path.dentry, d_inode);
	if (BPF_CORE_READ(above, i_mode) != BPF_CORE_READ(inode, i_mode) ||
	    BPF_CORE_READ(above, i_size) != BPF_CORE_READ(inode, i_size))
		return inode;
	return above;
}

GLOBAL uint32_t sonde_unwind_has_program(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct___unwind *mm = (void *)BPF_CORE_READ(task, mm);
	struct unwind_file_key key;
	struct inode *inode;

	inode = inode_of(BPF_CORE_READ(mm, exe_file));
	key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	key.inode = BPF_CORE_READ(inode, i_ino);
	return bpf_map_lookup_elem(&sonde_unwind_files, &key) != 0;
}

static INLINE_CORE uint64_t vdso_of(struct sonde_walk *w, struct task_struct *task)
{
	struct mm_struct___unwind *mm;

	bpf_core_read(&w->look, sizeof(w->look), &task->mm);
	mm = (void *)w->look;
	bpf_core_read(&w->look, sizeof(w->look), &mm->context.vdso);
	return w->look;
}

/* Copy the relevant members of a mapping to w->vma. */
GLOBAL uint32_t sonde_unwind_read_vma(struct sonde_walk *w, uint64_t address)
{
	struct vm_area_struct *vma = (void *)address;
	struct sonde_vma *seen;
	struct inode *inode;
	struct file *file;

	if (!w)
		return 0;
	seen = &w->vma;
	file = BPF_CORE_READ(vma, vm_file);
	inode = file ? inode_of(file) : 0;
	bpf_core_read(&seen->start, sizeof(seen->start), &vma->vm_start);
	bpf_core_read(&seen->bytes, sizeof(seen->bytes), &vma->vm_end);
	bpf_core_read(&seen->offset, sizeof(seen->offset), &vma->vm_pgoff);
	bpf_core_read(&seen->flags, sizeof(seen->flags), &vma->vm_flags);
	seen->bytes -= seen->start;
	seen->offset <<= PAGE_SHIFT;
	seen->device = 0;
	seen->inode = 0;
	if (inode) {
		seen->device = BPF_CORE_READ(inode, i_sb, s_dev);
		bpf_core_read(&seen->inode, sizeof(seen->inode), &inode->i_ino);
	} else if (seen->start == vdso_of(w, bpf_get_current_task_btf())) {
		seen->inode = UNWIND_VDSO_INODE(WORD(w));
	}
	return 1;
}

/* Does the thread have memory? An exiting thread releases its memory before it leaves the CPU for
 * the last time. */
static INLINE_CORE uint32_t has_memory(struct task_struct *task)
{
	return BPF_CORE_READ(task, mm) != 0;
}

static INLINE_CORE uint64_t root_of(struct task_struct *task)
{
	struct mm_struct___unwind *mm = (void *)BPF_CORE_READ(task, mm);

	return bpf_core_field_exists(mm->mm_mt) ? (uint64_t)BPF_CORE_READ(mm, mm_mt.ma_root) : 0;
}

/* Set w->vma to the mapping that contains address x. Returns enum unwind_end. */
static INLINE_CORE uint32_t find_vma(struct sonde_walk *w, uint64_t root, uint64_t x)
{
	uint64_t vma = sonde_unwind_tree(w, root, x);

	if (vma < PAGE)
		return UNWIND_NOT_CODE;
	sonde_unwind_read_vma(w, vma);
	if (x - w->vma.start >= w->vma.bytes)
		return UNWIND_NOT_READY; /* it has changed meanwhile */
	return w->vma.flags & VM_EXEC ? UNWIND_GOES_ON : UNWIND_NOT_CODE;
}

/* A range that was found to agree with the kernel's mapping. `mark` ^ `file` is the hash of the
 * range and of the signature, so an entry that is written while it is read does not match. */
struct checked {
	uint64_t mark, file;
};

struct checks {
	struct checked at[CHECKS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct checks);
} sonde_unwind_checks SEC(".maps");

static INLINE uint64_t tag_of(const struct sonde_walk *w)
{
	uint64_t tag = (w->signature ^ w->start) * FACTOR;

	return tag ^ tag >> 32;
}

static INLINE struct checked *check_at(uint64_t tag)
{
	uint32_t zero = 0;
	struct checks *all = bpf_map_lookup_elem(&sonde_unwind_checks, &zero);

	OPAQUE(tag);
	return all ? &all->at[tag & (CHECKS - 1)] : 0;
}

/* Add the file of a frame to the hash of the stack's files, unless the frame before has the same
 * file. So stacks whose frames alternate between two files differ from stacks in one file; how many
 * ranges a file has makes no difference. */
static INLINE void note_file(struct sonde_walk *w, uint64_t file)
{
	if (file == w->file)
		return;
	w->file = file;
	w->files = (w->files ^ file) * FACTOR;
}

/* Was the range that the walk has found compared with the kernel's mapping, and has nothing changed
 * since? */
GLOBAL uint32_t sonde_unwind_is_checked(struct sonde_walk *w)
{
	struct checked *c;
	uint64_t tag, file = 0;

	if (!w)
		return 0;
	if (w->other)
		return 0;
	if (!(w->flags & UNWIND_RANGE_FIXED)) {
		tag = tag_of(w);
		c = check_at(tag);
		if (!c)
			return 0;
		file = c->file;
		if ((c->mark ^ file) != tag)
			return 0;
	}
	note_file(w, file);
	return 1;
}

/* Set the walk's mapping to w->vma, with the tables of its file. Returns what identifies the
 * mapping. */
static INLINE uint64_t take_file(struct sonde_walk *w, uint64_t x)
{
	struct unwind_file_key key;
	struct unwind_file *file;
	uint64_t origin;

	key.device = w->vma.device;
	key.inode = w->vma.inode;
	origin = w->vma.start - w->vma.offset;
	file = key.inode ? bpf_map_lookup_elem(&sonde_unwind_files, &key) : 0;
	if (!file || !sonde_unwind_range(w, file->ranges, file->n_ranges, x - origin, origin)) {
		w->start = w->vma.start;
		w->bytes = w->vma.bytes;
		w->piece = 0;
		w->flags = key.inode ? 0 : UNWIND_RANGE_ANONYMOUS;
		/* JIT code has no table; the table of a file may be made later */
		w->is_mapped = !key.inode;
	} else if (file->v8) {
		w->v8_at = file->v8;
	}
	return key.device ? ((key.inode * FACTOR ^ key.device) * FACTOR ^ origin) * FACTOR : 0;
}

/* Set the walk's mapping to w->vma. If the walk's range (`is_known`) is equal to w->vma, the range
 * stays, and is not compared again until something changes. */
GLOBAL uint32_t sonde_unwind_take_vma(struct sonde_walk *w, uint64_t x, uint32_t is_known)
{
	struct checked *c;

	if (!w)
		return 0;
	w->known_start = w->start;
	w->known_bytes = w->bytes;
	w->known_origin = w->origin;
	w->known_piece = w->piece;
	w->known_tag = tag_of(w);
	w->known_flags = w->flags;
	note_file(w, take_file(w, x));
	w->is_missing |= !is_known;
	if (!is_known)
		return 0;
	if (w->piece != w->known_piece || (w->piece && w->origin != w->known_origin) ||
	    (!w->piece && (w->flags ^ w->known_flags) & UNWIND_RANGE_ANONYMOUS)) {
		w->is_missing = 1; /* the range was replaced by another mapping */
		return 0;
	}
	w->start = w->known_start;
	w->bytes = w->known_bytes;
	w->is_mapped = 1;
	w->flags = w->known_flags;
	c = check_at(w->known_tag);
	if (c) {
		c->mark = w->known_tag ^ w->file;
		c->file = w->file;
	}
	return 0;
}

/* Look at the kernel's own mappings: the process's ranges do not contain the address, or the range
 * may have been replaced. The tree is not locked, so a failure is not final. This is not possible
 * for another thread: a program that can sleep does not keep the mappings from being freed. */
static INLINE_CORE uint32_t look_at_vma(struct sonde_walk *w, uint64_t x, uint32_t is_known)
{
	uint64_t root = w->other ? 0 : root_of(bpf_get_current_task_btf());
	uint32_t end = UNWIND_NOT_READY;

	if (root < PAGE && !w->other && !has_memory(bpf_get_current_task_btf()))
		return UNWIND_UNREADABLE;
	if (root < PAGE && is_known) {
		w->is_unsure = 1;
		return UNWIND_GOES_ON;
	}
	LOOP for (uint32_t i = 0; i < TRIES && end && root >= PAGE; i++) end = find_vma(w, root, x);
	if (end)
		w->is_missing = 1;
	else
		sonde_unwind_take_vma(w, x, is_known);
	return end;
}

/*
 * munmap() and mmap() change what is at an address, and user space reads the mappings again only
 * later. So a walk compares a range with the kernel's mapping when it meets the range for the first
 * time, and when the mappings may have changed since: when the signature differs.
 *
 * The signature is made of the signs: a number of the address space, and one that counts its
 * changes.
 */
GLOBAL uint32_t sonde_unwind_sign(struct sonde_walk *w, struct sonde_trail *t)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct___unwind *mm;

	if (!w || !t)
		return 0;
	bpf_core_read(&w->look, sizeof(w->look), &task->mm);
	mm = (void *)w->look;
	t->signs_at = signs_of(mm);
	read_signs(&t->signs, t->signs_at);
	w->signature =
		((t->signs.space * FACTOR + t->signs.changes) * FACTOR + w->generation) * FACTOR;
	return 0;
}

static INLINE_CORE void locate(struct sonde_walk *w, struct sonde_trail *t)
{
	uint32_t is_known;
	uint64_t x;

	if (w->n_frames >= WALK_INNER && w->limit == SONDE_MAX_FRAMES)
		pass_frames(w, t);
	x = w->ip & (PAGE - 1) ? 0 : sonde_unwind_replaced(w);
	if (x) {
		t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
		w->ip = x;
	}
	x = w->ip - !w->exact;
	w->found = UNWIND_GOES_ON;
	if (x - w->start < w->bytes)
		return;
	is_known = sonde_unwind_range(w, w->ranges, w->n_ranges, x, 0);
	if (!is_known || !sonde_unwind_is_checked(w))
		w->found = look_at_vma(w, x, is_known);
}

GLOBAL uint32_t sonde_unwind_locate(struct sonde_walk *w, struct sonde_trail *t)
{
	if (w && t)
		locate(w, t);
	return 0;
}
