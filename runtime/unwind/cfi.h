/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information (CFI) in DWARF format: sections .eh_frame and .debug_frame (DWARF 5,
 * section 6.4; Linux Standard Base 5.0, section 10.6). cfi.c reads the records of a section:
 * common information entries (CIE) and frame description entries (FDE), one FDE for each function.
 * cfi_program.c executes their instructions, which gives the rows. No section is trusted: reads
 * are bounded, and the work is linear in the size of the section.
 */
#pragma once
#include "runtime/base/vec.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/table.h"

struct gaps;
struct go_table;
struct pack;
struct unwind_rules;
struct unwind_run_code;

/* How a register of the caller is found. */
enum cfi_how {
	CFI_DEFAULT, /* the instructions do not mention it */
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT_CFA,   /* the word at CFA + value */
	CFI_IS_CFA,   /* CFA + value */
	CFI_REGISTER, /* in register `value` */
	CFI_AT_FP,    /* the word at fp + value */
	CFI_AT_SP,    /* the word at sp + value */
	CFI_OTHER,    /* computed by an expression that is not supported */
};

struct cfi_register {
	enum cfi_how how;
	int64_t value;
};

/* How the CFA is found. */
enum cfi_cfa {
	CFI_CFA_OTHER,	  /* not given, or computed by an expression that is not supported */
	CFI_CFA_REGISTER, /* register `number` + offset */
	CFI_CFA_DEREF,	  /* the word at register `number` + offset, plus `add` */
	CFI_CFA_PLT,	  /* as UNWIND_PLT, with instruction `offset` */
};

/* How to find the registers that a walk needs, at some address of the code. */
struct cfi_state {
	enum cfi_cfa cfa;
	uint32_t number;
	int64_t offset, add;
	bool is_from_plt; /* arm64: the function is entered from the first entry of a PLT */
	struct cfi_register extra, fp, sp, ip; /* `extra` is not used if it is `ip` */
};

struct cfi_section {
	const uint8_t *bytes;
	size_t n;
	uint64_t address;
	bool is_debug; /* .debug_frame, otherwise .eh_frame */
};

struct cfi_cie {
	const struct unwind_machine *machine;
	struct cfi_section section;
	uint32_t at; /* offset in the section */
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t pointers;	/* encoding of addresses */
	bool has_sizes;		/* does a size precede the augmentation data of its FDEs? */
	bool is_signal;		/* its FDEs describe signal frames */
	struct cfi_state state; /* the state at the start of its functions */
};

/* in place of the index of a CIE: a function of struct cfi's `go` */
#define CFI_GO UINT32_MAX

struct cfi_fde {
	/* the code; `start` is relative to that of the first segment */
	uint32_t start, bytes;
	uint32_t cie;
	uint32_t program, n_program; /* instructions: offset in the section, bytes */
};

struct cfi {
	const struct unwind_machine *machine;
	/* Sorted by address, without overlap. FDEs for other addresses are ignored. */
	const struct unwind_segment *segments;
	uint32_t n_segments;
	VEC(struct cfi_cie) cies;
	VEC(struct cfi_fde) fdes;
	const struct go_table *go;	    /* or NULL */
	const struct unwind_run_code *runs; /* or NULL */
	struct gaps *gaps;		    /* or NULL: code between functions gets no rows */
	uint64_t n_refused;		    /* records that could not be decoded */
};

/* Add the records of a section, whose bytes must outlive *c. Returns 0, -ENOMEM or -EFBIG. */
int cfi_add_section(struct cfi *c, const struct cfi_section *section);
/* Add a function. Returns 0, -ENOMEM, or -EFBIG if there are too many. */
int cfi_add_fde(struct cfi *c, struct cfi_fde fde);
/* Pack the rows of all functions. Where FDEs overlap, each ends where the next one starts; of
 * several with the same start, the one that was added first counts. Returns 0 or -errno. */
int cfi_pack_rows(struct cfi *c, struct unwind_rules *rules, struct pack *out);
void cfi_free(struct cfi *c);

/* cfi_program.c */

/* Execute the initial instructions of a CIE, which set its state. Returns false if they are
 * invalid. */
bool cfi_run_cie(struct cfi_cie *cie, const uint8_t *program, size_t n);
/* Execute the instructions of an FDE for code from `start` to `end`. An invalid instruction gives
 * UNWIND_UNSUPPORTED for the rest of the function, and false in *is_valid. Returns 0 or -errno. */
int cfi_run_fde(const struct cfi_cie *cie, const uint8_t *program, size_t n, uint64_t start,
		uint64_t end, struct unwind_rules *rules, struct pack *out, bool *is_valid);
/* The state at an address of the function that starts at `start`; false: it is not known. */
bool cfi_state_at(const struct cfi_cie *cie, const uint8_t *program, size_t n, uint64_t start,
		  uint64_t at, struct cfi_state *out);

/* cfi_rule.c: the rule by which the walk finds the caller in that state. */
struct unwind_rule cfi_rule(const struct cfi_cie *cie, const struct cfi_state *given);
