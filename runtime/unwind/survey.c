/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of running processes: see survey.h.
 */
#include "runtime/unwind/survey.h"
#include "runtime/base/mapped_file.h"
#include "runtime/base/proc_children.h"
#include "runtime/unwind/files.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
	READ_MAX = 3,	     /* processes of one program that are read */
	BYTES_OF_A_WORD = 40 /* of code, for each word of a table: 28 to 80 in large files */
};

HASH_FUNCTIONS(survey_table, struct survey_file, struct unwind_file_key,
	       hash_u64(key.device ^ hash_u64(key.inode)),
	       a.device == b.device && a.inode == b.inode, e->key, e->key.inode)

/* State of a survey while it looks at the processes. */
struct look {
	struct unwind_survey *survey;
	struct survey_table programs;
	struct unwind_file_key own;  /* sonde's program, which is not traced */
	struct unwind_file_key only; /* processes must have it mapped, unless the inode is 0 */
	uint32_t tgid;		     /* the process that is being read */
};

static struct survey_file *get(struct survey_table *t, struct unwind_file_key key)
{
	struct survey_file *found = survey_table_find(t, key);

	if (found || survey_table_insert(t, (struct survey_file){.key = key}))
		return found;
	return survey_table_find(t, key);
}

static int is_only(const struct proc_mapping *m, void *ctx)
{
	const struct look *l = ctx;

	return m->inode == l->only.inode && m->device == l->only.device;
}

static int note_mapping(const struct proc_mapping *m, void *ctx)
{
	const struct look *l = ctx;
	struct survey_file *f;

	if (!m->is_executable || !m->inode)
		return 0;
	f = get(&l->survey->files, (struct unwind_file_key){m->device, m->inode});
	if (!f)
		return -ENOMEM;
	if (!f->n)
		f->path = strdup(m->path);
	if (f->tgid != l->tgid) {
		f->n++;
		f->bytes = 0;
	}
	f->tgid = l->tgid;
	f->start = m->start;
	f->end = m->end;
	f->file_offset = m->file_offset;
	f->bytes += m->end - m->start;
	return 0;
}

/* Kernel threads have no program. */
static int note_process(void *ctx, uint32_t pid)
{
	struct look *l = ctx;
	struct survey_file *program;
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	if (stat(path, &st) || (st.st_ino == l->own.inode && st.st_dev == l->own.device))
		return 0;
	l->tgid = pid;
	program = get(&l->programs, (struct unwind_file_key){st.st_dev, st.st_ino});
	if (!program || program->n == READ_MAX ||
	    (l->only.inode && proc_maps_each(pid, is_only, l) != 1))
		return 0;
	program->n++;
	proc_maps_each(pid, note_mapping, l);
	return 0;
}

/* Which of two files has more processes for each byte of its code? */
COMPARE(by_use, struct survey_file, ORDER(b->n * a->bytes, a->n * b->bytes))

/* Files that were found before stay in the table, but not in the order. */
static void sort(struct unwind_survey *s)
{
	size_t n_before = s->order.n;

	for (struct survey_file *f = survey_table_next(&s->files, NULL); f;
	     f = survey_table_next(&s->files, f))
		if (f->path && vec_push(&s->order, *f) == 0)
			f->path = NULL;
	if (s->order.n > n_before)
		qsort(s->order.items + n_before, s->order.n - n_before, sizeof(*s->order.items),
		      by_use);
}

void unwind_survey_read(struct unwind_survey *s, const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct look l = {.survey = s};
	struct stat st;

	if (path && (fd < 0 || !mapped_file_identity(fd, &l.only.device, &l.only.inode)))
		l.only.inode = UINT64_MAX; /* no process has it */
	if (fd >= 0)
		close(fd);
	if (!stat("/proc/self/exe", &st))
		l.own = (struct unwind_file_key){st.st_dev, st.st_ino};
	proc_each_process(note_process, &l);
	sort(s);
	hash_free(&l.programs);
}

uint64_t unwind_survey_words(const struct unwind_survey *s)
{
	uint64_t bytes = 0;

	for (size_t i = s->next; i < s->order.n; i++)
		bytes += s->order.items[i].bytes;
	return bytes / BYTES_OF_A_WORD;
}

bool unwind_survey_compile(struct unwind_survey *s, struct unwind_files *files)
{
	const struct survey_file *f;
	struct unwind_binary *b;

	if (s->next == s->order.n)
		return false;
	f = &s->order.items[s->next++];
	b = unwind_files_of_mapping(files, f->tgid,
				    &(struct proc_mapping){.start = f->start,
							   .end = f->end,
							   .file_offset = f->file_offset,
							   .device = f->key.device,
							   .inode = f->key.inode,
							   .is_executable = true,
							   .path = f->path});
	if (b && vec_push(&s->binaries, b))
		unwind_files_release(files, b);
	return true;
}

void unwind_survey_end(struct unwind_survey *s, struct unwind_files *files)
{
	for (size_t i = 0; i < s->binaries.n; i++)
		unwind_files_release(files, s->binaries.items[i]);
	for (size_t i = 0; i < s->order.n; i++)
		free(s->order.items[i].path);
	for (struct survey_file *f = survey_table_next(&s->files, NULL); f;
	     f = survey_table_next(&s->files, f))
		free(f->path);
	hash_free(&s->files);
	vec_free(&s->order);
	vec_free(&s->binaries);
	memset(s, 0, sizeof(*s));
}
