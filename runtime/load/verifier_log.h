/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the reason and the script line of a refusal in the verifier log.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_import;
struct source;

struct verifier_message {
	const char *words, *help; /* the reason in plain words; NULL: not a known case */
	const char *help_in_c;	  /* what the author of imported C can do; or NULL */
	bool is_late;		  /* the mistake is before the line that the log names */
	const char *reason;	  /* the last message in the log; NULL: none found */
	size_t reason_len;
	const char *program; /* name of the refused program, in the log; NULL: none found */
	size_t program_len;
	const char *example; /* the script of examples/verifier/ that shows it; or NULL */
	char reg[4];	     /* the register that the message names, "R0"; "": none */
	const char *state;   /* what it holds, in the log, "map_value_or_null(id=1)"; or NULL */
	size_t state_len;
	const char *state_words; /* in plain words; or NULL */
	char helper[40];	 /* the helper function that was refused; "": none */
	uint32_t line;		 /* of the script, from 1; 0: unknown */
	/* where the message is about imported code: the file, its line and the text, in the log */
	const struct bpf_import *import;
	uint32_t import_line;
	bool has_places; /* the log names files */
	const char *import_text;
	size_t import_text_len;
};

/* `log`: what libbpf printed while loading, with the verifier log in it; `imports`: the files of C
 * that the script imports. Before Linux 6.9 the log names no files. */
void verifier_log_read(struct verifier_message *v, const char *log, const struct source *source,
		       const struct bpf_import *imports, uint32_t n_imports);
