/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of times. The numbers of a map share a unit, so that they can be compared at a glance.
 * Bounds of buckets, and numbers of one record, are far apart: each has its own.
 */
#include "runtime/view/agg.h"
#include "runtime/view/format.h"

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {[SHOW_NS] = {"ns", 1},
	     [SHOW_US] = {"us", 1000},
	     [SHOW_MS] = {"ms", 1000000},
	     [SHOW_S] = {"s", 1000000000}};

/* The largest in which the time is at least `least`. */
static uint64_t unit_of(uint64_t ns, uint64_t least)
{
	for (uint64_t unit = SHOW_S; unit >= SHOW_US; unit--)
		if (ns / units[unit].ns >= least)
			return unit;
	return SHOW_NS;
}

static uint64_t size_of(const struct view *v)
{
	return v->type->is_signed && (int64_t)v->integer < 0 ? -v->integer : v->integer;
}

uint64_t format_map_unit(const struct view_map *m)
{
	const struct type *type = m->n_rows ? m->rows[0].value.type : NULL;
	uint64_t largest = 0;

	if (!m->is_time || m->time_unit == TIME_UNIT_NS || !type)
		return SHOW_NUMBER;
	if (m->time_unit != TIME_UNIT_AUTO)
		return m->time_unit;
	if (type->kind == TY_AGG && agg_rows[type->agg].buckets == BUCKETS_LINEAR)
		return unit_of((uint64_t)type->scale[2], 1); /* the step */
	if (!format_is_number(type))
		return SHOW_OWN_UNIT;
	for (uint32_t i = 0; i < m->n_rows; i++)
		if (size_of(&m->rows[i].value) > largest)
			largest = size_of(&m->rows[i].value);
	return unit_of(largest, 10);
}

/* With three digits, and as many places behind the point as they leave: "1.05 ms". */
static void put_three_digits(struct text *t, uint64_t ns)
{
	uint64_t rounded = ns + ns / 2000, unit = unit_of(rounded, 1), n = rounded / units[unit].ns;
	int places = unit == SHOW_NS || n >= 100 ? 0 : n >= 10 ? 1 : 2;

	text_printf(t, "%.*f %s", places, (double)ns / (double)units[unit].ns, units[unit].name);
}

void format_time(struct text *t, uint64_t unit, uint64_t ns, bool is_negative)
{
	uint64_t size = is_negative ? -ns : ns, step, thousandths;

	if (is_negative)
		text_char(t, '-');
	if (unit == SHOW_OWN_UNIT) {
		put_three_digits(t, size);
	} else if (unit == SHOW_NS) {
		text_unsigned(t, size);
	} else {
		step = units[unit].ns / 1000;
		thousandths = (size + step / 2) / step;
		text_printf(t, "%llu.%03u", (unsigned long long)(thousandths / 1000),
			    (unsigned int)(thousandths % 1000));
	}
}

const char *format_unit(uint64_t unit)
{
	return units[unit].name;
}

void format_time_unit(struct text *t, uint64_t unit)
{
	if (unit != SHOW_OWN_UNIT)
		text_printf(t, " %s", units[unit].name);
}
