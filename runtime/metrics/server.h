/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --listen: serves metrics by HTTP, in a thread of libmicrohttpd. A request asks the loop for new
 * values, and waits for them for a bounded time. The loop only hands over texts.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The forms of the text: OpenMetrics 1.0, Prometheus 0.0.4. */
enum metric_form { FORM_OPENMETRICS, FORM_PROMETHEUS, FORM_COUNT };

struct server;

/* Listen at an address (runtime/base/listen.h). NULL after a message. */
struct server *server_start(const char *address);
/* A descriptor that can be read when somebody waits for new values. */
int server_fd(const struct server *s);
/* Does somebody? */
bool server_is_asked(struct server *s);
/* Answer with this text from now on. 0 or -ENOMEM. */
int server_publish(struct server *s, enum metric_form form, const char *bytes, size_t n);
/* All forms of new values were published: those who wait get them. */
void server_answer(struct server *s);
void server_stop(struct server *s);
