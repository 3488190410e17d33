/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of user addresses: see usym.h.
 */
#include "runtime/symbols/usym.h"
#include "runtime/base/clock.h"
#include "runtime/elf/elfsym.h"
#include "runtime/base/log.h"
#include "runtime/base/proc_children.h"
#include "runtime/base/proc_program.h"
#include "runtime/symbols/procmap.h"
#include "runtime/base/string_set.h"
#include "runtime/symbols/symfile.h"
#include <stdio.h>

#define REREAD_NS 100000000ull
#define FRESH_NS 1000000ull

struct usyms {
	struct procmap *maps;
	struct maptrack *track;
	struct string_set strings;
	struct string_set old; /* between usyms_names_begin() and usyms_names_end() */
	struct symfiles files;
	uint64_t n_lost;
	uint64_t drained_ns; /* all records up to this time are applied */
	uint64_t reread_ns;  /* time of the last read of /proc because of a miss */
	uint32_t reread_tgid;
	bool has_warned;
};

struct usyms *usyms_new(void)
{
	struct usyms *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->maps = procmap_new();
	if (!u->maps) {
		free(u);
		return NULL;
	}
	u->files.maps = u->maps;
	return u;
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	maptrack_close(u->track);
	procmap_free(u->maps);
	symfiles_free(&u->files);
	string_set_free(&u->strings);
	free(u);
}

static void drain(struct usyms *u)
{
	if (u->track) {
		u->drained_ns = monotonic_ns();
		u->n_lost += maptrack_drain(u->track, u->maps);
	}
	if (procmap_evicted(u->maps) && !u->has_warned) {
		u->has_warned = true;
		log_warning(
			"stacks of more than %d ended processes: the oldest lose their user symbols",
			PROCMAP_BOUND_MAX);
	}
}

int usyms_note_process(struct usyms *u, uint32_t tgid)
{
	drain(u);
	return procmap_read_process(u->maps, tgid, UINT64_MAX);
}

static int read_process(void *maps, uint32_t tgid)
{
	procmap_read_process(maps, tgid, UINT64_MAX);
	return 0;
}

void usyms_note_all(struct usyms *u)
{
	drain(u);
	proc_each_process(read_process, u->maps);
}

/* Note by which path the program was run, while the process lives. If the exec record shows that
 * the program has the name of its file, as usual, that is enough. */
static void note_program(struct usyms *u, uint32_t tgid, uint32_t exec_id)
{
	const struct procmap_program *p = procmap_program(u->maps, tgid, exec_id);
	char mapped[PATH_MAX], run[PATH_MAX];
	bool is_link;

	if (!p || p->is_known || !proc_program_path(tgid, mapped))
		return;
	is_link = proc_program_link(tgid, mapped, p->comm, run);
	procmap_set_program(u->maps, tgid, exec_id, mapped, is_link ? run : NULL);
}

/* The path to show for a mapped file: the link by which it was run, if it was. */
static const char *shown_path(struct usyms *u, uint32_t tgid, uint32_t exec_id, const char *path)
{
	const struct procmap_program *p = procmap_program(u->maps, tgid, exec_id);
	char run[PATH_MAX];

	/* The process had ended before it could be asked. */
	if (p && !p->is_known && path[0] == '/' && proc_program_sibling(path, p->comm, run))
		procmap_set_program(u->maps, tgid, exec_id, path, run);
	if (p && p->run && strcmp(p->mapped, path) == 0)
		path = p->run;
	return string_set_intern(&u->strings, path);
}

void usyms_note_stack(struct usyms *u, uint32_t tgid, uint32_t exec_id, uint64_t time_ns)
{
	if (procmap_is_bound(u->maps, tgid, exec_id)) {
		if (procmap_code_is_due(u->maps, tgid, exec_id)) {
			drain(u);
			procmap_open_code(u->maps, tgid, exec_id);
		}
		return;
	}
	drain(u);
	if (!procmap_is_known(u->maps, tgid))
		procmap_read_process(u->maps, tgid, time_ns);
	if (procmap_bind(u->maps, tgid, exec_id, time_ns) == -EAGAIN &&
	    !procmap_read_process(u->maps, tgid, time_ns))
		procmap_bind(u->maps, tgid, exec_id, monotonic_ns());
	symfiles_pin(&u->files, tgid, exec_id);
	note_program(u, tgid, exec_id);
	procmap_open_code(u->maps, tgid, exec_id);
}

void usyms_release_stacks(struct usyms *u, uint32_t tgid)
{
	procmap_unbind(u->maps, tgid);
}

int usyms_track(struct usyms *u, int pid)
{
	int err;

	if (u->track)
		return -EALREADY;
	err = maptrack_open(&u->track, pid > 0);
	if (!err && pid > 0)
		procmap_read_process(u->maps, (uint32_t)pid, UINT64_MAX);
	return err;
}

void usyms_observe(struct usyms *u, maptrack_fn *fn, void *ctx)
{
	if (u->track)
		maptrack_observe(u->track, fn, ctx);
}

int usyms_track_fd(const struct usyms *u)
{
	return u->track ? maptrack_fd(u->track) : -1;
}

uint64_t usyms_track_drain(struct usyms *u)
{
	uint64_t lost;

	drain(u);
	lost = u->n_lost;
	u->n_lost = 0;
	return lost;
}

void usyms_stats(const struct usyms *u, struct usyms_stats *out)
{
	*out = (struct usyms_stats){.n_processes = procmap_count(u->maps),
				    .n_files = symfiles_count(&u->files),
				    .names_bytes = u->strings.n_bytes,
				    .n_evicted = procmap_evicted(u->maps)};
}

void usyms_names_begin(struct usyms *u)
{
	u->old = u->strings;
	u->strings = (struct string_set){0};
}

const char *usyms_names_retain(struct usyms *u, const char *text)
{
	return text ? string_set_intern(&u->strings, text) : NULL;
}

void usyms_names_end(struct usyms *u)
{
	string_set_free(&u->old);
}

/* May records of mappings at time_ns (0: until now) still be unread? */
static bool must_drain(const struct usyms *u, uint64_t time_ns)
{
	return u->track &&
	       (time_ns ? time_ns > u->drained_ns : monotonic_ns() > u->drained_ns + FRESH_NS);
}

/* The mapping of ip. If there is none, look for new mappings and try again. */
static const struct mapping *find_mapping(struct usyms *u, const struct uaddress *a)
{
	const struct mapping *m;
	bool is_newest;
	uint64_t now_ns;

	if (must_drain(u, a->time_ns))
		drain(u);
	m = procmap_find(u->maps, a->tgid, a->exec_id, a->ip, a->time_ns, &is_newest);
	if (m || u->track)
		return m;
	now_ns = monotonic_ns();
	if (!is_newest || (u->reread_tgid == a->tgid && now_ns < u->reread_ns + REREAD_NS))
		return NULL;
	u->reread_tgid = a->tgid;
	u->reread_ns = now_ns;
	if (procmap_read_process(u->maps, a->tgid, UINT64_MAX))
		return NULL;
	return procmap_find(u->maps, a->tgid, a->exec_id, a->ip, a->time_ns, &is_newest);
}

/* Name an address in a mapped file. False if the file has no symbol for it. */
static bool find_in_file(struct usyms *u, const struct uaddress *a, const struct mapping *m,
			 struct usym *out)
{
	struct elfsym *elf;
	const char *name;

	out->module = shown_path(u, a->tgid, a->exec_id, m->file->path);
	out->module_offset = a->ip - m->start + m->file_offset;
	elf = symfiles_of(&u->files, a->tgid, m);
	out->build_id = elf ? usyms_names_retain(u, elfsym_build_id(elf)) : NULL;
	if (!elf || !elfsym_file_to_vaddr(elf, out->module_offset, &out->module_offset) ||
	    !(elfsym_by_address(elf, out->module_offset, &name, &out->offset) ||
	      elfsym_plt_at(elf, out->module_offset, &name, &out->offset)))
		return false;
	out->name = string_set_intern(&u->strings, name);
	return true;
}

bool usyms_find(struct usyms *u, const struct uaddress *a, struct usym *out)
{
	const struct mapping *m = find_mapping(u, a);
	const char *name;

	*out = (struct usym){0};
	if (m && find_in_file(u, a, m, out))
		return true;
	/* A perf map may also list code of a file: that of run times whose own symbols are
	 * stripped. */
	if (procmap_find_code(u->maps, a->tgid, a->exec_id, a->ip, &name, &out->offset))
		out->name = string_set_intern(&u->strings, name);
	out->may_be_listed = !out->name && m && mapfile_is_memory(m->file);
	return out->module || out->name;
}

/* Name an address as a variable of the file whose code is mapped as *m. */
static bool find_variable(struct usyms *u, const struct uaddress *a, const struct mapping *m,
			  struct usym *out)
{
	struct elfsym *elf = symfiles_of(&u->files, a->tgid, m);
	const char *name;
	uint64_t code;

	if (!elf || !elfsym_file_to_vaddr(elf, m->file_offset, &code) ||
	    !elfsym_object_at(elf, a->ip - m->start + code, &name, &out->offset))
		return false;
	out->name = string_set_intern(&u->strings, name);
	out->module = shown_path(u, a->tgid, a->exec_id, m->file->path);
	return out->name;
}

bool usyms_find_variable(struct usyms *u, const struct uaddress *a, struct usym *out)
{
	const struct mapping *table;
	size_t n, i = 0;

	*out = (struct usym){0};
	table = procmap_table(u->maps, a->tgid, a->exec_id, &n);
	while (i < n && table[i].end <= a->ip)
		i++;
	return (i > 0 && find_variable(u, a, &table[i - 1], out)) ||
	       (i < n && find_variable(u, a, &table[i], out));
}

bool usyms_file(struct usyms *u, const struct uaddress *a, struct usym *out)
{
	const struct mapping *m = find_mapping(u, a);
	struct elfsym *elf = m ? symfiles_of(&u->files, a->tgid, m) : NULL;

	*out = (struct usym){0};
	if (!elf || !elfsym_build_id(elf))
		return false;
	out->name = string_set_intern(&u->strings, elfsym_build_id(elf));
	out->offset = a->ip - m->start + m->file_offset;
	return out->name;
}

size_t usyms_lines(struct usyms *u, const struct uaddress *a, struct srcframe *out)
{
	const struct mapping *m = find_mapping(u, a);
	struct elfsym *elf = m ? symfiles_of(&u->files, a->tgid, m) : NULL;
	uint64_t vaddr;
	size_t n;

	if (!elf || !elfsym_file_to_vaddr(elf, a->ip - m->start + m->file_offset, &vaddr))
		return 0;
	n = symfiles_lines(&u->files, a->tgid, m, vaddr, out);
	for (size_t i = 0; i < n; i++) {
		out[i].function = usyms_names_retain(u, out[i].function);
		out[i].file = usyms_names_retain(u, out[i].file);
	}
	return n;
}
