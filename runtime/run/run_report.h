/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -v: what a run has done.
 */
#pragma once

struct session;

/* Programs, links, functions and what is single-stepped; the time of each stage. */
void run_report(const struct session *s);
