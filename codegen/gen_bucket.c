/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on one key of a keyed histogram. Each of its buckets is an entry of the map, so
 * has_key() and delete() visit all possible buckets (bpf_loop, 5.17; at most a few thousand). They
 * are not atomic: what another CPU adds in the meantime counts as before or after, bucket by
 * bucket.
 */
#include "parser/lang/agg.h"
#include "codegen/gen.h"

/* long body(u64 bucket, void **key), which returns 1 to end the loop. The context of a loop must be
 * on the stack; the key may be elsewhere, so its address is passed. */
static LLVMValueRef bucket_body(struct gen *g, uint32_t map, int helper, struct span span)
{
	LLVMTypeRef params[] = {g->i64, g->ptr};
	LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
	struct gen_body outer = g->body;
	LLVMValueRef fn, key, found;
	const char *name =
		arena_printf(g->arena, "%s_bucket%u", g->prog.plan->symbol, g->n_loops++);

	fn = gen_function_begin(g, name, LLVMFunctionType(g->i64, params, 2, false), span);
	key = LLVMBuildLoad2(g->b, g->ptr, LLVMGetParam(fn, 1), "");
	LLVMBuildStore(g->b, LLVMBuildTrunc(g->b, LLVMGetParam(fn, 0), g->i32, ""),
		       gen_at(g, key, g->plan->maps[map].bucket_offset));
	found = GEN_HELPER(g, helper, g->maps[map], key);
	if (helper == BPF_FUNC_map_lookup_elem)
		found = gen_extended(g, gen_truth(g, found));
	else
		found = gen_u64(g, 0);
	LLVMBuildRet(g->b, found);
	gen_function_end(g);
	g->body = outer;
	LLVMPositionBuilderAtEnd(g->b, before);
	gen_location(g, span);
	return fn;
}

static LLVMValueRef each_bucket(struct gen *g, struct expr *e, LLVMValueRef key, int helper,
				uint32_t rounds)
{
	LLVMValueRef body = bucket_body(g, e->map.map->id, helper, e->span);
	LLVMValueRef at = gen_buffer(g, 8), done;

	LLVMBuildStore(g->b, key, at);
	done = GEN_HELPER(g, BPF_FUNC_loop, gen_u64(g, rounds), body, at, gen_u64(g, 0));
	gen_buffer_end(g, at, 8);
	return done;
}

/* One iteration more than there are buckets finds nothing. If the loop ended earlier, a bucket was
 * found. */
LLVMValueRef gen_bucket_has(struct gen *g, struct expr *e, LLVMValueRef key)
{
	uint32_t n = agg_buckets(e->map.map->value);
	LLVMValueRef rounds = each_bucket(g, e, key, BPF_FUNC_map_lookup_elem, n + 1);

	rounds = gen_compare(g, LLVMIntULE, rounds, n);
	return gen_extended(g, rounds);
}

LLVMValueRef gen_bucket_delete(struct gen *g, struct expr *e, LLVMValueRef key)
{
	LLVMValueRef had = gen_bucket_has(g, e, key);

	each_bucket(g, e, key, BPF_FUNC_map_delete_elem, agg_buckets(e->map.map->value));
	return had;
}
