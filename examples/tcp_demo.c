/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TCP connections over 127.0.0.1, for scripts about the network.
 *
 *	tcp_demo [N]		N connections (1), one after another: the side that accepts
 *				sends 100,000 bytes and closes, the other one reads them
 *	tcp_demo refused	a connection to a port on which nobody listens
 *	tcp_demo queue		five connections to a port that has a queue for one and accepts
 *				none: for 1.2 s the packets that would open the others are
 *				dropped and sent again
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 100000, IN_QUEUE = 5 };

static struct sockaddr_in address;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A port of its own, which the kernel chooses; with a queue if somebody shall listen. */
static int open_port(int queue)
{
	socklen_t size = sizeof(address);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (s < 0 || bind(s, (struct sockaddr *)&address, size) ||
	    getsockname(s, (struct sockaddr *)&address, &size) || (queue >= 0 && listen(s, queue)))
		fail("cannot open a port");
	return s;
}

static void *serve(void *listener)
{
	static const char bytes[BYTES];
	int s = accept(*(int *)listener, NULL, NULL);

	if (s < 0 || write(s, bytes, sizeof(bytes)) != sizeof(bytes))
		fail("cannot serve");
	close(s);
	return NULL;
}

static void connect_once(int listener)
{
	static char bytes[BYTES];
	int s = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t server;

	if (pthread_create(&server, NULL, serve, &listener))
		fail("cannot start a thread");
	if (connect(s, (struct sockaddr *)&address, sizeof(address)))
		fail("cannot connect");
	while (read(s, bytes, sizeof(bytes)) > 0)
		;
	pthread_join(server, NULL);
	close(s);
}

static int connect_to_full_queue(void)
{
	const struct timespec wait = {1, 200000000};

	open_port(0);
	for (int i = 0; i < IN_QUEUE; i++)
		connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
			(struct sockaddr *)&address, sizeof(address));
	return nanosleep(&wait, NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, listener;

	if (argc > 1 && strcmp(argv[1], "queue") == 0)
		return connect_to_full_queue();
	if (argc > 1 && strcmp(argv[1], "refused") == 0) {
		open_port(-1);
		return connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address,
			       sizeof(address)) == 0;
	}
	listener = open_port(8);
	for (int i = 0; i < n; i++)
		connect_once(listener);
	return 0;
}
