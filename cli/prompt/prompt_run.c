/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of the prompt. Each is a process that walks the script through the stages and, when tracing
 * has ended, stays with its session, so that maps can be shown again, until the next run has
 * ended tracing. The process is made while the user types: it compiles a small script, so that its
 * memory is its own and warm, and waits for its command line. Requests and replies are structs in
 * a socket.
 */
#include "cli/prompt/prompt.h"
#include "cli/base/printing.h"
#include "cli/base/output_file.h"
#include "cli/run/run.h"
#include "cli/run/walk.h"
#include "runtime/base/log.h"
#include "runtime/events/events.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 160 };

/* ---- in the child: maps -------------------------------------------------------------------- */

static void name_maps(const struct events *e, struct prompt_reply *reply)
{
	const struct plan *plan = e->s->plan;
	size_t n = 0;

	for (uint32_t i = 0; i < plan->n_maps && n < sizeof(reply->names); i++)
		n += (size_t)snprintf(reply->names + n, sizeof(reply->names) - n, "%s%s",
				      i ? " " : "", plan->maps[i].name);
	reply->n_maps = plan->n_maps;
}

/* A line for each map: its name, keys and type. */
static void list_maps(const struct events *e, struct prompt_reply *reply)
{
	const struct plan *plan = e->s->plan;
	struct arena *a = arena_new();

	for (uint32_t i = 0; i < plan->n_maps; i++) {
		const struct plan_map *m = &plan->maps[i];

		printf("%s%s", m->name, m->n_keys ? "[" : "");
		for (uint32_t k = 0; k < m->n_keys; k++)
			printf("%s%s", k ? ", " : "", type_str(a, m->keys[k].type));
		printf("%s  %s\n", m->n_keys ? "]" : "", type_str(a, m->value));
	}
	fflush(stdout);
	arena_free(a);
	reply->n_maps = plan->n_maps;
}

/* Print maps with a writer of their own. */
static void print_maps(struct events *e, const struct prompt_request *r, struct prompt_reply *reply)
{
	const struct map_choice choice = {.name = r->map[0] ? r->map : NULL,
					  .has = r->has[0] ? r->has : NULL,
					  .top = r->top};
	const char *path = r->path[0] ? r->path : NULL;
	FILE *f = output_open(path);
	struct out *out =
		f ? out_format_new(r->format, f, e->s->plan, r->word[0] ? r->word : NULL) : NULL;
	struct out *before = e->out;
	int err = out || !f ? 0 : -errno;

	if (out) {
		e->out = out;
		e->error = 0;
		reply->n_maps = events_print_chosen(e, &choice);
		err = out_finish(out) ?: e->error;
		out->close(out);
		e->out = before;
	}
	if (err)
		log_error("cannot write '%s': %s", path ? path : "standard output", strerror(-err));
	reply->status = !f || output_close(path, f) || err;
}

/* The hook of struct run_watch. Ctrl-C is for the next run, from here on. */
static void serve(void *ctx, struct events *e, int status)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	int fd = *(const int *)ctx;
	struct prompt_reply reply = {.status = status};
	struct prompt_request r;

	sigaction(SIGINT, &ignore, NULL);
	fflush(NULL);
	if (send(fd, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
		return;
	for (;;) {
		ssize_t n = recv(fd, &r, sizeof(r), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(r))
			return;
		reply = (struct prompt_reply){0};
		printing_begin();
		if (r.what == PROMPT_PRINT)
			print_maps(e, &r, &reply);
		else if (r.what == PROMPT_LIST_MAPS)
			list_maps(e, &reply);
		else
			name_maps(e, &reply);
		printing_end();
		if (send(fd, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* ---- in the child: the run ----------------------------------------------------------------- */

/* As `sonde WORDS`. What does not trace is left to a new sonde. */
static int run(struct prompt *p, char **words, uint32_t n, int fd)
{
	struct run_watch watch = {.after = serve, .ctx = &fd};
	char *copy[MAX_WORDS + 1];
	struct options o;
	int status;

	memcpy(copy, words, (n + 1) * sizeof(*words)); /* options_parse() moves them */
	if (options_parse(&o, (int)n, words))
		return 1;
	if ((o.mode != MODE_TRACE && o.mode != MODE_CHECK) || o.compile.kernel_facts) {
		execv("/proc/self/exe", copy);
		return 2;
	}
	log_set_level(o.verbose ? LOG_VERBOSE : o.quiet ? LOG_WARNING : LOG_INFO);
	o.watch = &watch;
	status = walk_in(&o, p->kernel);
	options_free(&o);
	return status;
}

/* The command line that the prompt sends. Returns the number of words; 0: the prompt has ended. */
static uint32_t receive_words(struct arena *a, int fd, char *words[MAX_WORDS + 1])
{
	ssize_t bytes = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
	uint32_t n = 0;
	char *text;

	if (bytes <= 0)
		return 0;
	text = arena_alloc(a, (size_t)bytes);
	if (recv(fd, text, (size_t)bytes, 0) != bytes)
		return 0;
	for (char *end = text + bytes; text < end && n < MAX_WORDS; text += strlen(text) + 1)
		words[n++] = text;
	words[n] = NULL;
	return n;
}

static void be_child(struct prompt *p, int fd)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	char *words[MAX_WORDS + 1];
	uint32_t n;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGHUP); /* if the prompt is killed */
	walk_warm(p->kernel);
	n = receive_words(p->a, fd, words);
	if (!n)
		_exit(0);
	sigaction(SIGINT, &action, NULL);
	status = run(p, words, n, fd);
	fflush(NULL);
	_exit(status);
}

/* ---- in the prompt --------------------------------------------------------------------------*/

/* The wait status. */
static int reap(struct prompt_child *c)
{
	int status = 0;

	close(c->fd);
	TEMP_FAILURE_RETRY(waitpid(c->pid, &status, 0));
	*c = (struct prompt_child){.fd = -1};
	return status;
}

void prompt_end_child(struct prompt_child *c)
{
	int status = c->pid > 0 ? reap(c) : 0;

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGTERM)
		log_error("the run ended with signal %d (%s)", WTERMSIG(status),
			  strsignal(WTERMSIG(status)));
}

/* Wait until tracing has ended. The child of the run before is kept if there was none. */
static void wait_for_run(struct prompt *p, struct prompt_child new)
{
	struct prompt_reply reply;
	ssize_t n;

	n = TEMP_FAILURE_RETRY(recv(new.fd, &reply, sizeof(reply), 0));
	if (n != sizeof(reply)) {
		prompt_end_child(&new);
		return;
	}
	prompt_end_child(&p->child);
	p->child = new;
}

void prompt_prepare(struct prompt *p)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int fds[2];
	pid_t pid;

	if (p->next.pid > 0)
		return;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return;
	fflush(NULL);
	sigaction(SIGINT, &ignore, &before); /* Ctrl-C at the prompt is not for the child */
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		if (p->child.fd >= 0)
			close(p->child.fd);
		be_child(p, fds[1]);
	}
	sigaction(SIGINT, &before, NULL);
	close(fds[1]);
	if (pid > 0)
		p->next = (struct prompt_child){.pid = pid, .fd = fds[0]};
	else
		close(fds[0]);
}

/* `sonde`, the words that are set, and these: each with a NUL behind it. */
static bool send_words(const struct prompt *p, int fd, const char *const *words, uint32_t n)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	bool sent;

	if (!f)
		return false;
	fprintf(f, "sonde%c", 0);
	for (uint32_t i = 0; i < p->n_set; i++)
		fprintf(f, "%s%c", p->set[i], 0);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%c", words[i], 0);
	sent = fclose(f) == 0 && send(fd, text, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
	free(text);
	return sent;
}

/* Send them to the process that waits; to a new one if it was killed. False after a message. */
static bool begin_run(struct prompt *p, const char *const *words, uint32_t n,
		      struct prompt_child *new)
{
	for (int i = 0; i < 2; i++) {
		prompt_prepare(p);
		*new = p->next;
		p->next = (struct prompt_child){.fd = -1};
		if (new->pid > 0 && send_words(p, new->fd, words, n))
			return true;
		if (new->pid > 0)
			reap(new);
	}
	log_error("cannot run it: %s", strerror(errno));
	return false;
}

void prompt_start(struct prompt *p, const char *const *words, uint32_t n)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct prompt_child new;

	fflush(NULL);
	sigaction(SIGINT, &ignore, &before); /* Ctrl-C is for the run */
	if (begin_run(p, words, n, &new))
		wait_for_run(p, new);
	sigaction(SIGINT, &before, NULL);
}

bool prompt_ask(struct prompt *p, const struct prompt_request *r, struct prompt_reply *reply)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	ssize_t n = -1;

	if (p->child.pid <= 0)
		return false;
	fflush(stdout);
	sigaction(SIGINT, &ignore, &before);
	if (send(p->child.fd, r, sizeof(*r), MSG_NOSIGNAL) == sizeof(*r))
		n = TEMP_FAILURE_RETRY(recv(p->child.fd, reply, sizeof(*reply), 0));
	sigaction(SIGINT, &before, NULL);
	if (n == sizeof(*reply))
		return true;
	log_error("the process that kept the maps has ended");
	prompt_end_child(&p->child);
	return false;
}
