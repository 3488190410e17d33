/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two parts of a script with a recorder: see recorder.h.
 */
#include "parser/lang/recorder.h"
#include "parser/lang/ast.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/span_kind.h"
#include <stdlib.h>
#include <string.h>

static bool is_recorder(const struct program *p, const struct probe *probe)
{
	return p->recorder_at && probe->span.start >= p->recorder_at;
}

void recorder_take(struct program *p, uint32_t from)
{
	uint32_t n = 0;

	p->recorder_at = from;
	for (uint32_t i = 0; i < p->n_probes; i++) {
		struct probe *probe = p->probes[i];

		if (!is_recorder(p, probe))
			continue;
		memmove(&p->probes[n + 1], &p->probes[n], (i - n) * sizeof(*p->probes));
		p->probes[n++] = probe;
	}
}

bool recorder_has_reads(const struct program *p, const struct probe *probe)
{
	return p->recorder_at > RECORDER_ALONE && !is_recorder(p, probe);
}

bool recorder_counts_open(const struct program *p, const struct probe *probe)
{
	enum span_kind kind = ast_span(probe);

	return is_recorder(p, probe) ? kind == SPAN_SWITCH || kind == SPAN_SLICE
				     : p->config.open_spans == OPEN_SPANS_COUNT;
}
