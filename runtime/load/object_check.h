/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object of a compiled script, which comes from a file.
 */
#pragma once

struct session;

/* Does the opened object have the maps that the plan describes, and no unsafe call unless the plan
 * allows it? 0 or -errno after a message. */
int object_check(const struct session *s);
