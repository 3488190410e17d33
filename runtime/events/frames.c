/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the addresses of a stack to frames: see frames.h.
 */
#include "runtime/events/frames.h"
#include "runtime/base/vec.h"
#include "runtime/events/codes.h"
#include "runtime/session/session.h"
#include "runtime/elf/names.h"
#include "runtime/symbols/usym.h"

struct frame_list {
	VEC(struct view_frame);
};

/* ---- names ---- */

static void find_kernel(struct session *s, uint64_t ip, struct view_frame *f)
{
	f->module = NULL;
	f->build_id = ksyms_build_id(s->ksyms);
	if (!ksyms_find(s->ksyms, ip, &f->name, &f->offset, &f->module))
		f->name = NULL;
}

static struct uaddress address_of(const struct sonde_stack *st, uint64_t ip)
{
	return (struct uaddress){st->tgid, st->exec_id, ip, st->time_ns};
}

static bool find_user(struct session *s, const struct sonde_stack *st, uint64_t ip,
		      struct view_frame *f)
{
	const struct uaddress a = address_of(st, ip);
	struct usym u;

	if (!usyms_find(s->usyms, &a, &u))
		return false;
	f->name = u.name;
	f->module = u.module;
	f->build_id = u.build_id;
	f->linked = u.module ? u.module_offset : 0;
	f->offset = u.name ? u.offset : u.module_offset;
	return u.may_be_listed;
}

/* A caller's address is that behind its call: if the called function never returns, that can be the
 * start of the next function, or padding. */
static void name_call(struct session *s, const struct sonde_stack *st, struct view_frame *f)
{
	struct view_frame call = *f;

	call.name = NULL;
	if (st->tgid)
		find_user(s, st, f->ip - 1, &call);
	else
		find_kernel(s, f->ip - 1, &call);
	if (!call.name)
		return;
	*f = call;
	f->offset++;
	f->linked += f->linked != 0;
}

/* By the file that is mapped at the address. */
static void find_file(struct session *s, const struct sonde_stack *st, struct view_frame *f)
{
	const struct uaddress a = address_of(st, f->ip);
	struct usym u;

	if (!st->tgid || !usyms_file(s->usyms, &a, &u))
		return;
	f->name = u.name;
	f->offset = u.offset;
}

bool frames_name(struct session *s, const struct sonde_stack *st, uint32_t shows,
		 struct view_frame *frames, uint32_t n)
{
	bool is_partial = false;

	for (uint32_t i = 0; i < n; i++) {
		struct view_frame *f = &frames[i];
		bool may_get = false;

		if (f->name)
			continue;
		if (shows & SHOWS_FILE) {
			find_file(s, st, f);
			continue;
		}
		if (st->tgid)
			may_get = find_user(s, st, f->ip, f);
		else
			find_kernel(s, f->ip, f);
		if (f->is_caller && (!f->name || !f->offset))
			name_call(s, st, f);
		is_partial |= may_get && !f->name;
	}
	return is_partial;
}

/* ---- lines ---- */

static int add_frame(const struct sonde_stack *st, uint32_t i, struct frame_list *out)
{
	struct view_frame f = {
		.ip = st->ips[i],
		.name = st->ips[i] == SONDE_STACK_GAP ? "[frames left out]" : NULL,
		.is_caller = i > 0,
	};

	return vec_push(out, f);
}

/* Frames of an interpreter. */
static int add_code(struct session *s, uint64_t word, struct frame_list *out)
{
	struct view_frame frames[CODES_FRAMES];
	uint32_t n = codes_is_hidden(s, word) ? 0 : codes_frames(s, word, frames);
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++)
		err = vec_push(out, frames[i]);
	return err;
}

/* A frame for each function that is inlined at an address, then that of the function itself. */
static int add_lines(struct session *s, const struct sonde_stack *st, uint32_t i,
		     struct frame_list *out)
{
	struct srcframe lines[SRCFRAMES_MAX];
	const struct uaddress a = address_of(st, st->ips[i] - (i > 0));
	size_t n = usyms_lines(s->usyms, &a, lines);
	int err = 0;

	for (size_t k = 0; k < n && !err; k++)
		err = vec_push(out, (struct view_frame){.ip = st->ips[i],
							.name = lines[k].function,
							.file = lines[k].file,
							.line = lines[k].line,
							.is_inlined = k + 1 < n,
							.is_caller = i > 0});
	return n || err ? err : add_frame(st, i, out);
}

/* One word of a stack may stand for several frames. Leave those that the script asks for. */
static void cut(const struct sonde_stack *st, uint32_t n_ips, struct frame_list *frames)
{
	for (uint32_t i = 0; i < n_ips; i++) {
		uint32_t asked = codes_has(st->ips[i]) ? SONDE_RUN_ASKED(st->ips[i]) : 0;

		if (asked && asked < SONDE_MAX_FRAMES && frames->n > asked)
			frames->n = asked;
	}
}

int frames_make(struct session *s, const struct sonde_stack *st, uint32_t shows,
		struct view_frame **out, uint32_t *n)
{
	uint32_t n_ips = st->n_frames < SONDE_MAX_FRAMES ? st->n_frames : SONDE_MAX_FRAMES;
	struct frame_list frames = {0};
	int err = vec_reserve(&frames, n_ips + 1);

	for (uint32_t i = 0; i < n_ips && !err; i++)
		err = codes_has(st->ips[i])	       ? add_code(s, st->ips[i], &frames)
		      : shows & SHOWS_LINE && st->tgid ? add_lines(s, st, i, &frames)
						       : add_frame(st, i, &frames);
	if (err) {
		vec_free(&frames);
		return err;
	}
	cut(st, n_ips, &frames);
	*out = frames.items;
	*n = (uint32_t)frames.n;
	return 0;
}
