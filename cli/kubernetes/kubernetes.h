/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde kubernetes`: prints the objects that run a script on each node of a cluster.
 */
#pragma once
#include <stdint.h>
#include <stdio.h>

struct arena;
struct options;
struct source;

/* Print the objects. The exit status. */
int kubernetes_run(const struct options *o);

/* What the objects run. */
struct pods {
	const char *name; /* of the objects: a label of DNS */
	const char *image;
	uint32_t n_nodes;	     /* a Job on this many nodes; 0: a DaemonSet, on all */
	const struct source *script; /* of a ConfigMap; NULL: the image has it */
	const char **args;	     /* of sonde in the container */
	uint32_t n_args;
	uint16_t port; /* of --listen; 0: none */
};

/* Where the container has the script of the ConfigMap. */
#define PODS_SCRIPT_FOLDER "/etc/sonde-script"
#define PODS_SCRIPT_NAME "script.bt"
/* Of the environment of the container: the name of its node. */
#define PODS_NODE_NAME "NODE_NAME"

/* pods.c: print them as YAML. */
void pods_print(struct arena *a, const struct pods *p, FILE *f);
