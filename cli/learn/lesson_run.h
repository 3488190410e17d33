/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a learner's program beside the workload of a lesson, and says whether it solves it.
 */
#pragma once
#include "cli/learn/lesson_file.h"
#include <sys/types.h>

/* Run the program; with `quiet`, nothing that it prints is shown. Returns 0, or -1 after a
 * message. */
int lesson_run(struct arena *a, const struct lesson *l, const char *program, bool quiet,
	       struct shown *out);

/* Wait for a child, which SIGINT ends. Returns its exit status, 3 after a signal. */
int lesson_wait(pid_t pid);
/* Can this kernel run the lesson? If it has no `needs`, every kernel can. */
bool lesson_can_run(const struct lesson *l);

struct verdict {
	bool is_solved;
	const struct mistake *mistake; /* the mistake that was made, if it is known */
	const char *text;	       /* the text for the user */
};
/* Judge what the program has shown. Sets *out; its text may be in the arena. */
void lesson_judge(struct arena *a, const struct lesson *l, const char *program,
		  const struct shown *shown, struct verdict *out);
