/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points that fire by the clock: interval, profile.
 */
#include "parser/base/time_unit.h"
#include "parser/attach/probe_parse.h"

/* How often a second; 0: the text is no number. */
static uint64_t read_hertz(struct arena *a, const char *text)
{
	uint64_t n;

	if (strpbrk(text, "_e")) /* 1_000, 1e3 */
		return probe_number(a, text);
	return !text[strspn(text, "0123456789")] && time_read(text, 1, &n) ? n : 0;
}

/* Read a period from "hz:N", "s:N", "ms:N", "us:N", "500ms" or "2500" (nanoseconds). Returns
 * nanoseconds, or 0 for any other text. */
static uint64_t read_period(struct arena *a, char **parts, uint32_t n)
{
	const char *text = parts[n - 1];
	uint64_t ns;

	if (n == 2 && strcmp(parts[0], "hz") == 0) {
		ns = read_hertz(a, text);
		return ns && ns <= 1000000000 ? 1000000000 / ns : 0;
	}
	if (strpbrk(text, "_e"))
		text = arena_printf(a, "%llu", (unsigned long long)probe_number(a, text));
	if (strchr(text, '.'))
		return 0;
	if (n == 2 && (!*parts[0] || text[strspn(text, "0123456789")])) /* s:5m */
		return 0;
	if (n == 2)
		text = arena_printf(a, "%s%s", text, parts[0]);
	return time_read(text, 1, &ns) ? ns : 0;
}

enum {
	SHORTEST_INTERVAL_NS = 1000,
	SHORTEST_PROFILE_NS = 10000, /* the kernel raises shorter periods to this */
};

/* The unknown word in place of a unit; NULL if the unit is known or missing. */
static const char *wrong_unit(char **parts, uint32_t n)
{
	const char *digits = parts[n - 1];
	const char *unit = n == 2 ? parts[0] : digits + strspn(digits, "0123456789");

	if (unit == digits || !*unit || time_unit_ns(unit, strlen(unit)) || strcmp(unit, "hz") == 0)
		return NULL;
	return unit;
}

/* Report a fraction of a period, as in `interval:0.5s`. False if the text is none. */
static bool bad_fraction(const struct probe_reader *r, const struct attach_point *p,
			 const char *text)
{
	uint64_t ns;

	if (!time_read(text, 0, &ns) || !ns)
		return false;
	diag_error(r->diags, p->span, "bad-period", "a period is a whole number");
	return diag_hint(r->diags, "write %s:%s", probe_rows[p->id].name, time_text(r->arena, ns)),
	       true;
}

static int bad_period(const struct probe_reader *r, const struct attach_point *p, char **parts,
		      uint32_t n)
{
	const char *name = probe_rows[p->id].name, *unit = wrong_unit(parts, n);
	size_t digits;

	if (unit && n == 2 && !unit[strspn(unit, "0123456789")] &&
	    !parts[1][strspn(parts[1], "abcdefghijklmnopqrstuvwxyz")]) {
		diag_error(r->diags, p->span, "bad-period",
			   "the unit of time goes before the number");
		return diag_hint(r->diags, "write %s:%s:%s", name, parts[1], unit);
	}
	if (n == 1 && unit && *unit == '.' && bad_fraction(r, p, parts[0]))
		return -1;
	if (unit) {
		const char *meant = time_unit_meant(unit);

		diag_error(r->diags, p->span, "bad-period", "'%s' is not a unit of time", unit);
		if (meant && n == 1)
			return diag_hint(r->diags, "write %s:%.*s%s", name, (int)(unit - parts[0]),
					 parts[0], meant);
		if (meant)
			return diag_hint(r->diags, "write %s:%s:%s", name, meant, parts[1]);
		return diag_hint(r->diags,
				 "units are hz, s, ms, us, ns, m (minutes), h and d: %s:hz:99, "
				 "%s:ms:100, %s:500ms",
				 name, name, name);
	}
	digits = strspn(parts[0], "0123456789");
	if (n == 1 && digits && strcmp(parts[0] + digits, "hz") == 0) {
		diag_error(r->diags, p->span, "bad-period", "'%s' is a frequency, not a period",
			   parts[0]);
		return diag_hint(r->diags, "write %s:hz:%.*s", name, (int)digits, parts[0]);
	}
	diag_error(r->diags, p->span, "bad-period", "'%s%s%s' is not a period", parts[0],
		   n == 2 ? ":" : "", n == 2 ? parts[1] : "");
	if (n == 1 && strchr(parts[0], '_') && !strpbrk(parts[0], "0123456789 "))
		return diag_hint(
			r->diags,
			"%s takes a time, %s:hz:99; the entry of a kernel function is kprobe:%s",
			name, name, parts[0]);
	if (n == 2 && parts[1][strspn(parts[1], "0123456789")] &&
	    read_period(r->arena, parts + 1, 1))
		return diag_hint(r->diags, "write %s:%s", name, parts[1]);
	return diag_hint(r->diags, "write %s:s:1, %s:ms:100, %s:hz:99 or %s:500ms", name, name,
			 name, name);
}

static int too_short(const struct probe_reader *r, const struct attach_point *p, char **parts,
		     uint32_t n, uint64_t shortest)
{
	const char *name = probe_rows[p->id].name;

	diag_error(r->diags, p->span, "bad-period", "a period of %llu ns is too short",
		   (unsigned long long)p->timer.period_ns);
	if (n == 1 && !parts[0][strspn(parts[0], "0123456789")])
		return diag_hint(r->diags,
				 "a number alone counts nanoseconds, at least %llu; "
				 "write %s:%ss for seconds, %s:hz:%s for %s times a second",
				 (unsigned long long)shortest, name, parts[0], name, parts[0],
				 parts[0]);
	return diag_hint(r->diags, "the shortest is %lluus", (unsigned long long)shortest / 1000);
}

static int prs_period(const struct probe_reader *r, struct attach_point *p, char **parts,
		      uint32_t n, uint64_t shortest)
{
	if (n != 1 && n != 2)
		return probe_wrong_form(r, p);
	p->timer.period_ns = read_period(r->arena, parts, n);
	if (p->timer.period_ns == 0)
		return bad_period(r, p, parts, n);
	if (p->timer.period_ns < shortest)
		return too_short(r, p, parts, n, shortest);
	return 0;
}

int prs_interval(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	return prs_period(r, p, parts, n, SHORTEST_INTERVAL_NS);
}

/* For a frequency, the kernel itself adjusts the period to the time between samples. */
int prs_profile(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	if (prs_period(r, p, parts, n, SHORTEST_PROFILE_NS))
		return -1;
	if (n == 2 && strcmp(parts[0], "hz") == 0)
		p->timer.hertz = read_hertz(r->arena, parts[1]);
	return 0;
}
