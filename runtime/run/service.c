/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells systemd how far a service is (Type=notify): a datagram to the socket that the environment
 * names, as sd_notify(3) sends it.
 */
#include "runtime/run/loop_state.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void service_notify(const char *state)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len < 2 || len > sizeof(to.sun_path) || !strchr("/@", path[0]))
		return;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@') /* an abstract name */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}
