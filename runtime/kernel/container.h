/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of Docker, Podman, containerd and Kubernetes: their cgroups.
 */
#pragma once
#include <stddef.h>

/* The folder of the cgroup (version 2) of the container with that name or beginning of an ID. Names
 * are read from the files of Docker, Podman and the kubelet, and from those of the folders in
 * $SONDE_CONTAINERS ("DIR:DIR"). 0, or -1 after a message. */
int container_cgroup(const char *name, char *path, size_t size);
