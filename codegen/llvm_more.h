/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LLVM's C interface lacks (llvm_more.cpp, the one file of C++): reading single functions out
 * of a module, inlining them where they are called, a few passes without the builder of all passes,
 * whose tables every start would pay for, and options.
 */
#pragma once
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A module of what is declared in bitcode; bodies are read when more_inline meets a call. NULL when
 * it cannot be read. The bytes must stay. */
LLVMModuleRef more_module(LLVMContextRef llvm, const char *bytes, size_t len);

/* No DWARF beside the debug information. */
void more_set_no_dwarf(LLVMModuleRef module);

/* Inline every call of a function that wants it (always_inline), reading bodies as needed, also of
 * what is only pointed at. 0 or -1. */
int more_inline(LLVMModuleRef module);

/* Memory to registers, constants, dead code: what is left to do after inlining. */
void more_simplify(LLVMModuleRef module, LLVMTargetMachineRef tm);

/* Leave out what costs the back end much and gains BPF programs nothing. */
void more_set_options(void);

#ifdef __cplusplus
}
#endif
