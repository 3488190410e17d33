/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A socket that listens at an address of the command line.
 */
#pragma once
#include <netinet/in.h>
#include <stdbool.h>

struct listen_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t len;
};

/* Read PORT, :PORT, ADDRESS:PORT or [ADDRESS]:PORT; without an address it is 127.0.0.1. False if it
 * is none of these. */
bool listen_read(const char *text, struct listen_address *out);
/* A socket that listens there, or -errno; the port that it has goes to *port. */
int listen_open(const struct listen_address *a, uint16_t *port);
