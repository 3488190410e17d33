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
	const char *example; /* the program of `sonde explain --verifier` that shows it; or NULL */
	char reg[4];	     /* the register that the message names, "R0"; "": none */
	const char *state;   /* what it holds, in the log, "map_value_or_null(id=1)"; or NULL */
	size_t state_len;
	const char *state_words; /* in plain words; or NULL */
	char helper[40];	 /* the helper function that was refused; "": none */
	uint32_t line;		 /* of the script, from 1; 0: unknown */
};

/* `log`: what libbpf printed while loading, with the verifier log in it. */
void verifier_log_read(struct verifier_message *v, const char *log, const struct source *source);
/* The same of a log without what libbpf prints around it, of no script. */
void verifier_log_read_plain(struct verifier_message *v, const char *log);
/* What a register's state means, "scalar()"; NULL: unknown. */
const char *verifier_state_words(const char *state);
/* The bytes of the state at `at`, which ends at a blank that is not in parentheses. */
size_t verifier_state_bytes(const char *at, const char *end);
