/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays: see replay.h. The recording's facts are the kernel that the script is checked against.
 */
#include "cli/saved/replay.h"
#include "cli/options/options.h"
#include "cli/run/walk.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/recording/raw_events.h"
#include "runtime/recording/recording.h"

static int run(const struct options *o, const struct recorded_events *all, struct kernel *k)
{
	struct options run = *o;

	if (all->n_lost)
		log_warning("the recording lacks %llu events, which were lost when it was made",
			    (unsigned long long)all->n_lost);
	k->recording = o->replay;
	run.interpret = true;
	run.recorded = all;
	return walk_in(&run, k);
}

int replay_script(const struct options *o)
{
	struct recorded_events all;
	struct kernel *k = NULL;
	struct recording rec;
	char *facts = NULL;
	int status = 1;

	if (recording_open(&rec, o->replay) == 0)
		facts = raw_events_facts(&rec);
	if (facts)
		k = facts_text_open(facts, o->replay);
	if (k && raw_events_read(&rec, k, &all) == 0)
		status = run(o, &all, k);
	if (k)
		kernel_close(k);
	recording_close(&rec);
	return status;
}
