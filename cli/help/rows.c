/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See help.h.
 */
#include "cli/help/help.h"
#include "cli/options/option_rows.h"
#include "parser/lang/config.h"
#include "parser/lang/stack_word.h"
#include "parser/lang/type.h"
#include "parser/syntax/keywords.h"

/* The options that first words take: KIND, spellings, argument, its words, help. */
static void print_options_of(const char *kind, enum option_words words)
{
	for (int i = 0; i < n_option_rows; i++) {
		const struct option_row *r = &option_rows[i];
		const char *word;

		if (!option_is_listed(r, words))
			continue;
		printf("%s\t%s\t%s\t%s\t", kind, r->name, r->other ?: "-", r->arg ?: "-");
		for (uint32_t k = 0; (word = option_word(r, k)); k++)
			printf("%s%s", k ? " " : "", word);
		printf("%s\t%s\n", option_word(r, 0) ? "" : "-", r->help);
	}
}

static void print_options(void)
{
	print_options_of("option", FW_ANY);
	print_options_of("report-option", FW_REPORT);
	print_options_of("stat-option", FW_STAT);
	print_options_of("learn-option", FW_LEARN);
	print_options_of("kubernetes-option", FW_KUBERNETES);
}

static void print_language(void)
{
	static const char *const lines[] = {
#define C_LINE(word, always) #word,
#include "parser/lang/c_lines.def"
	};
	const char *word;

	reference_list_rows(true);
	for (uint32_t i = 0; (word = syntax_keyword(i)); i++)
		printf("keyword\t%s\n", word);
	for (uint32_t i = 0; (word = type_name_at(i)); i++)
		printf("type\t%s\n", word);
	for (uint32_t i = 0; i < n_stack_words; i++)
		printf("stack-word\t%s\n", stack_words[i].word);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		printf("preprocessor\t%s\n", lines[i]);
	for (uint32_t i = 0; i < n_config_rows; i++)
		if (config_rows[i].kind <= CONFIG_TEXT)
			printf("config\t%s\n", config_rows[i].name);
}

void rows_print(void)
{
	const char *topic;

	for (uint32_t i = 0; (topic = help_topic(i)); i++)
		printf("topic\t%s\n", topic);
	print_options();
	print_language();
}
