/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See option_rows.h.
 */
#include "cli/options/option_rows.h"
#include "cli/scripts/scripts.h"
#include "runtime/run/command.h"
#include <sys/stat.h>

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int output_check_input(const char *output, const char *input, const char *what)
{
	if (!output || !input || !is_same_file(output, input))
		return 0;
	return log_error("-o %s: this is the %s, which would be lost: give another name", output,
			 what);
}

/* The program of -c, which starts when the output is open. */
static int check_command(const struct options *o)
{
	char path[PATH_MAX];

	if (!o->scope.program || command_find(o->scope.program, path))
		return 0;
	return output_check_input(o->out.path, path, "program of -c");
}

/* `sonde fmt FILE -o FILE` writes when all is read. */
int output_check(const struct options *o)
{
	char path[PATH_MAX];

	if (!o->out.path || o->mode == MODE_FMT)
		return 0;
	if (o->mode == MODE_FLAMEGRAPH) {
		for (uint32_t i = 0; i < o->args.n_params; i++)
			if (output_check_input(o->out.path, o->args.params[i], "file to draw"))
				return -1;
		return 0;
	}
	for (uint32_t i = 0; i < o->compile.n_include_files; i++)
		if (output_check_input(o->out.path, o->compile.include_files[i],
				       "header of --include"))
			return -1;
	if (output_check_input(o->out.path, o->record.file, "recording") || check_command(o))
		return -1;
	if (!o->args.file)
		return 0;
	scripts_path(o->args.file, path, sizeof(path));
	return output_check_input(o->out.path, strcmp(path, "-") == 0 ? "/dev/stdin" : path,
				  "script");
}
