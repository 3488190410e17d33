/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled script has numbers in it that were looked up when it was compiled: offsets of struct
 * members and of fields, addresses of functions, the number of CPUs. Each line of the file names
 * one thing that they are of, and its identity (runtime/kernel/identity.h). When the script is run,
 * each must be the same.
 */
#include "cli/compile/compiled_facts.h"
#include "cli/options/options.h"
#include "parser/lang/kernel.h"
#include "parser/plan/plan.h"
#include "runtime/base/log.h"
#include "runtime/kernel/identity.h"
#include "runtime/session/session.h"
#include "runtime/session/scope.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- now --------------------------------------------------------------------------------- */

/* What is true now, as the line's REST. 0 or -errno. `name` is behind the identity, or NULL. */
typedef int now_fn(struct kernel *k, const char *name, char out[IDENTITY_BYTES]);

static int now_sonde(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	char id[IDENTITY_BYTES];
	int err = identity_of_file("/proc/self/exe", id);

	(void)k, (void)name;
	snprintf(out, IDENTITY_BYTES, "%s %.100s", SONDE_VERSION, err ? "" : id);
	return err;
}

static int now_kernel(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	(void)k, (void)name;
	return identity_of_kernel(out);
}

static int now_cpus(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	(void)name;
	snprintf(out, IDENTITY_BYTES, "%u", k->n_cpus(k));
	return 0;
}

static int now_namespace(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	(void)k, (void)name;
	snprintf(out, IDENTITY_BYTES, "%s", scope_pid_namespace() ? "inner" : "initial");
	return 0;
}

static int now_boot(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	(void)k, (void)name;
	return identity_of_boot(out);
}

static int now_module(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	(void)k;
	return identity_of_module(name, out);
}

static int now_file(struct kernel *k, const char *name, char out[IDENTITY_BYTES])
{
	(void)k;
	return identity_of_file(name, out);
}

/* ---- rows -------------------------------------------------------------------------------- */

static const struct row {
	const char *word;
	now_fn *now;
	bool has_name; /* REST is the identity and a name */
	const char *what;
} rows[] = {
	{"sonde", now_sonde, false, "another build of sonde"},
	{"kernel", now_kernel, false, "another kernel"},
	{"cpus", now_cpus, false, "a machine with another number of CPUs"},
	{"pid-namespace", now_namespace, false, "another kind of pid namespace"},
	{"boot", now_boot, false,
	 "an earlier start of the kernel, whose addresses and ids it has in it,"},
	{"module", now_module, true, "another build of the module"},
	{"file", now_file, true, "another build of"},
};

static const struct row *find_row(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].word) == len && memcmp(rows[i].word, word, len) == 0)
			return &rows[i];
	return NULL;
}

static bool differs(const struct options *o, const struct row *r, const char *name, const char *was,
		    const char *is)
{
	log_error("'%s' was compiled for %s%s%s%s", o->file, r->what, name ? " '" : "",
		  name ? name : "", name ? "'" : "");
	fprintf(stderr,
		"hint: compile it again here: sonde build SCRIPT -o FILE\n"
		"  then: %s\n  now:  %s\n",
		was, is);
	return false;
}

bool compiled_fact_holds(const struct options *o, struct kernel *k, char *line)
{
	size_t len = strcspn(line, " ");
	const struct row *r = find_row(line, len);
	char now[IDENTITY_BYTES] = "", *rest = line + len + (line[len] == ' '), *name = NULL;
	int err;

	if (strncmp(line, "parameter", len) == 0)
		return true;
	if (!r) {
		log_error("'%s' is damaged: its line '%s' has no meaning", o->file, line);
		return false;
	}
	if (r->has_name && (name = strchr(rest, ' ')))
		*name++ = '\0';
	err = r->has_name && !name ? -EINVAL : r->now(k, name, now);
	if (err)
		snprintf(now, sizeof(now), "%s", strerror(-err));
	return strcmp(now, rest) == 0 || differs(o, r, name, rest, now);
}

/* ---- writing ----------------------------------------------------------------------------- */

struct writer {
	const struct options *options;
	struct kernel *kernel;
	FILE *f;
	bool has_failed;
};

static void put(struct writer *w, const char *word, const char *name)
{
	const struct row *r = find_row(word, strlen(word));
	char now[IDENTITY_BYTES] = "";
	int err = name && strchr(name, '\n') ? -EINVAL : r->now(w->kernel, name, now);

	if (err && !w->has_failed) {
		log_error("cannot compile this script to a file: %s%s%s: %s", word, name ? " " : "",
			  name ? name : "", strerror(-err));
		w->has_failed = true;
	}
	fprintf(w->f, "# %s %s%s%s\n", word, now, name ? " " : "", name ? name : "");
}

/* Is the file or module of an earlier program the same? */
static bool is_known(const struct plan *p, const struct plan_target *t, const char *name)
{
	for (uint32_t i = 0; i < p->n_progs; i++)
		for (uint32_t j = 0; j < plan_n_targets(&p->progs[i]); j++) {
			const struct plan_target *u = &p->progs[i].targets[j];
			const char *other = t->path ? u->path : u->module;

			if (u == t)
				return false;
			if (other && strcmp(other, name) == 0)
				return true;
		}
	return false;
}

static void put_targets(struct writer *w, const struct plan *p, const struct plan_prog *g)
{
	for (uint32_t i = 0; i < plan_n_targets(g); i++) {
		const struct plan_target *t = &g->targets[i];
		const char *name = t->path ? t->path : t->module;

		if (name && strcmp(name, "vmlinux") != 0 && !is_known(p, t, name))
			put(w, t->path ? "file" : "module", name);
	}
	if (g->typed && !g->typed->prog_id && *g->typed->module &&
	    strcmp(g->typed->module, "vmlinux") != 0)
		put(w, "module", g->typed->module);
	if (prog_kind_is(g->kind, PK_EVENT) && g->perf.path)
		put(w, "file", g->perf.path);
}

/* Addresses of functions and numbers of loaded programs. */
static bool is_of_boot(const struct plan *p)
{
	for (uint32_t i = 0; i < p->n_progs; i++) {
		const struct plan_prog *g = &p->progs[i];

		if (g->typed && g->typed->prog_id)
			return true;
		if (!prog_kind_is(g->kind, PK_KERNEL_FUNCTION))
			continue;
		for (uint32_t j = 0; j < g->n_targets; j++)
			if (g->targets[j].address)
				return true;
	}
	return false;
}

int compiled_facts_write(const struct options *o, const struct plan *p, struct kernel *k, FILE *f)
{
	struct writer w = {.options = o, .kernel = k, .f = f};

	if (k->has_module_types) {
		log_error("cannot compile this script to a file: it uses types of kernel modules, "
			  "which can be loaded in another build");
		return -1;
	}
	put(&w, "sonde", NULL);
	put(&w, "kernel", NULL);
	put(&w, "cpus", NULL);
	put(&w, "pid-namespace", NULL);
	if (k->has_boot_facts || is_of_boot(p))
		put(&w, "boot", NULL);
	for (uint32_t i = 0; i < p->n_progs; i++)
		put_targets(&w, p, &p->progs[i]);
	for (uint32_t i = 0; i < o->n_params; i++)
		if (!strchr(o->params[i], '\n'))
			fprintf(f, "# parameter %s\n", o->params[i]);
	return w.has_failed ? -1 : 0;
}
