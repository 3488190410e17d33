/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See listen.h.
 */
#include "runtime/base/listen.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 16 };

static bool read_port(const char *text, in_port_t *port)
{
	size_t n = strspn(text, "0123456789");
	unsigned long x = n && n < 6 && !text[n] ? strtoul(text, NULL, 10) : 65536;

	*port = htons((uint16_t)x);
	return x < 65536;
}

bool listen_read(const char *text, struct listen_address *out)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2] = "127.0.0.1";
	size_t n = colon ? (size_t)(colon - text) : 0;

	*out = (struct listen_address){.len = sizeof(out->v4)};
	if (n >= sizeof(host))
		return false;
	if (n)
		snprintf(host, sizeof(host), "%.*s", (int)n, text);
	if (strcmp(host, "localhost") == 0)
		snprintf(host, sizeof(host), "127.0.0.1");
	if (*host == '[' && host[n - 1] == ']') {
		host[n - 1] = '\0';
		out->len = sizeof(out->v6);
		out->v6.sin6_family = AF_INET6;
		return inet_pton(AF_INET6, host + 1, &out->v6.sin6_addr) == 1 &&
		       read_port(colon + 1, &out->v6.sin6_port);
	}
	out->v4.sin_family = AF_INET;
	return inet_pton(AF_INET, host, &out->v4.sin_addr) == 1 &&
	       read_port(colon ? colon + 1 : text, &out->v4.sin_port);
}

int listen_open(const struct listen_address *a, uint16_t *port)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, err = 0;
	struct listen_address at = *a;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &a->any, a->len) || listen(fd, BACKLOG) || getsockname(fd, &at.any, &at.len))
		err = -errno;
	/* the port is at the same place in both */
	*port = ntohs(at.v4.sin_port);
	if (!err)
		return fd;
	close(fd);
	return err;
}
