/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests a lesson: its solutions must solve it, and each of its wrong answers must be recognized by
 * its own mistake.
 */
#include "cli/learn/learn.h"
#include "cli/learn/lesson_run.h"

/* Run an answer. It should be judged as this mistake, or, if that is NULL, as a solution. Returns
 * whether it is. */
static bool test_answer(struct arena *a, const struct lesson *l, const char *program,
			const struct mistake *mistake)
{
	struct verdict v = {0};
	struct shown shown;

	if (lesson_run(a, l, program, true, &shown))
		return false;
	lesson_judge(a, l, program, &shown, &v);
	if (v.is_solved == !mistake && v.mistake == mistake)
		return true;
	printf("%s: the %s is judged wrongly:\n  %s\n  judged: %s\n", l->name,
	       mistake ? "mistake" : "solution", program, v.text);
	if (shown.status)
		printf("  exit status: %d\n", shown.status);
	for (uint32_t i = 0; i < shown.n_rows && i < 20; i++)
		printf("  %s[%s]: %lld (%llu)\n", shown.rows[i].map, shown.rows[i].key,
		       (long long)shown.rows[i].value, (unsigned long long)shown.rows[i].entries);
	for (uint32_t i = 0; i < shown.n_lines && i < 20; i++)
		printf("  printed: %s\n", shown.lines[i]);
	return false;
}

uint32_t lesson_test(struct arena *a, const struct lesson *l)
{
	uint32_t failed = 0, n = l->n_solutions;

	if (!lesson_can_run(l)) {
		printf("%s: this kernel cannot run it\n", l->name);
		return 0;
	}
	for (uint32_t i = 0; i < l->n_solutions; i++)
		failed += !test_answer(a, l, l->solutions[i], NULL);
	for (uint32_t i = 0; i < l->n_mistakes; i++) {
		const struct mistake *m = &l->mistakes[i];

		for (uint32_t k = 0; k < m->n_tries; k++, n++)
			failed += !test_answer(a, l, m->tries[k], m);
	}
	printf("%s: %u answers, %u judged wrongly\n", l->name, n, failed);
	return failed;
}
