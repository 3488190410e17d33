/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See helper_name.h. The names are those of <linux/bpf.h>.
 */
#include "runtime/kernel/helper_name.h"
#include <linux/bpf.h>
#include <stddef.h>

#define NAME(name) #name
static const char *const names[] = {__BPF_FUNC_MAPPER(NAME)};
#undef NAME

static const struct {
	uint32_t number;
	const char *purpose;
} purposes[] = {
#define HELPER(name, purpose) {BPF_FUNC_##name, purpose},
#include "runtime/kernel/helpers.def"
#undef HELPER
};

const char *helper_name(uint32_t number)
{
	return number && number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

const char *helper_purpose(uint32_t number)
{
	for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
		if (purposes[i].number == number)
			return purposes[i].purpose;
	return NULL;
}
