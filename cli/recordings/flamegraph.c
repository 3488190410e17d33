/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws saved stacks as a flame graph: see recordings.h.
 */
#include "cli/recordings/recordings.h"
#include "cli/base/output_file.h"
#include "cli/options/option_rows.h"
#include "runtime/output/flame_page.h"
#include "runtime/output/folded_read.h"
#include "runtime/recording/show.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Make both totals the same, so that only shares are compared. */
static int scale(struct call_tree *t)
{
	double before = (double)t->nodes.items[0].total_before;

	if (before <= 0)
		return 0;
	for (size_t i = 0; i < t->nodes.n; i++)
		t->nodes.items[i].self_before =
			(uint64_t)((double)t->nodes.items[i].self_before *
					   ((double)t->nodes.items[0].total / before) +
				   0.5);
	return call_tree_finish(t);
}

static int read_recording(struct flame_graph *g, const char *path, bool is_before)
{
	FILE *f = tmpfile(); /* writers of stacks write to a descriptor */
	bool is_time = false;
	int err;

	if (!f)
		return log_error("cannot create a temporary file: %s", strerror(errno));
	err = recording_fold(path, f, &is_time);
	g->is_time |= is_time;
	rewind(f);
	err = err ?: folded_read_file(&g->tree, f, path, is_before);
	fclose(f);
	return err;
}

static int read_stacks(struct flame_graph *g, const char *path, bool is_before)
{
	return recording_is(path) ? read_recording(g, path, is_before)
				  : folded_read(&g->tree, path, is_before);
}

static int read_files(const struct options *o, struct flame_graph *g)
{
	if (call_tree_init(&g->tree, "all") ||
	    (o->diff && read_stacks(g, o->args.params[0], true)) ||
	    read_stacks(g, o->args.params[o->diff ? 1 : 0], false) || call_tree_finish(&g->tree))
		return -1;
	return o->scale ? scale(&g->tree) : 0;
}

int flamegraph_run(const struct options *o)
{
	struct flame_page page = {.is_difference = o->diff};
	struct text_grown out;
	struct flame_graph g = {.is_time = o->unit != NULL};
	char name[512];
	int status = 1;

	snprintf(name, sizeof(name), "%s%s%s", o->args.params[0], o->diff ? ", " : "",
		 o->diff ? o->args.params[1] : "");
	g.name = name;
	text_grown_init(&out);
	if (read_files(o, &g) == 0) {
		status = vec_push(&page.graphs, g) || flame_page_write(&page, &out.text) ? 2 : 0;
		if (status || out.error)
			log_error("out of memory");
		else
			status = output_write(o->out.path, out.text.bytes, out.text.n, 0600);
	}
	if (page.graphs.n)
		flame_page_free(&page);
	else
		call_tree_free(&g.tree);
	text_grown_free(&out);
	return status;
}
