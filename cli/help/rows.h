/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of all tables that name words of the command line and of the language, a line each, for
 * programs that make completion of shells and syntax files of editors (cmake/make-editor-files).
 */
#pragma once

/* Print them. Fields are separated by tabs: the kind, then
 *   option, report-option, stat-option   name, other name, argument, words of the argument, help
 *   probe                                name, form, aliases, doc
 *   builtin, function, aggregation       name, signature, doc
 *   topic, macro, keyword, type, stack-word, config, preprocessor   name
 * An empty field is "-"; words are separated by blanks. */
void rows_print(void);
