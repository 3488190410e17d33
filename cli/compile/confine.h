/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile child reads a script that anybody may have written, as root. It computes and writes
 * its result to two descriptors, so it can do without everything else.
 */
#pragma once

/* Give up all capabilities, and all system calls but those of memory, output and the process's end;
 * others fail with EPERM. For a child with one thread. 0 or -errno; what could be given up until
 * then is gone. The filter is the same for what the process would execute (seccomp(2), Linux 3.17).
 */
int confine_self(void);
