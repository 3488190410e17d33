/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that belong to this program: installed, or in the source and build trees.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Write the path of `relative`, which is relative to the folder of this program, to `path`. False
 * if that folder is not known or the path is too long. */
bool beside_program(const char *relative, char *path, size_t size);
