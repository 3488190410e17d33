/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors about missing requirements of attach points in programs and libraries.
 */
#include "parser/attach/probe_parse.h"

bool probe_has_uprobes(const struct probe_reader *r, const struct attach_point *p)
{
	if (!kernel_lacks(r->kernel, CAP_UPROBES))
		return true;
	diag_error(r->diags, p->span, "no-uprobes",
		   "this kernel has no uprobes (CONFIG_UPROBES), so %s probes are not available",
		   probe_rows[p->id].name);
	diag_hint(r->diags, "system calls can be traced: "
			    "tracepoint:syscalls:sys_enter_NAME, with -p or -c");
	return false;
}

int probe_no_mapped_file(const struct probe_reader *r, const struct attach_point *p, int err)
{
	uint32_t pid = r->kernel->scope->pid;

	if (err && pid)
		return diag_error(r->diags, p->span, "no-binary",
				  "cannot read what process %u has mapped: %s", pid,
				  strerror(-err));
	if (err)
		return diag_error(r->diags, p->span, "no-binary",
				  "cannot read what processes have mapped: %s", strerror(-err));
	return diag_error(r->diags, p->span, "no-binary",
			  "process %u runs no file: it is a kernel thread, or it is ending", pid);
}
