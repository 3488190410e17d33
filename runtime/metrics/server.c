/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See server.h. The library is loaded with dlopen(), because most runs do not need it, and it loads
 * GnuTLS.
 */
#include "runtime/metrics/server.h"
#include "parser/base/find.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/listen.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	CONNECTIONS = 32,
	CONNECTION_SECONDS = 10,
	CONNECTION_BYTES = 16 * 1024,
	FRESH_NS = 200000000, /* values of this age are not made again */
	WAIT_NS = 1000000000, /* then the last ones are good enough */
};

/* The functions that are used of it. */
#define FUNCTIONS(F)               \
	F(start_daemon)            \
	F(stop_daemon)             \
	F(queue_response)          \
	F(add_response_header)     \
	F(destroy_response)        \
	F(lookup_connection_value) \
	F(create_response_from_buffer)
#define MEMBER(name) __typeof__(&MHD_##name) name;

static struct {
	FUNCTIONS(MEMBER)
} http;

struct server {
	struct MHD_Daemon *daemon;
	int wake; /* eventfd */
	pthread_mutex_t lock;
	pthread_cond_t answered;
	struct MHD_Response *texts[FORM_COUNT]; /* NULL: there are none yet */
	uint64_t n_answers, answered_ns;
	bool is_stopping;
};

static const char *const content_types[] = {
	[FORM_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[FORM_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
};
_Static_assert(sizeof(content_types) / sizeof(*content_types) == FORM_COUNT, "one for each form");

static bool load_library(void)
{
	void *so = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
	bool is_whole = so != NULL;

#define LOAD(name)                                                        \
	*(void **)&http.name = is_whole ? dlsym(so, "MHD_" #name) : NULL; \
	is_whole &= http.name != NULL;
	FUNCTIONS(LOAD)
	return is_whole;
}

/* ---- the library's thread ------------------------------------------------------------------ */

/* Wait until the loop has new values, unless those that there are have just been made. */
static void wait_for_values(struct server *s)
{
	uint64_t now = monotonic_ns(), seen = s->n_answers;
	struct timespec until = clock_timespec(now + WAIT_NS);

	if (s->n_answers && now - s->answered_ns < FRESH_NS)
		return;
	eventfd_write(s->wake, 1);
	while (s->n_answers == seen && !s->is_stopping)
		if (pthread_cond_timedwait(&s->answered, &s->lock, &until))
			return;
}

static enum MHD_Result put_error(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct MHD_Response *r = http.create_response_from_buffer(strlen(text), (void *)text,
								  MHD_RESPMEM_PERSISTENT);
	enum MHD_Result done = MHD_NO;

	if (!r)
		return MHD_NO;
	http.add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		http.add_response_header(r, "Allow", "GET, HEAD");
	done = http.queue_response(c, status, r);
	http.destroy_response(r);
	return done;
}

static enum MHD_Result put_values(struct server *s, struct MHD_Connection *c)
{
	const char *accept = http.lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	bool is_open = accept && strstr(accept, "application/openmetrics-text");
	enum MHD_Result done;
	struct MHD_Response *r;

	pthread_mutex_lock(&s->lock);
	wait_for_values(s);
	r = s->texts[is_open ? FORM_OPENMETRICS : FORM_PROMETHEUS];
	done = r ? http.queue_response(c, MHD_HTTP_OK, r)
		 : put_error(c, MHD_HTTP_SERVICE_UNAVAILABLE, "tracing has not begun yet\n");
	pthread_mutex_unlock(&s->lock);
	return done;
}

/* Called once for the head of a request, where an error ends it before its body is read, and once
 * more when all of it came. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *body,
				  size_t *n_body, void **state)
{
	bool is_read = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;

	if (!is_read)
		return put_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (strcmp(url, "/metrics") != 0)
		return put_error(c, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
	if (!*state) {
		*state = ctx;
		return MHD_YES;
	}
	if (*n_body) { /* of a GET: means nothing */
		*n_body = 0;
		return MHD_YES;
	}
	return put_values(ctx, c);
}

/* ---- the loop's thread --------------------------------------------------------------------- */

static int report_address(const char *address, int err)
{
	static const struct {
		int err;
		const char *hint;
	} hints[] = {
		{EADDRINUSE, "another program listens there: write another port, as --listen 9436"},
		{EADDRNOTAVAIL, "this machine does not have the address: write 127.0.0.1 for "
				"programs on this machine, 0.0.0.0 for all"},
		{EACCES, "ports below 1024 require root: write --listen 9435"},
		{EPERM, "ports below 1024 require root: write --listen 9435"},
	};
	__auto_type row = FIND_ROW(hints, item->err == -err);

	log_error("--listen: cannot listen at %s: %s%s", address, strerror(-err), limit_hint(err));
	if (row)
		log_hint("%s", row->hint);
	return -1;
}

/* The library's thread blocks all signals: the loop handles them. */
static struct MHD_Daemon *start_daemon(struct server *s, int fd)
{
	sigset_t all, before;
	struct MHD_Daemon *d;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	d = http.start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, on_request,
			      s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			      (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
			      (unsigned)CONNECTION_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			      (size_t)CONNECTION_BYTES, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return d;
}

struct server *server_start(const char *address)
{
	struct server *s = calloc(1, sizeof(*s));
	struct listen_address a;
	const char *host_end = strrchr(address, ':');
	uint16_t port;
	int fd;

	if (!s || !load_library() || !listen_read(address, &a)) {
		log_error("--listen needs the library libmicrohttpd: apt install libmicrohttpd12");
		free(s);
		return NULL;
	}
	fd = listen_open(&a, &port);
	if (fd < 0) {
		report_address(address, fd);
		free(s);
		return NULL;
	}
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&s->lock, NULL);
	thread_condition_init(&s->answered);
	s->daemon = start_daemon(s, fd);
	if (!s->daemon) {
		close(fd);
		report_address(address, errno ? -errno : -EIO);
		server_stop(s);
		return NULL;
	}
	if (!host_end || host_end == address)
		log_info("metrics are at http://127.0.0.1:%u/metrics", port);
	else
		log_info("metrics are at http://%.*s:%u/metrics", (int)(host_end - address),
			 address, port);
	return s;
}

int server_fd(const struct server *s)
{
	return s->wake;
}

bool server_is_asked(struct server *s)
{
	eventfd_t n;

	return eventfd_read(s->wake, &n) == 0;
}

int server_publish(struct server *s, enum metric_form form, const char *bytes, size_t n)
{
	struct MHD_Response *r =
		http.create_response_from_buffer(n, (void *)bytes, MHD_RESPMEM_MUST_COPY);
	struct MHD_Response *old;

	if (!r)
		return -ENOMEM;
	http.add_response_header(r, "Content-Type", content_types[form]);
	pthread_mutex_lock(&s->lock);
	old = s->texts[form];
	s->texts[form] = r;
	pthread_mutex_unlock(&s->lock);
	if (old)
		http.destroy_response(old); /* once it is sent */
	return 0;
}

void server_answer(struct server *s)
{
	pthread_mutex_lock(&s->lock);
	s->n_answers++;
	s->answered_ns = monotonic_ns();
	pthread_cond_broadcast(&s->answered);
	pthread_mutex_unlock(&s->lock);
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->is_stopping = true;
	pthread_cond_broadcast(&s->answered);
	pthread_mutex_unlock(&s->lock);
	if (s->daemon)
		http.stop_daemon(s->daemon);
	for (int i = 0; i < FORM_COUNT; i++)
		if (s->texts[i])
			http.destroy_response(s->texts[i]);
	if (s->wake >= 0)
		close(s->wake);
	free(s);
}
