/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an object could not be loaded, on standard error.
 */
#pragma once
#include <stdint.h>

struct session;

/* Keep what libbpf prints from here on, up to load_report_end(). */
void load_report_begin(void);
void load_report_end(void);
/* Forget it: what follows is about another attempt. */
void load_report_clear(void);
/* Show it, if the user wants to see more than the reason. */
void load_report_log(void);
/* The program of the plan that the verifier refused; UINT32_MAX: another reason, or unknown. */
uint32_t load_report_refused(const struct session *s);
/* Loading failed with err (-errno). */
void load_report(const struct session *s, int err);
