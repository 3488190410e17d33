/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of a run: see run.h.
 */
#include "cli/run/run.h"
#include "cli/base/output_file.h"
#include "runtime/base/shell_word.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"
#include "runtime/output/run_title.h"
#include <stdlib.h>

/* The command line; argv has been rearranged. NULL if it cannot be read. */
static char *read_arguments(void)
{
	FILE *in = fopen("/proc/self/cmdline", "re"), *out;
	char *word = NULL, *text = NULL;
	size_t capacity = 0, len = 0;
	bool is_first = true;

	out = in ? open_memstream(&text, &len) : NULL;
	while (out && getdelim(&word, &capacity, '\0', in) > 0) {
		fputs(is_first ? "" : " ", out);
		shell_word_put(out, word);
		is_first = false;
	}
	free(word);
	if (out)
		fclose(out);
	if (in)
		fclose(in);
	return text;
}

/* A number that the kernel makes when it starts. */
static void read_boot_id(char out[BOOT_ID_BYTES])
{
	io_read_file("/proc/sys/kernel/random/boot_id", out, BOOT_ID_BYTES, 0);
	out[strcspn(out, "\n")] = '\0';
}

void run_facts_make(struct run_facts *f, const struct options *o, const struct plan *plan)
{
	const struct source *s = plan->source;

	f->arguments = read_arguments();
	if (uname(&f->system))
		memset(&f->system, 0, sizeof(f->system));
	read_boot_id(f->boot_id);
	f->run = (struct view_run){
		.path = o->out.path,
		.version = SONDE_VERSION,
		.arguments = f->arguments,
		.script_name = s ? s->name : o->args.file,
		.script = s ? s->text : NULL,
		.command = o->args.command,
		.host = f->system.nodename,
		.kernel = f->system.release,
		.machine = f->system.machine,
		.boot_id = *f->boot_id ? f->boot_id : NULL,
		.labels = o->out.labels,
		.n_labels = o->out.n_labels,
		.resets = o->out.reset,
		.scope = &o->scope,
		.start = clock_ns(CLOCK_REALTIME),
		.monotonic = monotonic_ns(),
		.facts = o->record.event_facts,
		.boot = clock_ns(CLOCK_BOOTTIME),
		.tai = clock_ns(CLOCK_TAI),
		.last_ns = o->record.last_ns,
		.listen = o->dry_run ? NULL : o->out.listen,
		.max_keys = o->out.max_keys,
		.write_file = output_write,
	};
	run_units(&f->run, plan);
}

void run_facts_free(struct run_facts *f)
{
	free(f->arguments);
}
