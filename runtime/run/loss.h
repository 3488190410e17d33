/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was lost.
 */
#pragma once
#include <stdint.h>

struct out;
struct session;

/* What was lost of one probe; hits of a program that the kernel did not deliver. */
uint64_t loss_of_probe(const struct session *s, uint32_t probe);
uint64_t loss_missed(const struct session *s, uint32_t prog);
/* Report all losses by cause and probe. Returns their number. */
uint64_t loss_report(struct session *s, struct out *out);
/* How much the programs have counted as lost so far; to *n_hits how often all probes were hit. */
uint64_t loss_total(const struct session *s, uint64_t *n_hits);
/* What the program's probes counted while the session counted hits: SONDE_HITS, how often they were
 * hit in scope, or another counter behind it. */
uint64_t loss_hits(const struct session *s, uint32_t prog, uint32_t counter);
