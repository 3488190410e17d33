/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Looks addresses up for a walk (unwind.bpf.c): the mapping in the process's array of ranges or, if
 * it is missing there, among the kernel's own mappings, and the row in the mapping's piece.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#ifdef SONDE_TARGET_x86

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_CHUNKS);
	__uint(key_size, 4);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(map_flags, BPF_F_MMAPABLE);
			__uint(max_entries, 1);
			__uint(key_size, 4);
			__uint(value_size, UNWIND_CHUNK_WORDS * 4);
		});
} sonde_unwind_store SEC(".maps");

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
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct file {
	struct inode *f_inode;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff;
	unsigned long vm_flags;
	struct file *vm_file;
};

#pragma clang attribute pop

enum { VM_EXEC = 4, PAGE_SHIFT = 12 };

static INLINE uint32_t *chunk_of(uint32_t address)
{
	uint32_t number = address >> UNWIND_CHUNK_BITS, zero = 0;
	void *chunk = bpf_map_lookup_elem(&sonde_unwind_store, &number);

	return chunk ? bpf_map_lookup_elem(chunk, &zero) : 0;
}

static INLINE uint32_t table_word(const uint32_t *chunk, uint64_t i)
{
	OPAQUE(i);
	return chunk[i & (UNWIND_CHUNK_WORDS - 1)];
}

/* The range of an array that has address x. Halving without branches. */
GLOBAL uint32_t sonde_unwind_range(struct sonde_walk *w, uint32_t ranges, uint64_t n, uint64_t x,
				   int64_t shift)
{
	uint32_t *chunk = chunk_of(ranges);
	uint64_t lo = ranges & (UNWIND_CHUNK_WORDS - 1);
	struct unwind_range *r;

	if (!w || !ranges || !chunk)
		return 0;
	LOOP for (int i = 0; i < 12 && n > 1; i++)
	{
		uint64_t half = n >> 1, mid = lo + half * UNWIND_RANGE_WORDS, above;

		OPAQUE(mid);
		r = (struct unwind_range *)(chunk +
					    (mid & (UNWIND_CHUNK_WORDS - UNWIND_RANGE_WORDS)));
		above = (x - r->start) >> 63; /* 1: it begins above x */
		OPAQUE(above);
		lo += half * UNWIND_RANGE_WORDS & (above - 1);
		n -= half;
		OPAQUE(n);
	}
	OPAQUE(lo);
	r = (struct unwind_range *)(chunk + (lo & (UNWIND_CHUNK_WORDS - UNWIND_RANGE_WORDS)));
	if (x < r->start || x >= r->end)
		return 0;
	w->start = r->start + shift;
	w->bytes = r->end - r->start;
	w->origin = r->origin + shift;
	w->piece = r->piece;
	w->is_mapped = 1;
	return 1;
}

struct seen_vma {
	uint64_t start, bytes, offset;
	struct unwind_file_key file;
	uint32_t is_code;
};

static __attribute__((noinline)) long see_vma(struct task_struct *task, struct vm_area_struct *vma,
					      struct seen_vma *seen)
{
	struct file *file = vma->vm_file;

	(void)task;
	seen->start = vma->vm_start;
	seen->bytes = vma->vm_end - seen->start;
	seen->offset = vma->vm_pgoff << PAGE_SHIFT;
	seen->is_code = (vma->vm_flags & VM_EXEC) != 0;
	if (file) {
		struct inode *inode = file->f_inode;

		seen->file.inode = inode->i_ino;
		seen->file.device = inode->i_sb->s_dev;
	}
	return 0;
}

/* The kernel's own mappings, when the tables have nothing for an address. */
GLOBAL uint32_t sonde_unwind_vma(struct sonde_walk *w, uint64_t x)
{
	struct seen_vma seen = {0};
	struct unwind_file *file;
	long err = bpf_find_vma(bpf_get_current_task_btf(), x, see_vma, &seen, 0);

	if (!w)
		return UNWIND_NOT_READY;
	w->is_missing = 1;
	if (err == -EBUSY)
		return UNWIND_NOT_READY;
	if (err || !seen.is_code)
		return UNWIND_NOT_CODE;
	file = seen.file.inode ? bpf_map_lookup_elem(&sonde_unwind_files, &seen.file) : 0;
	if (file && sonde_unwind_range(w, file->ranges, file->n_ranges,
				       x - seen.start + seen.offset, seen.start - seen.offset))
		return UNWIND_GOES_ON;
	w->start = seen.start;
	w->bytes = seen.bytes;
	w->piece = 0;
	w->is_mapped = !seen.file.inode; /* JIT code has no table; a file's may come */
	return UNWIND_GOES_ON;
}

/* The index of the rule of the row that covers an offset in a piece. */
GLOBAL uint32_t sonde_unwind_row(uint32_t piece, uint64_t offset)
{
	uint32_t *chunk = chunk_of(piece);
	uint64_t base = piece, lo, n, word;

	if (!chunk)
		return 0;
	word = table_word(chunk, base + (offset >> UNWIND_BLOCK_BITS));
	offset &= UNWIND_BLOCK_BYTES - 1;
	lo = base + UNWIND_BLOCK_FIRST(word);
	n = UNWIND_BLOCK_ROWS(word);
	OPAQUE(n);
	LOOP for (int i = 0; i < 8 && n > 1; i++)
	{
		uint64_t half = n >> 1, above;

		above = (offset - UNWIND_ROW_OFFSET((uint64_t)table_word(chunk, lo + half))) >> 63;
		OPAQUE(above);
		lo += half & (above - 1);
		n -= half;
		OPAQUE(n);
	}
	return UNWIND_ROW_RULE(table_word(chunk, lo));
}

/* Find the mapping of address x, which is an address of code. enum unwind_end: GOES_ON if it is
 * there. */
GLOBAL uint32_t sonde_unwind_mapping(struct sonde_walk *w, uint64_t x)
{
	if (!w)
		return UNWIND_NOT_READY;
	if (x - w->start < w->bytes)
		return UNWIND_GOES_ON;
	if (sonde_unwind_range(w, w->ranges, w->n_ranges, x, 0))
		return UNWIND_GOES_ON;
	return sonde_unwind_vma(w, x);
}

#endif
