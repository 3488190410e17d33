/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and their tables: see files.h.
 *
 * A file is identified by device and inode, and compiled again when its size or time of
 * modification has changed.
 *
 * A published table must belong to the file that has the inode now. An inode is not reused while a
 * process has its file mapped, or a descriptor is open. Files are therefore held open and stay
 * published for 10 s after their last process, so that the stacks of the next process are complete
 * from the start; after that only their tables are kept.
 */
#include "runtime/unwind/files.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"
#include "runtime/base/mapped_file.h"
#include "runtime/unwind/store.h"
#include <elf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	UNUSED_MAX = 1024, /* files without a process */
	HELD_MAX = 512,	   /* files that are held open */
};
#define LINGER_NS 10000000000ull

/* Identifies the content of a file, which is compiled again when one of these changes. */
struct version {
	uint64_t size, modified_ns;
};

struct unwind_binary {
	TAILQ_ENTRY(unwind_binary)
	/* element of `fresh`, or of `unused` or `lingering` if it has no references */
	link;
	struct unwind_file_key key;
	struct version version;
	struct unwind_image *image;
	uint32_t refs;
	/* it is in the hash of binaries, since it is the present content */
	bool is_listed;
	bool is_fresh;	    /* in `fresh`: it is to be published */
	bool is_published;  /* it is in the kernel's hash */
	bool is_lingering;  /* it is in `lingering` */
	uint64_t unused_ns; /* when it lost its last reference */
	int held_fd;	    /* the descriptor that holds it open; -1: none */
};

enum { VDSO_HEAD = sizeof(Elf64_Ehdr) };

struct vdso {
	struct unwind_binary *binary; /* NULL: there is none */
	uint64_t bytes;		      /* of its mapping; not known of that of 32-bit programs */
	uint8_t head[VDSO_HEAD];      /* the first bytes */
	bool is_tried;
};

TAILQ_HEAD(binary_list, unwind_binary);
HASH_TABLE(binary_table, struct unwind_binary *);

struct unwind_files {
	struct unwind_store *store;
	struct unwind_images images;
	struct binary_table binaries;
	struct binary_list fresh, unused, lingering; /* the oldest first */
	uint32_t n_unused, n_held; /* n_unused counts both `unused` and `lingering` */
	struct vdso vdso, vdso32;
	uint32_t n_files;
	uint64_t n_evicted;
};

HASH_FUNCTIONS(binary_table, struct unwind_binary *, struct unwind_file_key,
	       hash_u64(key.device ^ hash_u64(key.inode)),
	       a.device == b.device && a.inode == b.inode, (*e)->key, *e)

/* ---- binaries ------------------------------------------------------------------------------ */

static void unlist(struct unwind_files *f, struct unwind_binary *b)
{
	if (b->is_published)
		unwind_store_remove_file(f->store, &b->key);
	if (b->is_listed)
		binary_table_remove(&f->binaries, b->key);
	if (b->is_fresh)
		TAILQ_REMOVE(&f->fresh, b, link);
	b->is_published = b->is_listed = b->is_fresh = false;
}

static void release_fd(struct unwind_files *f, struct unwind_binary *b)
{
	if (b->held_fd < 0)
		return;
	close(b->held_fd);
	b->held_fd = -1;
	f->n_held--;
}

/* Hold a file (or NULL) open. Takes ownership of fd. Returns the file. */
static struct unwind_binary *retain_fd(struct unwind_files *f, struct unwind_binary *b, int fd)
{
	if (b && b->held_fd < 0 && f->n_held < HELD_MAX) {
		b->held_fd = fd;
		f->n_held++;
	} else {
		close(fd);
	}
	return b;
}

static void free_binary(struct unwind_files *f, struct unwind_binary *b)
{
	unlist(f, b);
	unwind_images_release(&f->images, b->image);
	release_fd(f, b);
	f->n_files--;
	free(b);
}

static void make_fresh(struct unwind_files *f, struct unwind_binary *b)
{
	if (b->is_fresh || b->is_published || !b->is_listed)
		return;
	TAILQ_INSERT_TAIL(&f->fresh, b, link);
	b->is_fresh = true;
}

static void remove_unused(struct unwind_files *f, struct unwind_binary *b)
{
	TAILQ_REMOVE(b->is_lingering ? &f->lingering : &f->unused, b, link);
	b->is_lingering = false;
	f->n_unused--;
}

static struct unwind_binary *acquire(struct unwind_files *f, struct unwind_binary *b)
{
	if (!b->refs++ && b->is_listed)
		remove_unused(f, b);
	make_fresh(f, b);
	return b;
}

/* End the lingering of a file: it is no longer published. */
static void unpublish(struct unwind_files *f, struct unwind_binary *b)
{
	TAILQ_REMOVE(&f->lingering, b, link);
	TAILQ_INSERT_TAIL(&f->unused, b, link);
	b->is_lingering = false;
	if (b->is_published)
		unwind_store_remove_file(f->store, &b->key);
	b->is_published = false;
	release_fd(f, b);
}

void unwind_files_release(struct unwind_files *f, struct unwind_binary *b)
{
	if (--b->refs)
		return;
	if (!b->is_listed) {
		free_binary(f, b);
		return;
	}
	if (b->is_fresh)
		TAILQ_REMOVE(&f->fresh, b, link);
	b->is_fresh = false;
	b->unused_ns = monotonic_ns();
	b->is_lingering = true;
	TAILQ_INSERT_TAIL(&f->lingering, b, link);
	if (b->held_fd < 0)
		unpublish(f, b);
	if (++f->n_unused > UNUSED_MAX)
		unwind_files_shrink(f);
}

uint64_t unwind_files_due(const struct unwind_files *f)
{
	const struct unwind_binary *b = TAILQ_FIRST(&f->lingering);

	return b ? b->unused_ns + LINGER_NS : UINT64_MAX;
}

void unwind_files_work(struct unwind_files *f)
{
	uint64_t now_ns = monotonic_ns();
	struct unwind_binary *b;

	while ((b = TAILQ_FIRST(&f->lingering)) && b->unused_ns + LINGER_NS <= now_ns)
		unpublish(f, b);
}

bool unwind_files_has_unsaved(const struct unwind_files *f)
{
	return unwind_images_has_unsaved(&f->images);
}

void unwind_files_save(struct unwind_files *f)
{
	unwind_images_save(&f->images);
}

bool unwind_files_shrink(struct unwind_files *f)
{
	struct unwind_binary *b = TAILQ_FIRST(&f->unused) ?: TAILQ_FIRST(&f->lingering);

	if (!b)
		return false;
	remove_unused(f, b);
	free_binary(f, b);
	f->n_evicted++;
	return true;
}

/* The content of the file has changed: take the binary out of the hash, so that new mappings get a
 * new one. */
static void retire(struct unwind_files *f, struct unwind_binary *b)
{
	bool is_unused = !b->refs;

	if (is_unused)
		remove_unused(f, b);
	unlist(f, b);
	if (is_unused)
		free_binary(f, b);
}

static struct version version_of(const struct stat *st)
{
	return (struct version){
		.size = (uint64_t)st->st_size,
		.modified_ns =
			(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec,
	};
}

static bool is_version(const struct unwind_binary *b, struct version v)
{
	return b->version.size == v.size && b->version.modified_ns == v.modified_ns;
}

static struct unwind_binary *add(struct unwind_files *f, struct unwind_file_key key,
				 struct version version, struct unwind_image *image)
{
	struct unwind_binary *b = image ? calloc(1, sizeof(*b)) : NULL;

	if (!b) {
		unwind_images_release(&f->images, image);
		return NULL;
	}
	*b = (struct unwind_binary){
		.key = key, .version = version, .image = image, .refs = 1, .held_fd = -1};
	f->n_files++;
	b->is_listed = !binary_table_insert(&f->binaries, b);
	make_fresh(f, b);
	return b;
}

static struct unwind_binary *find(const struct unwind_files *f, struct unwind_file_key key)
{
	struct unwind_binary **found = binary_table_find(&f->binaries, key);

	return found ? *found : NULL;
}

static void add_vdso(struct unwind_files *f, struct vdso *v, uint8_t word);

/* Is the file one of a 32-bit program (x86)? */
static bool is_i386(int fd)
{
	Elf32_Ehdr h = {0};

	return pread(fd, &h, sizeof(h), 0) == sizeof(h) && !memcmp(h.e_ident, ELFMAG, SELFMAG) &&
	       h.e_ident[EI_CLASS] == ELFCLASS32 && h.e_machine == EM_386;
}

/* The binary of the file behind fd. */
static struct unwind_binary *acquire_of_fd(struct unwind_files *f, struct unwind_file_key key,
					   int fd, const char *name)
{
	struct unwind_binary *b = find(f, key);
	struct stat st = {0};
	struct version v;

	if (fstat(fd, &st))
		return NULL;
	v = version_of(&st);
	if (b && is_version(b, v))
		return acquire(f, b);
	if (b)
		retire(f, b);
	if (is_i386(fd))
		add_vdso(f, &f->vdso32, 4);
	return add(f, key, v, unwind_images_of_file(&f->images, fd, &st, name));
}

/* Is the mapped file still the one that was compiled? */
static bool is_current(const struct unwind_binary *b, uint32_t tgid, const struct proc_mapping *m)
{
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", tgid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	if (stat(path, &st))
		return b->refs; /* it cannot have been replaced while a process maps it */
	return is_version(b, version_of(&st));
}

/* The device as the kernel encodes it. */
static uint64_t kernel_device(uint64_t device)
{
	return (uint64_t)major(device) << 20 | minor(device);
}

struct unwind_binary *unwind_files_of_mapping(struct unwind_files *f, uint32_t tgid,
					      const struct proc_mapping *m)
{
	struct unwind_file_key key = {kernel_device(m->device), m->inode};
	struct unwind_binary *b = find(f, key);
	int fd;

	if (b && is_current(b, tgid, m) && (b->held_fd >= 0 || f->n_held >= HELD_MAX))
		return acquire(f, b);
	fd = mapped_file_open(tgid, m->start, m->end, m->device, m->inode, m->path);
	if (fd < 0)
		/* the process has ended, or sonde may not open the file: there is nothing to
		 * keep */
		return NULL;
	return retain_fd(f, acquire_of_fd(f, key, fd, m->path), fd);
}

struct unwind_binary *unwind_files_of_path(struct unwind_files *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct unwind_binary *b = NULL;
	uint64_t device, inode;
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		device = st.st_dev;
		inode = st.st_ino;
		if (!fstatfs(fd, &fs) && ((uint64_t)fs.f_type == OVERLAYFS_SUPER_MAGIC ||
					  (uint64_t)fs.f_type == BTRFS_SUPER_MAGIC))
			mapped_file_identity(fd, &device, &inode);
		b = acquire_of_fd(f, (struct unwind_file_key){kernel_device(device), inode}, fd,
				  path);
	}
	return retain_fd(f, b, fd);
}

/* ---- vDSO ---------------------------------------------------------------------------------- */

static int find_own_vdso(const struct proc_mapping *m, void *ctx)
{
	struct unwind_files *f = ctx;

	if (strcmp(m->path, "[vdso]") != 0)
		return 0;
	f->vdso.bytes = m->end - m->start;
	return 1;
}

static void add_vdso(struct unwind_files *f, struct vdso *v, uint8_t word)
{
	const struct unwind_file_key key = {.inode = UNWIND_VDSO_INODE(word)};
	struct stat st;
	int fd;

	if (v->is_tried)
		return;
	v->is_tried = true;
	fd = elfsym_open_vdso(word);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && pread(fd, v->head, VDSO_HEAD, 0) == VDSO_HEAD)
		v->binary = add(f, key, (struct version){0},
				unwind_images_of_file(&f->images, fd, &st, "[vdso]"));
	close(fd);
}

void unwind_files_add_vdso(struct unwind_files *f)
{
	if (proc_maps_each(0, find_own_vdso, f) > 0)
		add_vdso(f, &f->vdso, 8);
}

/* Does a process have that vDSO, as its first bytes tell? */
static bool has_vdso(const struct vdso *v, uint32_t tgid, uint64_t start)
{
	uint8_t head[VDSO_HEAD] = {0};
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	io_read_at(fd, head, sizeof(head), start);
	close(fd);
	return !memcmp(head, v->head, sizeof(head));
}

struct unwind_binary *unwind_files_vdso(struct unwind_files *f, uint32_t tgid,
					const struct proc_mapping *m)
{
	bool is_low = !(m->start >> 32); /* that of a 32-bit process, or moved there */
	struct vdso *v = is_low ? &f->vdso32 : &f->vdso;

	if (!is_low)
		unwind_files_add_vdso(f);
	if (!v->binary || (is_low ? !has_vdso(v, tgid, m->start) : m->end - m->start != v->bytes))
		return NULL;
	v->binary->refs++;
	return v->binary;
}

/* ---- all of them --------------------------------------------------------------------------- */

const struct unwind_range *unwind_files_ranges(const struct unwind_binary *b, size_t *n)
{
	*n = b->image->directory.n;
	return b->image->directory.items;
}

uint32_t unwind_files_v8(const struct unwind_binary *b)
{
	return b->image->v8;
}

int unwind_files_publish(struct unwind_files *f)
{
	int err = unwind_store_commit(f->store);
	struct unwind_binary *b;

	while (!err && (b = TAILQ_FIRST(&f->fresh))) {
		struct unwind_file file = {b->image->address, (uint32_t)b->image->directory.n,
					   b->image->v8};

		TAILQ_REMOVE(&f->fresh, b, link);
		b->is_fresh = false;
		if (file.ranges)
			b->is_published = !unwind_store_set_file(f->store, &b->key, &file);
	}
	return err;
}

void unwind_files_stats(const struct unwind_files *f, struct unwind_files_stats *out)
{
	*out = (struct unwind_files_stats){.n_files = f->n_files,
					   .n_evicted = f->n_evicted,
					   .images = f->images.stats};
}

struct unwind_files *unwind_files_new(struct unwind_store *store, const char *cache)
{
	struct unwind_files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->store = store;
	unwind_images_init(&f->images, store, cache);
	TAILQ_INIT(&f->unused);
	TAILQ_INIT(&f->lingering);
	TAILQ_INIT(&f->fresh);
	return f;
}

void unwind_files_free(struct unwind_files *f)
{
	if (!f)
		return;
	if (f->vdso.binary)
		unwind_files_release(f, f->vdso.binary);
	if (f->vdso32.binary)
		unwind_files_release(f, f->vdso32.binary);
	while (unwind_files_shrink(f))
		;
	hash_free(&f->binaries);
	unwind_images_free(&f->images);
	free(f);
}
