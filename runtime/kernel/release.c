/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the release of a kernel: see release.h. A patch number above 255 is 255, as in the kernel's
 * own LINUX_VERSION_CODE.
 */
#include "runtime/kernel/release.h"
#include <stdio.h>
#include <sys/utsname.h>

uint32_t release_code(const char *release)
{
	uint32_t major = 0, minor = 0, patch = 0;

	if (sscanf(release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return 0;
	return major << 16 | minor << 8 | (patch > 255 ? 255 : patch);
}

uint32_t release_running(void)
{
	struct utsname u;

	return uname(&u) ? 0 : release_code(u.release);
}
