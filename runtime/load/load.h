/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF bytes and a plan become loaded programs and maps.
 */
#pragma once
#include "runtime/session/prep.h"
#include "runtime/session/session.h"

struct bpf_object;
struct scope_found;
/* Prepare what does not need the object. */
void session_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
		     const struct scope_found *found, bool is_interpreted);
void session_prep_free(struct session_prep *prep);

/* Open an object with the kernel's BTF for CO-RE. NULL with errno. */
struct bpf_object *session_open_object(const struct session_prep *prep, const void *elf,
				       size_t len);

/* Load the object into a session whose plan, kernel, scope and descriptors are set. 0, or -errno
 * after a message. */
int session_load(struct session *s, struct session_prep *prep, const void *elf, size_t len);
