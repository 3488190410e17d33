/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookup of the rows of registers.def.
 */
#include "parser/lang/register.h"
#include "parser/base/text.h"

static const struct {
	const char *name;
	int offset;
} registers[] = {
#define REGISTER(name, offset) {name, offset},
#include "parser/lang/registers.def"
};

const char register_names[] =
#define REGISTER(name, offset) name " "
#include "parser/lang/registers.def"
	;

#if defined(__x86_64__)
const char register_architecture[] = "x86_64";
#else
const char register_architecture[] = "arm64";
#endif

int register_offset(const char *name)
{
	__auto_type row = TEXT_ROW(registers, name, name, strlen(name));

	return row ? row->offset : -1;
}

const char *register_name(int offset)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (registers[i].offset == offset)
			return registers[i].name;
	return NULL;
}
