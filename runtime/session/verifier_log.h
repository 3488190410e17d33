/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the reason and the script line of a refusal in the verifier log.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct source;

struct verifier_message {
	const char *words, *help; /* the reason in plain words; NULL: not a known case */
	const char *reason;	  /* the last message in the log; NULL: none found */
	size_t reason_len;
	const char *program; /* name of the refused program, in the log; NULL: none found */
	size_t program_len;
	char helper[40]; /* the helper function that was refused; "": none */
	uint32_t line;	 /* of the script, from 1; 0: unknown */
};

/* `log`: what libbpf printed while loading, with the verifier log in it. */
void verifier_log_read(struct verifier_message *v, const char *log, const struct source *source);
