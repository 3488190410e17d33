/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verifier minded: its log, read for people.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct source;

struct verifier_message {
	const char *words, *help; /* plain words; NULL: no known case */
	const char *reason;	  /* the verifier's own last words, in the log; NULL: none found */
	size_t reason_len;
	const char *program; /* name of the refused program, in the log; NULL: none found */
	size_t program_len;
	char helper[40]; /* the helper function that was refused; "": none */
	uint32_t line;	 /* of the script, from 1; 0: not known */
};

/* `log` is what libbpf printed while loading, the verifier's log in it. */
void verifier_log_read(struct verifier_message *v, const char *log, const struct source *source);
