/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of reasons.def as an array: see reason.h.
 */
#include "parser/lang/reason.h"
#include "parser/base/text.h"

const struct reason reasons[REASON_COUNT] = {
#define REASON(id, doc) {#id, doc},
#include "bpf_helpers/reasons.def"
};

const struct reason *reason_find(const char *word)
{
	return TEXT_ROW(reasons, word, word, strlen(word));
}
