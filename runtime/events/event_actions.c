/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of calls that act in user space (event_actions.h). Names in a path or a command are
 * those that the system has, without escapes.
 */
#include "runtime/events/event_actions.h"
#include "runtime/output/out.h"
#include "parser/base/diag.h"
#include "runtime/view/format.h"
#include "runtime/events/shell.h"
#include "runtime/events/deferred_strings.h"
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- text ---------------------------------------------------------------------------------- */

/* The text that a record formats, and a NUL. NULL without memory; the caller frees it. */
static char *formatted(struct events *e, const struct plan_event *ev, const void *record,
		       bool is_raw, size_t *len)
{
	struct view views[LIMIT_CALL_ARGS];
	struct text_grown g;

	text_grown_init(&g);
	g.text.is_quoted = is_raw;
	g.text.is_terminal = !is_raw;
	events_views(e, ev, record, views);
	format_printf(&g.text, ev, views);
	text_char(&g.text, '\0');
	deferred_strings_release(e->s);
	*len = g.text.n - 1;
	if (!g.error)
		return g.text.bytes;
	text_grown_free(&g);
	return NULL;
}

/* A message at the span, which is one that is shown. */
static struct view_message message_at(const struct events *e, struct span span, const char *text,
				      size_t len)
{
	const struct source *source = e->s->plan->source;
	uint32_t last = span.end > span.start ? span.end - 1 : span.start;
	struct place from = source_place(source, span.start), to = source_place(source, last);

	return (struct view_message){
		.kind = PE_WARNF,
		.text = text,
		.len = (uint32_t)len,
		.file = from.file,
		.line = from.line,
		.first = from.col,
		.end = to.line == from.line ? to.col + 1 : from.col + 1,
	};
}

/* The calls of macros that led to a place; NULL: it is in none. The caller frees it. */
static char *calls_of(const struct source *source, struct span span)
{
	char *text = NULL;
	size_t len = 0;
	struct span call;
	FILE *f = source_call_of(source, span, &call) ? open_memstream(&text, &len) : NULL;

	if (f) {
		diag_print_calls(source, span, f);
		fclose(f);
	}
	return text;
}

static void message(struct events *e, const struct plan_event *ev, const char *text, size_t len)
{
	const struct source *source = e->s->plan->source;
	struct span span = source_shown(source, ev->span);
	struct view_message m = message_at(e, span, text, len);
	char *calls = calls_of(source, span);

	m.kind = ev->kind == PE_WARNF ? PE_WARNF : PE_ERRORF;
	m.excerpt = calls;
	events_note_error(e, e->out->message(e->out, &m));
	free(calls);
}

/* Report why a call failed, at its place. */
__attribute__((format(printf, 3, 4))) static void
failed(struct events *e, const struct plan_event *ev, const char *fmt, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	message(e, ev, text, (size_t)n);
	free(text);
}

static void no_memory(struct events *e, const struct plan_event *ev)
{
	static const char text[] = "no memory for the text of this call";

	message(e, ev, text, sizeof(text) - 1);
}

/* ---- errorf, warnf ------------------------------------------------------------------------- */

void ev_message(struct events *e, const struct plan_event *ev, const void *record)
{
	size_t len;
	char *text;

	if (ev->kind == PE_WARNF && e->no_warnings)
		return;
	text = formatted(e, ev, record, false, &len);
	e->n_errorf += ev->kind == PE_ERRORF;
	if (text)
		message(e, ev, text, len);
	else
		no_memory(e, ev);
	free(text);
}

/* ---- cat ----------------------------------------------------------------------------------- */

/* Opening a device may act: /dev/watchdog reboots the machine. */
static bool may_act(const struct events *e, const char *path)
{
	struct stat st;

	return !e->s->plan->allows_unsafe && stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

/* Up to `most` bytes, also of a file that says that it is empty, as those in /proc. -errno. */
static ssize_t read_file(const char *path, char *bytes, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t n = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (fd >= 0 && n < most && got > 0) {
		got = read(fd, bytes + n, most - n);
		n += got > 0 ? (size_t)got : 0;
		if (got < 0 && errno == EINTR)
			got = 1;
	}
	got = got < 0 && errno != EAGAIN ? -errno : (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return got;
}

void ev_cat(struct events *e, const struct plan_event *ev, const void *record)
{
	size_t len, most = e->s->plan->config.max_cat_bytes;
	char *path = formatted(e, ev, record, true, &len), *bytes = malloc(most);
	ssize_t n;

	if (!path || !bytes) {
		no_memory(e, ev);
	} else if (may_act(e, path)) {
		failed(e, ev,
		       "failed to open file '%s': not a regular file, which requires --unsafe",
		       path);
	} else if ((n = read_file(path, bytes, most)) < 0) {
		failed(e, ev, "failed to open file '%s': %s", path, strerror((int)-n));
	} else {
		events_output(e, ev, bytes, (size_t)n);
	}
	free(path);
	free(bytes);
}

/* ---- system -------------------------------------------------------------------------------- */

static void show_result(struct events *e, const struct plan_event *ev, const char *command,
			const struct shell_result *r)
{
	if (r->is_late)
		failed(e, ev, "the command '%s' was killed after %d seconds", command,
		       SHELL_SECONDS);
	else if (r->is_interrupted && WIFSIGNALED(r->status))
		failed(e, ev, "the command '%s' was interrupted: tracing ends", command);
	else if (WIFSIGNALED(r->status))
		failed(e, ev, "the command '%s' was killed by signal %d", command,
		       WTERMSIG(r->status));
	else if (WEXITSTATUS(r->status))
		failed(e, ev, "the command '%s' failed with code %d", command,
		       WEXITSTATUS(r->status));
	else
		events_output(e, ev, r->output, r->n);
	if (r->is_cut)
		failed(e, ev, "the command '%s' printed more than %d bytes, which are cut", command,
		       SHELL_OUTPUT);
}

/* What programs send meanwhile stays in the ring; what it cannot hold is counted there. After a
 * stop signal only commands of END are run. */
void ev_system(struct events *e, const struct plan_event *ev, const void *record)
{
	struct shell_result r = {0};
	char *command;
	size_t len;
	int err;

	if (!e->is_ending && session_stopped(e->s)) {
		e->n_not_run++;
		return;
	}
	command = formatted(e, ev, record, true, &len);
	if (!command) {
		no_memory(e, ev);
		return;
	}
	err = shell_run(command, e->s->stop_fd, &r);
	if (err)
		failed(e, ev, "cannot run '%s': %s", command, strerror(-err));
	else
		show_result(e, ev, command, &r);
	free(r.output);
	free(command);
}

/* ---- join ---------------------------------------------------------------------------------- */

void ev_join(struct events *e, const struct plan_event *ev, const void *record)
{
	const struct sonde_join_event *r = record;
	size_t used = r->used < SONDE_JOIN_BYTES ? r->used : SONDE_JOIN_BYTES;
	size_t between = strlen(ev->text), n = 0;
	char *joined = malloc(used * (1 + between) + 1);

	if (!joined) {
		no_memory(e, ev);
		return;
	}
	for (size_t at = 0; at < used;) {
		size_t len = strnlen(r->bytes + at, used - at);

		if (at) {
			memcpy(joined + n, ev->text, between);
			n += between;
		}
		memcpy(joined + n, r->bytes + at, len);
		n += len;
		at += len + 1;
	}
	events_output(e, ev, joined, n);
	free(joined);
}

/* ---- -k ------------------------------------------------------------------------------------ */

static const struct {
	uint32_t number;
	const char *name;
} helpers[] = {
	{BPF_FUNC_map_lookup_elem, "map_lookup_elem"},
	{BPF_FUNC_probe_read_user, "probe_read_user"},
	{BPF_FUNC_probe_read_user_str, "probe_read_user_str"},
	{BPF_FUNC_probe_read_kernel, "probe_read_kernel"},
	{BPF_FUNC_probe_read_kernel_str, "probe_read_kernel_str"},
};

static const char *helper_name(uint32_t number)
{
	__auto_type helper = FIND_ROW(helpers, item->number == number);

	return helper ? helper->name : "unknown";
}

void events_warning(struct events *e, const struct sonde_warning_event *ev)
{
	const struct source *source = e->s->plan->source;
	struct span span = source_shown(source, (struct span){ev->start, ev->end});
	const char *why = ev->result ? strerror(-ev->result)
				     : "Can't lookup map element because it does not exist.";
	struct view_message m = message_at(e, span, why, strlen(why));
	size_t len = 0;
	char *excerpt = NULL;
	FILE *f = open_memstream(&excerpt, &len);

	if (f) {
		diag_print_lines(source, span, f);
		fclose(f);
	}
	m.helper = helper_name(ev->helper);
	m.result = ev->result;
	m.excerpt = excerpt ? excerpt : "";
	events_note_error(e, e->out->message(e->out, &m));
	free(excerpt);
}
