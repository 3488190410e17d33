/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which maps of generated code are open, and how much of them is in memory: see usym_code.h.
 */
#include "runtime/symbols/usym_code.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/symbols/perfmap.h"
#include "runtime/symbols/procmap.h"

enum { MAPS_MAX = 128, MAPS_MAX_BYTES = 256 << 20, TRY_NS = 10000000 };

bool usym_code_is_due(struct usym_code *c, uint32_t tgid, uint32_t exec_id)
{
	const struct procmap_code *code = procmap_code(c->maps, tgid, exec_id);

	return code && !code->map && code->is_open &&
	       (!code->tried_ns || monotonic_ns() > code->tried_ns + TRY_NS);
}

static void warn_many(struct usym_code *c, const char *whose)
{
	if (!c->has_warned_many)
		log_warning(
			"more than %d processes have written /tmp/perf-PID.map: generated code of %s has no names",
			MAPS_MAX, whose);
	c->has_warned_many = true;
}

/* Is there room for another map? If not, maps of ended processes are closed: their stacks may have
 * been shown already. */
static bool has_room(struct usym_code *c)
{
	if (procmap_each_code(c->maps, NULL, NULL) < MAPS_MAX)
		return true;
	if (procmap_close_ended_code(c->maps)) {
		warn_many(c, "those that ended first");
		return true;
	}
	warn_many(c, "the others");
	return false;
}

void usym_code_open(struct usym_code *c, uint32_t tgid, uint32_t exec_id)
{
	const struct procmap_code *code = procmap_code(c->maps, tgid, exec_id);
	uint64_t now_ns = monotonic_ns();
	int fd = -1;

	if (!code || code->map || !code->is_open)
		return;
	if (code->has_code && has_room(c))
		fd = perfmap_open(tgid, code->bound_ns ? code->bound_ns : now_ns);
	procmap_set_code(c->maps, tgid, exec_id, fd >= 0 ? perfmap_new(fd) : NULL, now_ns);
}

static void add_bytes(struct perfmap *m, void *ctx)
{
	*(size_t *)ctx += perfmap_bytes(m);
}

static void drop_other(struct perfmap *m, void *ctx)
{
	if (m != ctx)
		perfmap_drop(m);
}

/* Keep the memory of maps within MAPS_MAX_BYTES. */
static void limit_bytes(struct usym_code *c, struct perfmap *used)
{
	size_t bytes = 0;

	procmap_each_code(c->maps, add_bytes, &bytes);
	if (bytes > MAPS_MAX_BYTES)
		procmap_each_code(c->maps, drop_other, used);
}

bool usym_code_find(struct usym_code *c, uint32_t tgid, uint32_t exec_id, uint64_t ip,
		    const char **name, uint64_t *offset)
{
	const struct procmap_code *code;
	size_t bytes;
	bool is_found;

	if (usym_code_is_due(c, tgid, exec_id))
		usym_code_open(c, tgid, exec_id);
	code = procmap_code(c->maps, tgid, exec_id);
	if (!code || !code->map)
		return false;
	bytes = perfmap_bytes(code->map);
	is_found = perfmap_find(code->map, ip, name, offset);
	if (perfmap_bytes(code->map) > bytes)
		limit_bytes(c, code->map);
	if (perfmap_is_cut(code->map) && !c->has_warned_cut) {
		c->has_warned_cut = true;
		log_warning(
			"perf-%u.map has more functions than are read: some frames have no names",
			tgid);
	}
	return is_found;
}
