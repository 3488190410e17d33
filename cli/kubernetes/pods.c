/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints pods as YAML, which is what people read and change: a fixed text with few gaps.
 */
#include "cli/kubernetes/kubernetes.h"
#include "parser/base/arena.h"
#include "parser/base/escape.h"
#include "parser/base/source.h"
#include <string.h>

/* The code point of a well-formed character. */
static unsigned int code_point(const char *bytes, size_t len)
{
	unsigned int c = (unsigned char)bytes[0] & (len == 1 ? 0x7f : 0x7f >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)bytes[i] & 0x3f);
	return c;
}

/* A string in double quotes; `bytes` are UTF-8. What is not ASCII is escaped, for versions of YAML
 * differ in which characters end a line. */
static void put_quoted(FILE *f, const char *bytes, size_t n)
{
	size_t len;

	putc('"', f);
	for (; n; bytes += len, n -= len) {
		len = utf8_length(bytes, n);
		if (*bytes == '\n')
			fputs("\\n", f);
		else if (len > 1 || *bytes < ' ' || *bytes == '\177')
			fprintf(f, "\\U%08x", code_point(bytes, len));
		else
			fprintf(f, strchr("\"\\", *bytes) ? "\\%c" : "%c", *bytes);
	}
	putc('"', f);
}

/* An argument. Kubernetes replaces $(NAME) in it, and $$ by $. */
static void put_argument(struct arena *a, const char *word, FILE *f)
{
	char *text = arena_alloc(a, 2 * strlen(word) + 1);
	size_t n = 0;

	for (; *word; word++) {
		if (*word == '$')
			text[n++] = '$';
		text[n++] = *word;
	}
	fputs("        - ", f);
	put_quoted(f, text, n);
	putc('\n', f);
}

static bool has(const struct source *s, const char *text)
{
	return memmem(s->text, s->len, text, strlen(text));
}

/* True if the text can be indented as it is: its first line does not begin with a blank, and it has
 * no character that only some parsers of YAML take for the end of a line. */
static bool is_plain(const struct source *s)
{
	return s->len && !strchr(" \t\n", s->text[0]) && !has(s, "\r") && !has(s, "\u2028") &&
	       !has(s, "\u2029") && !has(s, "\ufeff") &&
	       escape_clean(ESCAPE_LINES, s->text, s->len) == s->len;
}

static void put_script(const struct source *s, FILE *f)
{
	const char *at = s->text, *end = s->text + s->len;

	fputs("  " PODS_SCRIPT_NAME ": ", f);
	if (!is_plain(s)) {
		put_quoted(f, s->text, s->len);
		putc('\n', f);
		return;
	}
	fputs("|\n", f);
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at)) ?: end;

		if (line_end > at)
			fprintf(f, "    %.*s", (int)(line_end - at), at);
		putc('\n', f);
		at = line_end + 1;
	}
}

static void put_config_map(const struct pods *p, FILE *f)
{
	fprintf(f,
		"apiVersion: v1\n"
		"kind: ConfigMap\n"
		"metadata:\n"
		"  name: %s\n"
		"data:\n",
		p->name);
	put_script(p->script, f);
	fputs("---\n", f);
}

static void put_daemon_set(const struct pods *p, FILE *f)
{
	fprintf(f,
		"apiVersion: apps/v1\n"
		"kind: DaemonSet\n"
		"metadata:\n"
		"  name: %s\n"
		"spec:\n"
		"  selector:\n"
		"    matchLabels:\n"
		"      app: %s\n"
		"  updateStrategy:\n"
		"    rollingUpdate:\n"
		"      maxUnavailable: 100%%\n",
		p->name, p->name);
}

static void put_job(const struct pods *p, FILE *f)
{
	fprintf(f,
		"apiVersion: batch/v1\n"
		"kind: Job\n"
		"metadata:\n"
		"  name: %s\n"
		"spec:\n"
		"  completions: %u\n"
		"  parallelism: %u\n"
		"  completionMode: Indexed\n"
		"  backoffLimitPerIndex: 0 # a run that fails does not begin again, and ends no other\n",
		p->name, p->n_nodes, p->n_nodes);
}

/* What a pod may do, and on which nodes it runs. */
static void put_pod(const struct pods *p, FILE *f)
{
	fprintf(f,
		"  template:\n"
		"    metadata:\n"
		"      labels:\n"
		"        app: %s\n"
		"    spec:\n"
		"      hostPID: true # the processes of the node, with their names and symbols\n"
		"      automountServiceAccountToken: false\n"
		"      nodeSelector:\n"
		"        kubernetes.io/os: linux\n"
		"      tolerations:\n"
		"      - operator: Exists # nodes of the control plane, too\n",
		p->name);
	if (p->n_nodes)
		fprintf(f,
			"      restartPolicy: Never\n"
			"      affinity:\n"
			"        podAntiAffinity: # each on a node of its own\n"
			"          requiredDuringSchedulingIgnoredDuringExecution:\n"
			"          - topologyKey: kubernetes.io/hostname\n"
			"            labelSelector:\n"
			"              matchLabels:\n"
			"                app: %s\n",
			p->name);
}

/* What tracing takes: docs/containers.md. */
static const char rights[] =
	"        securityContext: # as much as root on the node: who may create this pod, may do all\n"
	"          runAsUser: 0\n"
	"          capabilities:\n"
	"            drop: [ALL]\n"
	"            add:\n"
	"            - BPF # load programs\n"
	"            - PERFMON # attach them, and read the memory of the kernel\n"
	"            - SYS_ADMIN # perf events where perf_event_paranoid is 3 or more, as on Debian\n"
	"            - SYS_PTRACE # maps and files of other processes, for symbols\n"
	"            - SYSLOG # addresses of the kernel's functions\n"
	"            - DAC_READ_SEARCH # programs that only their owners may read\n"
	"            - SYS_RESOURCE # many open files\n"
	"          seccompProfile:\n"
	"            type: Unconfined # bpf(), perf_event_open()\n"
	"          appArmorProfile:\n"
	"            type: Unconfined # /proc of other processes\n"
	"        resources:\n"
	"          requests: {cpu: 100m, memory: 256Mi}\n"
	"          limits: {memory: 1Gi} # none for the CPU: a reader that waits loses events\n";

static void put_mount(const char *name, const char *path, FILE *f)
{
	fprintf(f, "        - {name: %s, mountPath: %s, readOnly: true}\n", name, path);
}

static void put_container(struct arena *a, const struct pods *p, FILE *f)
{
	fputs("      containers:\n"
	      "      - name: sonde\n"
	      "        image: ",
	      f);
	put_quoted(f, p->image, strlen(p->image));
	fputs("\n"
	      "        command: [sonde]\n"
	      "        args:\n"
	      "        - -q # the log has results, warnings and errors\n"
	      "        - --label=node=$(" PODS_NODE_NAME ")\n",
	      f);
	for (uint32_t i = 0; i < p->n_args; i++)
		put_argument(a, p->args[i], f);
	fputs("        env:\n"
	      "        - name: " PODS_NODE_NAME "\n"
	      "          valueFrom: {fieldRef: {fieldPath: spec.nodeName}}\n",
	      f);
	if (p->port)
		fprintf(f,
			"        ports:\n"
			"        - {name: metrics, containerPort: %u}\n",
			p->port);
	fputs(rights, f);
	fputs("        volumeMounts:\n", f);
	put_mount("tracing", "/sys/kernel/tracing", f);
	put_mount("cgroup", "/sys/fs/cgroup", f);
	if (p->script)
		put_mount("script", PODS_SCRIPT_FOLDER, f);
	fputs("      volumes:\n"
	      "      - {name: tracing, hostPath: {path: /sys/kernel/tracing}}\n"
	      "      - {name: cgroup, hostPath: {path: /sys/fs/cgroup}}\n",
	      f);
	if (p->script)
		fprintf(f, "      - {name: script, configMap: {name: %s}}\n", p->name);
}

void pods_print(struct arena *a, const struct pods *p, FILE *f)
{
	if (p->script)
		put_config_map(p, f);
	if (p->n_nodes)
		put_job(p, f);
	else
		put_daemon_set(p, f);
	put_pod(p, f);
	put_container(a, p, f);
}
