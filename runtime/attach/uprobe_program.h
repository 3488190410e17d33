/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs for uprobes that sonde writes itself, instruction by instruction.
 */
#pragma once
#include "runtime/base/uapi_new.h"
#include "runtime/bpf/bpf_insn.h"
#include <bpf/bpf.h>

/* Load a program for links of this type, such as NEW_BPF_TRACE_UPROBE_MULTI. Its descriptor or
 * -errno. */
static inline int uprobe_program_load(const char *name, const struct bpf_insn *insns, uint32_t n,
				      uint32_t attach_type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, name, "GPL", insns, n, &opts);
}
