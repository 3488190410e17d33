/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to a script's maps, laid out by the plan. Every access uses the map's epoch, which a run
 * reads once: as the first part of a hash's key, or as the slot of an array (plan.h).
 */
#include "parser/base/limits.h"
#include "parser/lang/agg.h"
#include "codegen/gen.h"

static const struct plan_map *plan_of(struct gen *g, const struct expr *e)
{
	return &g->plan->maps[e->map.map->id];
}

static bool is_array(const struct plan_map *m)
{
	return m->kind == PM_ARRAY || m->kind == PM_PERCPU_ARRAY;
}

static LLVMValueRef global_of(struct gen *g, const struct expr *e)
{
	return g->maps[e->map.map->id];
}

LLVMValueRef gen_epoch(struct gen *g, uint32_t map)
{
	LLVMValueRef epoch = LLVMBuildLoad2(g->b, g->i32, gen_epoch_at(g, map), "");

	/* volatile in a probe that spills, else LLVM keeps the value on the stack */
	LLVMSetVolatile(epoch, g->probe.spills);
	return epoch;
}

void gen_epoch_refresh(struct gen *g, uint32_t map)
{
	LLVMValueRef epoch = GEN_CALL(g, "sonde_control_epoch", gen_u32(g, map));

	LLVMBuildStore(g->b, epoch, gen_epoch_at(g, map));
}

/* ---- keys -------------------------------------------------------------------------------- */

/* For the kernel, padding is part of the key, so it is zeroed: between the parts, and in parts of
 * several values, whose padding is not written. */
static void zero_padding(struct gen *g, const struct plan_map *m, LLVMValueRef key)
{
	uint32_t at = 4;

	for (uint32_t i = 0; i < m->n_keys; i++) {
		uint32_t end = m->keys[i].offset + m->keys[i].size;

		gen_zero_from(g, key, at,
			      type_is_compound(m->keys[i].type) ? end : m->keys[i].offset);
		at = end;
	}
	if (m->bucket_offset) {
		gen_zero_from(g, key, at, m->bucket_offset);
		at = m->bucket_offset + 4;
	}
	gen_zero_from(g, key, at, m->key_size);
}

/* Is the key too long for the BPF stack? A key with a long string does not fit there together with
 * others. */
static bool is_big_key(const struct gen *g, const struct plan_map *m)
{
	return g->body.scratch && m->key_size > (g->probe.spills ? 16 : LIMIT_KEY_ON_STACK);
}

/* Build a key on the stack. The parts are computed first, so that the key takes no stack in the
 * meantime. */
static LLVMValueRef short_key(struct gen *g, const struct expr *e)
{
	const struct plan_map *m = plan_of(g, e);
	struct value parts[LIMIT_CALL_ARGS], all;
	LLVMValueRef key;

	if (e->map.is_spread)
		all = gen_expr(g, e->map.keys[0]);
	for (uint32_t i = 0; i < m->n_keys; i++)
		parts[i] = e->map.is_spread ? gen_part(g, all, i) : gen_expr(g, e->map.keys[i]);
	gen_location(g, e->span);
	key = gen_buffer(g, m->key_size);
	zero_padding(g, m, key);
	for (uint32_t i = 0; i < m->n_keys; i++)
		gen_store(g, parts[i], m->keys[i].type, gen_at(g, key, m->keys[i].offset));
	return key;
}

/* Build a key in scratch memory. The parts are computed and stored one by one, so that only one of
 * them takes scratch memory at a time. */
static LLVMValueRef long_key(struct gen *g, const struct expr *e)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = gen_big_buffer(g, m->key_size);
	struct expr **parts = ast_key_parts(e);
	uint32_t mark = g->probe.scratch.used;
	struct value all;

	zero_padding(g, m, key);
	if (!parts)
		all = gen_expr(g, e->map.keys[0]);
	for (uint32_t i = 0; i < m->n_keys; i++) {
		const struct type *t = m->keys[i].type;
		LLVMValueRef at = gen_at(g, gen_scratch_again(g, key), m->keys[i].offset);

		if (parts)
			gen_expr_into(g, parts[i], t, at);
		else
			gen_store(g, gen_part(g, all, i), t, at);
	}
	gen_scratch_release(g, mark);
	gen_location(g, e->span);
	return gen_scratch_again(g, key);
}

/* Build a key. */
static LLVMValueRef build_key(struct gen *g, const struct expr *e)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key, epoch;

	g->probe.at = e->span;
	key = is_big_key(g, m) ? long_key(g, e) : short_key(g, e);
	epoch = gen_epoch(g, e->map.map->id);
	if (is_array(m))
		epoch = LLVMBuildAnd(g->b, epoch, gen_u32(g, SONDE_EPOCH_SLOTS - 1), "");
	LLVMBuildStore(g->b, epoch, key);
	return key;
}

static void end_key(struct gen *g, const struct expr *e, LLVMValueRef key)
{
	if (!is_big_key(g, plan_of(g, e)))
		gen_buffer_end(g, key, plan_of(g, e)->key_size);
}

static LLVMValueRef lookup(struct gen *g, const struct expr *e, LLVMValueRef key)
{
	LLVMValueRef args[] = {global_of(g, e), key};

	return LLVMBuildIntToPtr(g->b, gen_helper(g, BPF_FUNC_map_lookup_elem, args, 2), g->ptr,
				 "");
}

/* Generate the following code for the case that `p` is not NULL. Returns the block for
 * end_when(). */
static LLVMBasicBlockRef when_set(struct gen *g, LLVMValueRef p)
{
	LLVMBasicBlockRef end = gen_block(g, "end");

	gen_only_if(g, p, end);
	return end;
}

static void touch(struct gen *g, const struct plan_map *m, LLVMValueRef element)
{
	LLVMBuildStore(g->b, gen_u64(g, 1), gen_at(g, element, m->touched_offset));
}

/* ---- reading ----------------------------------------------------------------------------- */

/* A missing entry reads as 0. The value is copied, since the entry may be changed or deleted while
 * the value is in use. */
struct value gen_map_read(struct gen *g, struct expr *e)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), copy, found;
	LLVMBasicBlockRef end;
	struct value v;

	if (m->value->kind == TY_AGG) {
		v = gen_agg_read(g, e->map.map->id, is_array(m) ? key : lookup(g, e, key));
		end_key(g, e, key);
		return v;
	}
	copy = gen_big_buffer(g, m->value_size);
	gen_zero(g, copy, m->value->size);
	found = lookup(g, e, key);
	if (!is_array(m))
		gen_warn_missing(g, found);
	end = when_set(g, found);
	gen_store(g, gen_load(g, m->value, found), m->value, copy);
	gen_enter(g, end);
	end_key(g, e, key);
	v = gen_load(g, m->value, copy);
	if (v.kind == V_INT)
		gen_buffer_end(g, copy, m->value_size);
	return v;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* The address of the value in the layout of the map. A long value that already has that layout is
 * not copied. */
static LLVMValueRef value_in_memory(struct gen *g, const struct plan_map *m, struct value v)
{
	LLVMValueRef value;

	if (v.kind == V_MEM && m->value_size > LIMIT_ON_STACK && m->value_size == m->value->size &&
	    type_equal(v.type, m->value))
		return v.v;
	value = gen_big_buffer(g, m->value_size);
	if (m->value->size < m->value_size)
		gen_zero(g, value, m->value_size);
	gen_store(g, v, m->value, value);
	return value;
}

void gen_map_write(struct gen *g, struct expr *e, struct value v)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), value, element;
	LLVMBasicBlockRef end;

	if (is_array(m)) {
		element = lookup(g, e, key);
		end = when_set(g, element);
		gen_store(g, v, m->value, element);
		touch(g, m, element);
		gen_enter(g, end);
		end_key(g, e, key);
		return;
	}
	value = value_in_memory(g, m, v);
	GEN_CALL(g, "sonde_map_check",
		 GEN_HELPER(g, BPF_FUNC_map_update_elem, global_of(g, e), key, value,
			    gen_u64(g, BPF_ANY)),
		 gen_u32(g, g->probe.id));
	if (v.kind == V_INT)
		gen_buffer_end(g, value, m->value_size);
	end_key(g, e, key);
}

/* End the code for an element that exists. The result is `v`, or 0 if there is no element; `from`
 * is the block that has tested for it. */
static LLVMValueRef end_with(struct gen *g, LLVMBasicBlockRef from, LLVMBasicBlockRef end,
			     LLVMValueRef v)
{
	LLVMBasicBlockRef then = LLVMGetInsertBlock(g->b);

	gen_enter(g, end);
	return gen_phi(g, gen_u64(g, 0), from, v, then);
}

static LLVMValueRef add_in_place(struct gen *g, const struct plan_map *m, LLVMValueRef element,
				 LLVMValueRef amount)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b), end = when_set(g, element);
	LLVMValueRef before = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, element, amount,
						 LLVMAtomicOrderingMonotonic, false);

	touch(g, m, element);
	return end_with(g, from, end, before);
}

LLVMValueRef gen_map_add(struct gen *g, struct expr *e, LLVMValueRef amount)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), old;

	if (is_array(m))
		old = add_in_place(g, m, lookup(g, e, key), amount);
	else
		old = GEN_CALL(g, "sonde_map_add", global_of(g, e), key, amount,
			       gen_u32(g, g->probe.id));
	end_key(g, e, key);
	return old;
}

LLVMValueRef gen_map_has(struct gen *g, struct expr *e)
{
	LLVMValueRef key = build_key(g, e), found;

	if (plan_of(g, e)->bucket_offset) {
		found = gen_bucket_has(g, e, key);
		end_key(g, e, key);
		return found;
	}
	found = lookup(g, e, key);
	end_key(g, e, key);
	return gen_extended(g, LLVMBuildIsNotNull(g->b, found, ""));
}

LLVMValueRef gen_map_find(struct gen *g, struct expr *e, const struct var *v)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), found = lookup(g, e, key);
	LLVMBasicBlockRef from, end;

	end_key(g, e, key);
	from = LLVMGetInsertBlock(g->b);
	end = when_set(g, found);
	if (m->value->kind == TY_AGG)
		gen_set_var(g, v, gen_agg_read(g, e->map.map->id, found));
	else
		gen_set_var(g, v, gen_load(g, m->value, found));
	return end_with(g, from, end, gen_u64(g, 1));
}

/* The argument `place` of sonde_agg_words(). */
static LLVMValueRef place_of(struct gen *g, const struct plan_map *m)
{
	uint64_t shape = m->n_slots << SONDE_SHAPE_SLOTS | m->slot_bytes;

	return gen_u64(g, shape << 32 | g->probe.id);
}

/* The words of an element that this CPU adds to; it is inserted if it does not exist. `bucket` is
 * the last part of the key, or NULL. */
static LLVMValueRef element_in(struct gen *g, struct expr *e, LLVMValueRef bucket,
			       LLVMBasicBlockRef *end)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), words;

	if (bucket)
		LLVMBuildStore(g->b, LLVMBuildTrunc(g->b, bucket, g->i32, ""),
			       gen_at(g, key, m->bucket_offset));
	words = lookup(g, e, key);
	if (!is_array(m))
		words = GEN_CALL(g, "sonde_agg_words", words, global_of(g, e), key, place_of(g, m));
	end_key(g, e, key);
	*end = when_set(g, words);
	if (is_array(m))
		touch(g, m, words);
	return words;
}

LLVMValueRef gen_map_element(struct gen *g, struct expr *e, LLVMBasicBlockRef *end)
{
	return element_in(g, e, NULL, end);
}

/* Add to the word of an element with keys, which is inserted if it does not exist. */
static void add_by_key(struct gen *g, struct expr *e, LLVMValueRef amount)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e);

	GEN_CALL(g, "sonde_agg_add", lookup(g, e, key), global_of(g, e), key, amount,
		 place_of(g, m));
	end_key(g, e, key);
}

void gen_map_sum(struct gen *g, struct expr *e, LLVMValueRef amount)
{
	LLVMBasicBlockRef end;
	LLVMValueRef words;

	if (!is_array(plan_of(g, e))) {
		add_by_key(g, e, amount);
		return;
	}
	words = gen_map_element(g, e, &end);
	GEN_CALL(g, "sonde_agg_sum", words, amount, gen_u32(g, g->probe.id));
	gen_enter(g, end);
}

/* In a keyed histogram each bucket is an entry; without keys all are in the one element. */
void gen_map_bucket(struct gen *g, struct expr *e, LLVMValueRef bucket, LLVMValueRef value)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMBasicBlockRef end;
	LLVMValueRef words = element_in(g, e, is_array(m) ? NULL : bucket, &end);

	if (is_array(m))
		GEN_CALL(g, "sonde_bucket_count", words, bucket, gen_u64(g, m->n_words - 1), value);
	else
		GEN_CALL(g, "sonde_agg_average", words, value, gen_u32(g, g->probe.id));
	gen_enter(g, end);
}

LLVMValueRef gen_map_interval(struct gen *g, struct expr *e, LLVMValueRef interval,
			      LLVMBasicBlockRef *end)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), words, bucket;

	bucket = LLVMBuildURem(g->b, interval, gen_u64(g, agg_buckets(m->value)), "");
	LLVMBuildStore(g->b, LLVMBuildTrunc(g->b, bucket, g->i32, ""),
		       gen_at(g, key, m->bucket_offset));
	words = GEN_CALL(g, "sonde_series_slot", global_of(g, e), key, interval,
			 gen_u32(g, m->n_slots), gen_u32(g, m->slot_bytes),
			 gen_u32(g, g->probe.id));
	end_key(g, e, key);
	*end = when_set(g, words);
	return words;
}

static LLVMValueRef was_touched(struct gen *g, const struct plan_map *m, LLVMValueRef element)
{
	LLVMValueRef word = gen_word(g, gen_at(g, element, m->touched_offset));

	return gen_extended(g, gen_truth(g, word));
}

static LLVMValueRef delete_in_place(struct gen *g, const struct plan_map *m, LLVMValueRef element)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b), end = when_set(g, element);
	LLVMValueRef had = was_touched(g, m, element);

	gen_zero(g, element, m->value_size);
	return end_with(g, from, end, had);
}

LLVMValueRef gen_map_delete(struct gen *g, struct expr *e)
{
	const struct plan_map *m = plan_of(g, e);
	LLVMValueRef key = build_key(g, e), had;

	if (m->kind == PM_PERCPU_ARRAY) {
		had = GEN_CALL(g, "sonde_agg_forget", global_of(g, e), key,
			       gen_u32(g, m->touched_offset / 8), gen_u32(g, m->value_size));
	} else if (is_array(m)) {
		had = delete_in_place(g, m, lookup(g, e, key));
	} else if (m->bucket_offset) {
		had = gen_bucket_delete(g, e, key);
	} else {
		had = gen_helper(g, BPF_FUNC_map_delete_elem,
				 (LLVMValueRef[]){global_of(g, e), key}, 2);
		had = gen_compare(g, LLVMIntEQ, had, 0);
		had = gen_extended(g, had);
	}
	end_key(g, e, key);
	return had;
}
