/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of span kinds, and which kind an event ends.
 */
#include "parser/lang/builtin.h"
#include "parser/base/text.h"
#include "parser/lang/span_kind.h"
#include "bpf_helpers/shared.h"

const struct span_row span_rows[SPAN_COUNT] = {
#define SPAN(id, start_, state_, slots_, key_, same_, ended_, gen, doc_) \
	[SPAN_##id] = {.start = start_,                                  \
		       .state = state_,                                  \
		       .slots = slots_,                                  \
		       .key_bytes = key_,                                \
		       .same = same_,                                    \
		       .ended = PP_##ended_,                             \
		       .doc = doc_},
#include "parser/lang/spans.def"
};

bool event_is_wakeup(const char *event)
{
	static const char *const wakeups[] = {"sched_waking", "sched_wakeup", "sched_wakeup_new"};

	return TEXT_IS_IN(wakeups, event, strlen(event));
}

bool event_is_atomic(const char *event)
{
	return event_is_wakeup(event) || strcmp(event, "sched_switch") == 0;
}

bool event_is_exec(const char *event)
{
	return strcmp(event, "sched_process_exec") == 0;
}

bool event_is_any_call(const char *event)
{
	static const char *const any[] = {"sys_enter", "sys_exit"};

	return TEXT_IS_IN(any, event, strlen(event));
}

enum span_kind span_of_event(const struct attach_point *p)
{
	enum span_kind kind = probe_rows[p->id].span;

	if (kind == SPAN_RETURN && (probe_abi(p) == USER_ABI_GO || probe_switches(p)))
		return SPAN_GOROUTINE;
	if (kind != SPAN_BY_EVENT)
		return kind;
	if (probe_is_sched_switch(p))
		return SPAN_SWITCH;
	if (probe_syscall(p) >= 0 &&
	    strncmp(point_tracepoint(p)->format->event, "sys_exit", strlen("sys_exit")) == 0)
		return SPAN_SYSCALL;
	if (probe_is_any_sys_exit(p))
		return SPAN_SYSCALL;
	return SPAN_NO;
}
