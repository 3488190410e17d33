/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C section of a script: preprocessor lines and definitions of types before the probes.
 */
#pragma once

struct arena;
struct diags;
struct kernel;
struct program;

/* Process the C section: register its types and constants in p->c_types, and replace the names of
 * its macros in the whole script by their values. Errors are in `d`. */
void c_section(struct arena *a, struct program *p, struct kernel *k, struct diags *d);
