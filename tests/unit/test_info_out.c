/* SPDX-License-Identifier: Apache-2.0 */
/* --info in JSON is valid whatever a machine calls its things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/list/info_out.h"

static void test_strings(void **state)
{
	char *text = NULL, longer[600];
	size_t n = 0;
	struct info_out o;

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	info_begin(&o, open_memstream(&text, &n), true);
	info_section(&o, "system", "system");
	info_text(&o, "name", "a \"b\" \\\n\x01 caf\xc3\xa9 \xe9");
	info_text(&o, "longer", longer);
	info_state(&o, "btf", "BTF", CAPABILITY_NO, "no \xff");
	info_end(&o);
	fclose(o.f);
	assert_non_null(
		strstr(text, "\"name\": \"a \\\"b\\\" \\\\\\n\\u0001 caf\xc3\xa9 \\ufffd\",\n"));
	assert_non_null(strstr(text, longer));
	assert_non_null(strstr(text, "{\"has\": false, \"why\": \"no \\ufffd\"}"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_strings)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
