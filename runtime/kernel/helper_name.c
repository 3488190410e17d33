/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See helper_name.h. The names are those of <linux/bpf.h>.
 */
#include "runtime/kernel/helper_name.h"
#include "parser/base/text.h"
#include "bpf_helpers/shared.h"
#include "parser/lang/builtin.h"
#include <linux/bpf.h>

#define NAME(name) #name
static const char *const names[] = {__BPF_FUNC_MAPPER(NAME)};
#undef NAME

static const struct {
	uint32_t number;
	bool is_unsafe;
	const char *purpose;
} helpers[] = {
#define HELPER(name, unsafe, purpose) {BPF_FUNC_##name, unsafe, purpose},
#include "parser/lang/kernel_helpers.def"
#undef HELPER
};

static const char *const harmless_kfuncs[] = {
#define KFUNC(name) "bpf_" #name,
#include "parser/lang/kfuncs.def"
};

const char *helper_name(uint32_t number)
{
	return number && number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

const char *helper_purpose(uint32_t number)
{
	__auto_type helper = FIND_ROW(helpers, item->number == number);

	return helper ? helper->purpose : NULL;
}

bool helper_is_unsafe(uint32_t number)
{
	__auto_type helper = FIND_ROW(helpers, item->number == number);

	/* all of our own are harmless */
	return helper ? helper->is_unsafe : number - SONDE_KFUNC_FIRST >= SONDE_KFUNC_COUNT;
}

bool kfunc_is_unsafe(const char *name)
{
	return !TEXT_IS_IN(harmless_kfuncs, name, strlen(name));
}
