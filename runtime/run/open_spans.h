/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that are open when tracing begins or ends.
 */
#pragma once
struct session;

/* For a script with open_spans = count. Once all is attached, note the threads that
 * are off CPU, with their user stacks; those for which there were no unwind tables are tried again
 * now and then. Before detaching, note the end of tracing; after it, run the bodies for open spans.
 * `drain` handles the records that programs have sent. 0, or -errno after a message. */
int session_open_begin(struct session *s);
void session_open_retry(struct session *s);
int session_open_stop(struct session *s, void (*drain)(void *ctx), void *ctx);
int session_open_count(const struct session *s);
