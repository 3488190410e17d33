/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterators: creates their links, reads them, which runs the program, and pins them.
 */
#include "runtime/attach/attach.h"
#include "runtime/output/out.h"
#include "runtime/attach/attach_all.h"
#include <bpf/bpf.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

int att_iter(struct session *s, uint32_t prog)
{
	union bpf_iter_link_info info = {0};
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd;

	if (strcmp(s->plan->progs[prog].event, "cgroup") == 0) { /* all of them, parents first */
		info.cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE;
		opts.iter_info = &info;
		opts.iter_info_len = sizeof(info);
	}
	fd = bpf_link_create(attach_fd(s, prog), 0, BPF_TRACE_ITER, &opts);
	return attach_add(s, (struct link){.fd = fd});
}

const char *attach_iter_refusal(int err)
{
	if (err != -EBADF)
		return NULL;
	return "it iterates over the entries of one map, which a script cannot name yet";
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Output text of the kernel like that of a printf. */
static int emit(struct out *out, const char *text, size_t len)
{
	const struct type type = {.kind = TY_STRING, .size = (uint32_t)len, .align = 1};
	struct view view = {.type = &type, .string = {text, (uint32_t)len}};
	struct format_piece piece = {.conv = 's',
				     .origin = FORMAT_FROM_MEMORY,
				     .width = -1,
				     .precision = -1};
	struct plan_event event = {.kind = PE_PRINTF, .pieces = &piece, .n_pieces = 1};

	return len ? out->printf_event(out, &event, &view) : 0;
}

struct reading {
	struct out *out;
	void (*drain)(void *ctx); /* handles records that the program sent */
	void *ctx;
	char text[64 << 10];
	size_t n; /* bytes in text */
};

/* Output whole lines; the rest of a line only when `all`, or when the buffer is full. */
static int emit_lines(struct reading *r, bool all)
{
	const char *end = all ? r->text + r->n : memrchr(r->text, '\n', r->n);
	size_t len = end ? (size_t)(end - r->text) + !all : r->n == sizeof(r->text) ? r->n : 0;
	int err = emit(r->out, r->text, len);

	memmove(r->text, r->text + len, r->n - len);
	r->n -= len;
	return err;
}

static int read_all(struct reading *r, int fd)
{
	int err = 0;

	while (!err) {
		ssize_t n = read(fd, r->text + r->n, sizeof(r->text) - r->n);

		if (n < 0 && (errno == EAGAIN ||
			      errno == EINTR)) /* the kernel yields after very many objects */
			continue;
		if (n < 0)
			return -errno;
		r->drain(r->ctx);
		if (n == 0)
			break;
		r->n += (size_t)n;
		err = emit_lines(r, false);
	}
	return err ? err : emit_lines(r, true);
}

static int run(const struct link *l, struct out *out, void (*drain)(void *ctx), void *ctx)
{
	struct reading *r = malloc(sizeof(*r));
	int fd = r ? bpf_iter_create(l->fd) : -1, err = r ? -errno : -ENOMEM;

	if (fd >= 0) {
		r->out = out;
		r->drain = drain;
		r->ctx = ctx;
		r->n = 0;
		err = read_all(r, fd);
		close(fd);
	}
	free(r);
	return err;
}

/* ---- pins --------------------------------------------------------------------------------- */

static bool is_bpffs(const char *path)
{
	char folder[PATH_MAX];
	struct statfs fs;

	snprintf(folder, sizeof(folder), "%s", path);
	return statfs(dirname(folder), &fs) == 0 && fs.f_type == BPF_FS_MAGIC;
}

static int pin(const struct link *l, const char *path, struct out *out)
{
	char line[PATH_MAX + 32];
	int err = is_bpffs(path) ? 0 : -ENODEV;

	if (err) {
		log_error("cannot pin to %s: not in a BPF file system; mount one: mount -t bpf bpf "
			  "/sys/fs/bpf",
			  path);
		return err;
	}
	if (bpf_obj_pin(l->fd, path)) {
		err = -errno;
		log_error("cannot pin to %s: %s%s", path, strerror(-err),
			  err == -EEXIST ? "; remove it first" : "");
		return err;
	}
	snprintf(line, sizeof(line), "Program pinned to %s\n", path);
	return emit(out, line, strlen(line));
}

int session_iterate(struct session *s, struct out *out, void (*drain)(void *ctx), void *ctx)
{
	int err = 0;

	for (uint32_t i = 0; i < s->links.n && !err; i++) {
		const struct plan_prog *g = &s->plan->progs[s->links.items[i].prog];

		if (!prog_kind_is(g->kind, PK_ITER))
			continue;
		if (g->pin) {
			err = pin(&s->links.items[i], g->pin, out);
			continue;
		}
		err = run(&s->links.items[i], out, drain, ctx);
		if (err && err != -EPIPE)
			log_error("probe '%s': cannot read the iterator: %s",
				  s->plan->probes[g->probes[0]].name, strerror(-err));
	}
	return err;
}
