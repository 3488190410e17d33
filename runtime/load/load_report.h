/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an object could not be loaded, on standard error.
 */
#pragma once

struct session;

/* Keep what libbpf prints from here on, up to load_report_end(). */
void load_report_begin(void);
void load_report_end(void);
/* Loading failed with err (-errno). */
void load_report(const struct session *s, int err);
