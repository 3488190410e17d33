/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of `sonde stat`: names become counters.
 */
#include "cli/options/option_rows.h"
#include "cli/stat/stat.h"
#include "parser/attach/probe_perf.h"
#include "parser/base/text.h"
#include "runtime/kernel/kernel_facts.h"
#include <linux/perf_event.h>

static void add(struct stat_run *r, struct counter c)
{
	for (size_t i = 0; i < r->counters.n; i++) {
		struct counter *old = &r->counters.items[i];

		if (old->type != c.type || old->config != c.config)
			continue;
		old->is_hidden &= c.is_hidden; /* it was given twice, or added for rates */
		return;
	}
	arena_push(r->arena, r->counters.items, r->counters.n, c);
}

static void add_row(struct stat_run *r, const struct perf_event_row *row, bool is_hidden)
{
	add(r, (struct counter){.name = row->name,
				.type = row->type,
				.config = row->config,
				.is_hidden = is_hidden});
}

static const struct perf_event_row *find_row(const char *name)
{
	return FIND(perf_event_rows, n_perf_event_rows, perf_event_is_named(item, name));
}

static int unknown_event(const char *name)
{
	const char *near = perf_event_nearest(name);

	log_error("-e: unknown event '%s'", name);
	if (near)
		log_hint("did you mean '%s'?", near);
	else
		log_hint("'sonde -l software' and 'sonde -l hardware' list them; tracepoints are "
			 "category:name");
	return -1;
}

/* `name` is CATEGORY:NAME. */
static int add_tracepoint(struct stat_run *r, const char *name)
{
	const struct tp_format *format = NULL;
	const char *event = strchr(name, ':') + 1;
	const char *category = arena_strndup(r->arena, name, (size_t)(event - 1 - name));
	int err;

	if (!r->kernel)
		r->kernel = kernel_open();
	err = r->kernel->tracepoint(r->kernel, category, event, &format);
	if (!err) {
		add(r, (struct counter){.name = name,
					.type = PERF_TYPE_TRACEPOINT,
					.config = format->id});
		return 0;
	}
	if (err == -ENOENT) {
		log_error("-e: unknown tracepoint '%s'", name);
		log_hint("'sonde -l tracepoint:%s:*' lists them", category);
	} else {
		log_error("-e: cannot look up the tracepoint '%s': %s", name, strerror(-err));
	}
	return -1;
}

/* An event, which may be written as a probe: software:page-faults. */
static int add_name(struct stat_run *r, const char *name)
{
	static const char *const types[] = {"software:", "hardware:", "tracepoint:"};
	const char *const *type = TEXT_PREFIX(types, name);
	const struct perf_event_row *row;

	name += type ? strlen(*type) : 0;
	row = find_row(name);
	if (!row)
		return strchr(name, ':') ? add_tracepoint(r, name) : unknown_event(name);
	add_row(r, row, false);
	return 0;
}

static int add_list(struct stat_run *r, const char *list)
{
	for (const char *word = list;; word++) {
		size_t len = strcspn(word, ",");

		if (!len)
			return option_error("-e '%s': the name of an event is empty", list);
		if (add_name(r, arena_strndup(r->arena, word, len)))
			return -1;
		word += len;
		if (!*word)
			return 0;
	}
}

static void add_usual(struct stat_run *r)
{
	for (uint32_t place = 1, found = 1; found; place++) {
		found = 0;
		for (uint32_t i = 0; i < n_perf_event_rows; i++)
			if (perf_event_rows[i].stat_row == place) {
				found = 1;
				add_row(r, &perf_event_rows[i], false);
			}
	}
}

int stat_find_events(struct stat_run *r)
{
	int err = 0;

	if (!r->options->stat.n_events)
		add_usual(r);
	for (size_t i = 0; i < r->options->stat.n_events && !err; i++)
		err = add_list(r, r->options->stat.events[i]);
	kernel_close(r->kernel);
	add_row(r, find_row("task-clock"), true);
	return err;
}
