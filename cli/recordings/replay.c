/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See recordings.h. The recording's facts are the kernel that the script is checked against.
 */
#include "cli/recordings/recordings.h"
#include "cli/options/options.h"
#include "cli/run/walk.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/recording/raw_events.h"
#include "runtime/recording/recording.h"
#include "runtime/replay/replay.h"
#include <stdbool.h>
#include <unistd.h>

static int run(const struct options *o, const struct recorded_events *all, struct kernel *k)
{
	struct options run = *o;
	struct replay replay;

	if (all->n_lost)
		log_warning("the recording lacks %llu events, which were lost when it was made",
			    (unsigned long long)all->n_lost);
	k->recording = o->record.file;
	run.scope.program = "*"; /* uprobe:FUNCTION: of any program that was recorded */
	run.interpret = true;
	replay_init(&replay, all, o->record.file);
	run.record.source = &replay.source;
	return walk_in(&run, k);
}

/* 0, or -1 after a message. */
static int check_words(const struct options *o)
{
	bool is_recording = recording_is(o->record.file),
	     has_script = o->args.program || o->args.file;

	if (has_script || (!is_recording && access(o->record.file, R_OK)))
		return 0; /* what is wrong with the file is reported when it is opened */
	if (is_recording)
		log_error("'sonde replay' requires a script, too: write sonde replay %s SCRIPT",
			  o->record.file);
	else
		log_error("'%s' is not a recording, over which the script would run",
			  o->record.file);
	if (!is_recording)
		log_hint("write sonde replay RECORDING %s; 'sonde record --events LIST -o "
			 "FILE' makes a recording",
			 o->record.file);
	return -1;
}

int replay_script(const struct options *o)
{
	struct recorded_events all;
	struct kernel *k = NULL;
	struct recording rec;
	char *facts = NULL;
	int status = 1;

	if (check_words(o))
		return 1;
	if (recording_open(&rec, o->record.file) == 0)
		facts = raw_events_facts(&rec);
	if (facts)
		k = facts_text_open(facts, o->record.file);
	if (k && raw_events_read(&rec, k, &all) == 0)
		status = run(o, &all, k);
	if (k)
		kernel_close(k);
	recording_close(&rec);
	return status;
}
