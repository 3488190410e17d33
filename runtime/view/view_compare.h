/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include "runtime/view/view.h"

/* <0, 0, >0 of two views of one type: integers by their type's sign, strings bytewise, stacks frame
 * by frame. 0: they are shown the same. */
int view_compare(const struct view *a, const struct view *b);
/* Adds the view to a hash: equal for views that compare equal. */
uint64_t view_hash(uint64_t h, const struct view *v);
