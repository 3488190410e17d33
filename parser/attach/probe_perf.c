/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of perf events: software, hardware, watchpoint.
 */
#include "parser/attach/probe_perf.h"
#include "parser/attach/probe_user.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>

enum { OFTEN_NS = 10000 }; /* shorter periods of clocks are hardly meant */

const struct perf_event_row perf_event_rows[] = {
#define PERF_EVENT(type_, name_, alias_, config_, every_, place_) \
	{.id = PROBE_##type_,                                     \
	 .name = name_,                                           \
	 .alias = alias_,                                         \
	 .type = PERF_TYPE_##type_,                               \
	 .config = config_,                                       \
	 .every = every_,                                         \
	 .stat_row = place_},
#define CACHE_EVENT(name_, cache_, op_, result_, every_)                              \
	{.id = PROBE_HARDWARE,                                                        \
	 .name = name_,                                                               \
	 .type = PERF_TYPE_HW_CACHE,                                                  \
	 .config = PERF_COUNT_HW_CACHE_##cache_ | PERF_COUNT_HW_CACHE_OP_##op_ << 8 | \
		   PERF_COUNT_HW_CACHE_RESULT_##result_ << 16,                        \
	 .every = every_},
#include "parser/lang/perf_events.def"
};
const uint32_t n_perf_event_rows = sizeof(perf_event_rows) / sizeof(*perf_event_rows);

bool perf_event_is_named(const struct perf_event_row *row, const char *name)
{
	return strcmp(row->name, name) == 0 || (row->alias && strcmp(row->alias, name) == 0);
}

const char *perf_event_nearest(const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	for (uint32_t i = 0; i < n_perf_event_rows; i++) {
		nearest_offer(&near, perf_event_rows[i].name);
		if (perf_event_rows[i].alias)
			nearest_offer(&near, perf_event_rows[i].alias);
	}
	return near.best;
}

/* ---- software, hardware ------------------------------------------------------------------- */

static const struct perf_event_row *no_event(const struct probe_reader *r,
					     const struct attach_point *p, const char *name)
{
	const char *type = probe_rows[p->id].name, *near = perf_event_nearest(name);

	diag_error(r->diags, p->span, "unknown-event", "unknown %s event '%s'", type, name);
	for (uint32_t i = 0; near && i < n_perf_event_rows; i++)
		if (perf_event_is_named(&perf_event_rows[i], near)) {
			diag_hint(r->diags, "did you mean %s:%s?",
				  probe_rows[perf_event_rows[i].id].name, near);
			return NULL;
		}
	diag_hint(r->diags,
		  *name == 'r' && name[1] && !name[1 + strspn(name + 1, "0123456789abcdefABCDEF")]
			  ? "raw event numbers are not supported: 'sonde -l %s' lists the events"
			  : "'sonde -l %s' lists them",
		  type);
	return NULL;
}

static const struct perf_event_row *find_event(const struct probe_reader *r,
					       const struct attach_point *p, const char *name)
{
	for (uint32_t i = 0; i < n_perf_event_rows; i++) {
		const struct perf_event_row *row = &perf_event_rows[i];

		if (row->id == p->id && perf_event_is_named(row, name))
			return row;
	}
	return no_event(r, p, name);
}

/* The kernel reserves the highest bit of a count. */
static uint64_t read_count(struct arena *a, const char *text)
{
	uint64_t n = probe_number(a, text);

	return n > INT64_MAX ? 0 : n;
}

static int bad_count(const struct probe_reader *r, const struct attach_point *p, const char *event,
		     const char *text)
{
	const char *type = probe_rows[p->id].name;

	diag_error(r->diags, p->span, "bad-count", "'%s' is not a number of events", text);
	return diag_hint(r->diags, "write %s:%s:1000 for every 1000th, %s:%s:hz:99 for 99 a second",
			 type, event, type, event);
}

/* `software:cpu:99`: the clocks count nanoseconds. */
static void warn_often(const struct probe_reader *r, const struct attach_point *p,
		       const struct perf_event_row *row, const char *event, uint64_t count)
{
	if (row->type != PERF_TYPE_SOFTWARE || count >= OFTEN_NS ||
	    (row->config != PERF_COUNT_SW_CPU_CLOCK && row->config != PERF_COUNT_SW_TASK_CLOCK))
		return;
	diag_warning(r->diags, p->span, "short-period",
		     "%s counts nanoseconds: this fires every %llu ns, as often as it can", event,
		     (unsigned long long)count);
	diag_hint(r->diags, "for %llu times a second write software:%s:hz:%llu",
		  (unsigned long long)count, event, (unsigned long long)count);
}

int prs_event(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	const struct perf_event_row *row;
	uint64_t count;
	bool is_rate = n == 3 && strcmp(parts[1], "hz") == 0;

	if (n < 1 || n > 3 || !*parts[0])
		return probe_wrong_form(r, p);
	row = find_event(r, p, parts[0]);
	if (!row)
		return -1;
	if (n == 3 && !is_rate) /* hardware:cycles:u:1000, as of perf */
		return bad_count(r, p, parts[0], parts[1]);
	count = n == 1 || (n == 2 && !*parts[1]) ? row->every : read_count(r->arena, parts[n - 1]);
	if (!count)
		return bad_count(r, p, parts[0], parts[n - 1]);
	if (n == 2 && *parts[1])
		warn_often(r, p, row, parts[0], count);
	p->perf.event = (struct perf_point){.type = row->type,
					    .config = row->config,
					    .every = is_rate ? 0 : count,
					    .what = row->name};
	p->perf.hertz = is_rate ? count : 0;
	p->name = arena_printf(r->arena, "%s:%s:%s%llu", probe_rows[p->id].name, parts[0],
			       is_rate ? "hz:" : "", (unsigned long long)count);
	return 0;
}

/* ---- watchpoint --------------------------------------------------------------------------- */

/* The modes of x86-64, which cannot watch for reads alone. The letters of a mode are sorted before
 * the comparison. */
static const struct {
	const char *mode;
	uint32_t access;
} modes[] = {
	{"rw", HW_BREAKPOINT_RW},
	{"w", HW_BREAKPOINT_W},
	{"x", HW_BREAKPOINT_X},
};

static int by_letter(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static int read_mode(const struct probe_reader *r, struct attach_point *p, char *mode)
{
	const char *written = arena_strdup(r->arena, mode);

	qsort(mode, strlen(mode), 1, by_letter);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].mode, mode) == 0) {
			p->perf.event.access = modes[i].access;
			return 0;
		}
	if (strcmp(mode, "r") == 0)
		diag_error(r->diags, p->span, "bad-watchpoint",
			   "this processor cannot watch reads alone");
	else
		diag_error(r->diags, p->span, "bad-watchpoint", "unknown watchpoint mode '%s'",
			   written);
	return diag_hint(r->diags, "modes are w (written), rw (read or written), x (executed)");
}

static int read_address(const struct probe_reader *r, struct attach_point *p, const char *address)
{
	p->perf.event.address = probe_number(r->arena, address);
	if (p->perf.event.address)
		return 0;
	diag_error(r->diags, p->span, "bad-watchpoint", "'%s' is not an address", address);
	return diag_hint(r->diags,
			 "write a number, or a program and its variable: watchpoint:0x10a000:8:w, "
			 "watchpoint:./app:counter:8:w");
}

static int no_variable(const struct probe_reader *r, const struct attach_point *p, const char *path,
		       const char *name, int err)
{
	const char *near;

	if (err == -ESRCH) {
		diag_error(r->diags, p->span, "bad-watchpoint", "%s has no variable '%s'", path,
			   name);
		near = user_near_variable(r->kernel, r->arena, path, name);
		return near ? diag_hint(r->diags, "did you mean '%s'?", near) : -1;
	}
	diag_error(r->diags, p->span, "no-binary", "cannot watch '%s': %s", path,
		   err == -ENOEXEC ? "not an ELF program or library" : strerror(-err));
	if (err == -ENOENT && strchr(path, '/'))
		user_hint_file(r, path);
	return -1;
}

/* Read NAME or NAME+OFFSET, a variable of the file. */
static int read_variable(const struct probe_reader *r, struct attach_point *p, const char *path,
			 char *name)
{
	char *plus = strchr(name, '+');
	uint64_t offset = plus ? probe_number(r->arena, plus + 1) : 0;
	struct user_object v = {0};
	int err;

	if (plus && !offset && strcmp(plus + 1, "0") != 0) {
		diag_error(r->diags, p->span, "bad-offset", "'%s' is not an offset", plus + 1);
		return diag_hint(r->diags, "write it in bytes: counters+16 or counters+0x10");
	}
	if (plus)
		*plus = '\0';
	err = r->kernel->user_object(r->kernel, path, name, &v);
	if (err)
		return no_variable(r, p, v.path ? v.path : path, name, err);
	if (v.size && offset + p->perf.event.length > v.size)
		return diag_error(r->diags, p->span, "bad-watchpoint",
				  "'%s' has %llu bytes: bytes %llu to %llu are not all inside",
				  name, (unsigned long long)v.size, (unsigned long long)offset,
				  (unsigned long long)offset + p->perf.event.length);
	p->perf.event.path = v.path;
	p->perf.event.address = v.address + offset;
	p->perf.event.is_movable = v.is_movable;
	p->name = arena_printf(r->arena, "%s:%s:%s%s%.0llu", probe_rows[p->id].name, v.path, name,
			       offset ? "+" : "", (unsigned long long)offset);
	return 0;
}

static int read_length(const struct probe_reader *r, struct attach_point *p, const char *length)
{
	p->perf.event.length = (uint32_t)strtoul(length, NULL, 10);
	if (strlen(length) != 1 || !strchr("1248", *length)) {
		diag_error(r->diags, p->span, "bad-watchpoint", "invalid watchpoint length '%s'",
			   length);
		return diag_hint(r->diags, "lengths are 1, 2, 4 and 8");
	}
	return 0;
}

int prs_watchpoint(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	const char *mode;

	if (n != 3 && n != 4)
		return probe_wrong_form(r, p);
	mode = parts[n - 1];
	p->perf.event = (struct perf_point){.type = PERF_TYPE_BREAKPOINT,
					    .every = 1,
					    .what = "watchpoints"};
	if (read_length(r, p, parts[n - 2]) || read_mode(r, p, parts[n - 1]) ||
	    (n == 3 ? read_address(r, p, parts[0]) : read_variable(r, p, parts[0], parts[1])))
		return -1;
	if (p->perf.event.access == HW_BREAKPOINT_X)
		p->perf.event.length =
			sizeof(uint64_t); /* the only length that the kernel accepts */
	else if (p->perf.event.address % p->perf.event.length) {
		diag_error(r->diags, p->span, "bad-watchpoint",
			   "the address of a watchpoint of %u bytes must be a multiple of %u",
			   p->perf.event.length, p->perf.event.length);
		return diag_hint(r->diags, "watch the bytes one by one, with the length 1");
	}
	if (!p->name)
		p->name = arena_printf(r->arena, "%s:%llu", probe_rows[p->id].name,
				       (unsigned long long)p->perf.event.address);
	p->name = arena_printf(r->arena, "%s:%u:%s", p->name, p->perf.event.length, mode);
	return 0;
}
