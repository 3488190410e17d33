/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations. The gen_* hooks of their rows compute the value to add. Other functions add it, by
 * the layout in the aggregation's row of aggs.def, and read aggregations as integers.
 */
#include "parser/lang/agg.h"
#include "codegen/gen.h"

/* ---- hooks of builtins.def --------------------------------------------------------------- */

struct value gen_count(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_u64(g, 1), e->type);
}

/* agg_ordered() as BPF code: maps a value to an unsigned number in the same order, of which the
 * maximum is stored. `t` is the map's type, which is signed if one of its values is. */
static LLVMValueRef ordered(struct gen *g, const struct type *t, LLVMValueRef v)
{
	if (t->is_signed)
		v = LLVMBuildXor(g->b, v, gen_u64(g, 1ull << 63), "");
	return agg_is_minimum(t) ? LLVMBuildNot(g->b, v, "") : v;
}

/* ---- adding: the hooks of layouts ---------------------------------------------------------- */

static void add_words(struct gen *g, struct expr *target, struct expr *call, LLVMValueRef v,
		      const char *function)
{
	LLVMBasicBlockRef end;
	LLVMValueRef words = gen_map_element(g, target, &end);

	GEN_CALL(g, function, words, v, gen_u32(g, g->probe.id));
	gen_enter(g, end);
}

static void add_sum(struct gen *g, struct expr *target, struct expr *call, LLVMValueRef v,
		    const char *function)
{
	gen_map_sum(g, target, v);
}

static void add_ordered(struct gen *g, struct expr *target, struct expr *call, LLVMValueRef v,
			const char *function)
{
	add_words(g, target, call, ordered(g, target->map.map->value, v), function);
}

/* Buckets are numbered by signed values: unsigned values above INT64_MAX go to the last bucket. */
static LLVMValueRef bucket_value(struct gen *g, const struct type *arg, LLVMValueRef v)
{
	LLVMValueRef most = gen_u64(g, INT64_MAX);

	if (arg->is_signed || arg->size < 8)
		return v;
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, v, most, ""), v, most, "");
}

/* The value's bucket counts it, and the value goes to a sum. */
static void add_bucket(struct gen *g, struct expr *target, struct expr *call, LLVMValueRef v,
		       const char *function)
{
	const struct type *t = target->map.map->value;
	LLVMValueRef bucket;

	/* From the bucket the verifier would learn the value's size, and follow the next copy of an
	 * unroll's body separately for each size. */
	if (g->body.n_copies)
		v = LLVMBuildXor(g->b, v, GEN_CALL(g, "sonde_control_zero"), "");
	bucket = bucket_value(g, call->call.args[0]->type, v);
	if (agg_rows[t->agg].buckets == BUCKETS_LINEAR)
		bucket = GEN_CALL(g, function, bucket, gen_u64(g, (uint64_t)t->scale[0]),
				  gen_u64(g, (uint64_t)t->scale[1]),
				  gen_u64(g, (uint64_t)t->scale[2]));
	else
		bucket = GEN_CALL(g, function, bucket, gen_u32(g, (uint32_t)t->scale[0]));
	gen_map_bucket(g, target, bucket, v);
}

/* tseries() */
static void add_interval(struct gen *g, struct expr *target, struct expr *call, LLVMValueRef v,
			 const char *function)
{
	static const char *const add[] = {
		[SERIES_LAST] = "sonde_series_last", [SERIES_AVG] = "sonde_series_average",
		[SERIES_MAX] = "sonde_series_max",   [SERIES_MIN] = "sonde_series_max",
		[SERIES_SUM] = "sonde_series_sum",
	};
	const struct type *t = target->map.map->value;
	LLVMValueRef interval =
		GEN_CALL(g, "sonde_series_interval", gen_u64(g, (uint64_t)t->scale[0]));
	LLVMBasicBlockRef end;
	LLVMValueRef words = gen_map_interval(g, target, interval, &end);

	if (t->scale[2] == SERIES_MAX || t->scale[2] == SERIES_MIN)
		v = ordered(g, t, v);
	GEN_CALL(g, add[t->scale[2]], words, interval, v, gen_u32(g, g->probe.id));
	gen_enter(g, end);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* One word of an aggregation, over all CPUs: the sum or the maximum. */
static LLVMValueRef over_cpus(struct gen *g, uint32_t map, LLVMValueRef at, uint32_t word,
			      bool is_sum)
{
	const struct plan_map *m = &g->plan->maps[map];

	if (m->n_slots)
		return GEN_CALL(g, "sonde_agg_over_slots", at, gen_u32(g, word),
				gen_u32(g, m->n_slots), gen_u32(g, m->slot_bytes),
				gen_u32(g, is_sum));
	return GEN_CALL(g, "sonde_agg_over_cpus", g->maps[map], at, gen_u32(g, word),
			gen_u32(g, is_sum));
}

static LLVMValueRef total(struct gen *g, uint32_t map, LLVMValueRef at, uint32_t word)
{
	return over_cpus(g, map, at, word, true);
}

static struct value integer_of(LLVMValueRef v, const struct type *t)
{
	return gen_int_value(v, type_int(8, t->is_signed));
}

static struct value read_total(struct gen *g, const struct type *t, uint32_t map, LLVMValueRef at)
{
	return integer_of(total(g, map, at, 0), t);
}

static struct value read_extreme(struct gen *g, const struct type *t, uint32_t map, LLVMValueRef at)
{
	LLVMValueRef v = over_cpus(g, map, at, 0, false), is_set = over_cpus(g, map, at, 1, false);

	v = LLVMBuildSelect(g->b, gen_truth(g, is_set), ordered(g, t, v), gen_u64(g, 0), "");
	return integer_of(v, t);
}

/* The average. It is 0 if nothing was added; that is not counted as a division by zero. */
static struct value read_average(struct gen *g, const struct type *t, uint32_t map, LLVMValueRef at)
{
	LLVMValueRef sum = total(g, map, at, 0), n = total(g, map, at, 1), words;

	if (agg_rows[t->agg].is_readable) {
		n = LLVMBuildSelect(g->b, gen_truth(g, n), n, gen_u64(g, 1), "");
		return integer_of(gen_quotient(g, sum, n, t->is_signed), t);
	}
	words = gen_big_buffer(g, 16);
	LLVMBuildStore(g->b, sum, words);
	LLVMBuildStore(g->b, n, gen_at(g, words, 8));
	return (struct value){.kind = V_MEM, .type = t, .v = words};
}

/* ---- by layout --------------------------------------------------------------------------- */

static const struct {
	void (*add)(struct gen *g, struct expr *target, struct expr *call, LLVMValueRef v,
		    const char *function);
	const char *function;
	struct value (*read)(struct gen *g, const struct type *t, uint32_t map, LLVMValueRef at);
} layouts[] = {
#define LAYOUT(id, words, buckets, add, function, read, merge) [AL_##id] = {add, function, read},
#include "parser/lang/aggs.def"
};

void gen_aggregate(struct gen *g, struct expr *target, struct expr *call)
{
	enum agg_layout layout = agg_rows[target->map.map->value->agg].layout;

	layouts[layout].add(g, target, call, gen_int(g, call), layouts[layout].function);
}

struct value gen_agg_read(struct gen *g, uint32_t map, LLVMValueRef at)
{
	const struct type *t = g->plan->maps[map].value;

	return layouts[agg_rows[t->agg].layout].read(g, t, map, at);
}
