/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations. The gen_* hooks of their rows compute the value to add: a number or a bucket. Other
 * functions add it, by the layout in the aggregation's row of aggs.def, and read aggregations as
 * integers.
 */
#include "parser/lang/agg.h"
#include "codegen/gen.h"
#include "codegen/gen_hooks.h"

/* ---- hooks of builtins.def --------------------------------------------------------------- */

struct value gen_count(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_u64(g, 1), e->type);
}

struct value gen_sum(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_int(g, e->call.args[0]), e->type);
}

/* agg_ordered() as BPF code: maps a value to an unsigned number in the same order, of which the
 * maximum is stored. `t` is the map's type, which is signed if one of its values is. */
static LLVMValueRef ordered(struct gen *g, const struct type *t, LLVMValueRef v)
{
	if (t->is_signed)
		v = LLVMBuildXor(g->b, v, gen_u64(g, 1ull << 63), "");
	return agg_is_minimum(t) ? LLVMBuildNot(g->b, v, "") : v;
}

struct value gen_extreme(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_int(g, e->call.args[0]), e->type);
}

/* The value of a histogram's argument. Buckets are numbered by signed values: unsigned values above
 * INT64_MAX go to the last bucket. */
static LLVMValueRef bucket_value(struct gen *g, struct expr *arg)
{
	LLVMValueRef v = gen_int(g, arg), most = gen_u64(g, INT64_MAX);

	/* From the bucket the verifier would learn the value's size, and follow the next copy of an
	 * unroll's body separately for each size. */
	if (g->body.n_copies)
		v = LLVMBuildXor(g->b, v, GEN_CALL(g, "sonde_control_zero"), "");
	if (arg->type->is_signed || arg->type->size < 8)
		return v;
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, v, most, ""), v, most, "");
}

struct value gen_log_bucket(struct gen *g, struct expr *e)
{
	LLVMValueRef v = bucket_value(g, e->call.args[0]);

	v = GEN_CALL(g, "sonde_bucket_find_log", v, gen_u32(g, (uint32_t)e->type->scale[0]));
	return gen_int_value(v, e->type);
}

struct value gen_signed_bucket(struct gen *g, struct expr *e)
{
	LLVMValueRef v = bucket_value(g, e->call.args[0]);

	v = GEN_CALL(g, "sonde_bucket_find_signed", v, gen_u32(g, (uint32_t)e->type->scale[0]));
	return gen_int_value(v, e->type);
}

struct value gen_linear_bucket(struct gen *g, struct expr *e)
{
	const int64_t *scale = e->type->scale;
	LLVMValueRef v = bucket_value(g, e->call.args[0]);

	v = GEN_CALL(g, "sonde_bucket_find_linear", v, gen_u64(g, (uint64_t)scale[0]),
		     gen_u64(g, (uint64_t)scale[1]), gen_u64(g, (uint64_t)scale[2]));
	return gen_int_value(v, e->type);
}

/* ---- tseries ----------------------------------------------------------------------------- */

static void add_to_series(struct gen *g, struct expr *target, const struct type *t, LLVMValueRef v)
{
	static const char *const add[] = {
		[SERIES_LAST] = "sonde_series_last", [SERIES_AVG] = "sonde_series_average",
		[SERIES_MAX] = "sonde_series_max",   [SERIES_MIN] = "sonde_series_max",
		[SERIES_SUM] = "sonde_series_sum",
	};
	LLVMValueRef interval =
		GEN_CALL(g, "sonde_series_interval", gen_u64(g, (uint64_t)t->scale[0]));
	LLVMBasicBlockRef end;
	LLVMValueRef words = gen_map_interval(g, target, interval, &end);

	if (t->scale[2] == SERIES_MAX || t->scale[2] == SERIES_MIN)
		v = ordered(g, t, v);
	GEN_CALL(g, add[t->scale[2]], words, interval, v, gen_u32(g, g->probe.id));
	gen_map_element_end(g, end);
}

/* ---- adding ------------------------------------------------------------------------------ */

void gen_aggregate(struct gen *g, struct expr *target, struct expr *call)
{
	const struct type *t = target->map.map->value;
	LLVMValueRef v = gen_int(g, call), words;
	LLVMBasicBlockRef end;

	switch (agg_rows[t->agg].layout) {
	case AL_SUM:
		words = gen_map_element(g, target, &end);
		GEN_CALL(g, "sonde_agg_sum", words, v);
		break;
	case AL_LOG_BUCKETS:
	case AL_LINEAR_BUCKETS:
	case AL_SIGNED_BUCKETS: gen_map_bucket(g, target, v); return;
	case AL_SERIES: add_to_series(g, target, t, v); return;
	case AL_MIN:
	case AL_MAX:
		words = gen_map_element(g, target, &end);
		GEN_CALL(g, "sonde_agg_max", words, ordered(g, t, v), gen_u32(g, g->probe.id));
		break;
	case AL_AVERAGE:
		words = gen_map_element(g, target, &end);
		GEN_CALL(g, "sonde_agg_average", words, v);
		break;
	default: return;
	}
	gen_map_element_end(g, end);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* One word of an aggregation, over all CPUs: the sum or the maximum. */
static LLVMValueRef over_cpus(struct gen *g, uint32_t map, LLVMValueRef at, uint32_t word,
			      bool is_sum)
{
	const struct plan_map *m = &g->plan->maps[map];

	if (m->n_slots)
		return GEN_CALL(g, is_sum ? "sonde_agg_slots_total" : "sonde_agg_slots_greatest",
				at, gen_u32(g, word), gen_u32(g, m->n_slots),
				gen_u32(g, m->slot_bytes));
	return GEN_CALL(g, is_sum ? "sonde_agg_total" : "sonde_agg_greatest", g->maps[map], at,
			gen_u32(g, word));
}

static LLVMValueRef total(struct gen *g, uint32_t map, LLVMValueRef at, uint32_t word)
{
	return over_cpus(g, map, at, word, true);
}

static LLVMValueRef read_extreme(struct gen *g, const struct type *t, uint32_t map, LLVMValueRef at)
{
	LLVMValueRef v = over_cpus(g, map, at, 0, false), is_set = over_cpus(g, map, at, 1, false);

	return LLVMBuildSelect(g->b, gen_truth(g, is_set), ordered(g, t, v), gen_u64(g, 0), "");
}

/* The average. It is 0 if nothing was added; that is not counted as a division by zero. */
static LLVMValueRef read_average(struct gen *g, const struct type *t, uint32_t map, LLVMValueRef at)
{
	LLVMValueRef sum = total(g, map, at, 0), n = total(g, map, at, 1);

	n = LLVMBuildSelect(g->b, gen_truth(g, n), n, gen_u64(g, 1), "");
	return gen_quotient(g, sum, n, t->is_signed);
}

struct value gen_agg_read(struct gen *g, uint32_t map, LLVMValueRef at)
{
	const struct type *t = g->plan->maps[map].value;
	LLVMValueRef words;

	switch (agg_rows[t->agg].layout) {
	case AL_MIN:
	case AL_MAX: return gen_int_value(read_extreme(g, t, map, at), type_int(8, t->is_signed));
	case AL_AVERAGE:
		if (agg_rows[t->agg].is_readable)
			return gen_int_value(read_average(g, t, map, at),
					     type_int(8, t->is_signed));
		words = gen_big_buffer(g, 16);
		LLVMBuildStore(g->b, total(g, map, at, 0), words);
		LLVMBuildStore(g->b, total(g, map, at, 1), gen_at(g, words, 8));
		return (struct value){.kind = V_MEM, .type = t, .v = words};
	default: return gen_int_value(total(g, map, at, 0), type_int(8, t->is_signed));
	}
}
