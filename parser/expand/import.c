/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imported files. A path is relative to the folder of the script that names it; a folder stands for
 * all files in it that can be imported, in alphabetical order. Each file is imported once. Its
 * probes and C definitions come before those of the script that imports it.
 */
#include "parser/expand/expander.h"
#include "parser/base/trust.h"
#include "parser/lang/bpf_import.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct importer {
	struct expander *x;
	struct probe **probes; /* of imported files */
	uint32_t n_probes;
	struct root_text *c_items; /* of imported files */
	uint32_t n_c_items;
	const struct trust_named *named; /* the script, if it is a file */
	const char **paths;		 /* imported so far */
	uint32_t n_paths;
};

static void import_items(struct importer *im, const struct program *of, const struct source *file);

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && strcmp(path + n - k, suffix) == 0;
}

static bool is_script(const char *path)
{
	return has_suffix(path, ".bt");
}

static bool is_bpf(const char *path)
{
	return has_suffix(path, ".bpf.c") || has_suffix(path, ".bpf.o");
}

/* True when it was imported already. */
static bool note_path(struct importer *im, const char *path)
{
	for (uint32_t i = 0; i < im->n_paths; i++)
		if (strcmp(im->paths[i], path) == 0)
			return true;
	arena_push(im->x->arena, im->paths, im->n_paths, path);
	return false;
}

static void merge(struct importer *im, const struct program *from)
{
	struct arena *a = im->x->arena;
	struct program *to = im->x->program;

	for (uint32_t i = 0; i < from->n_functions; i++)
		arena_push(a, to->functions, to->n_functions, from->functions[i]);
	for (uint32_t i = 0; i < from->n_map_decls; i++)
		arena_push(a, to->map_decls, to->n_map_decls, from->map_decls[i]);
	for (uint32_t i = 0; i < from->n_items; i++)
		arena_push(a, to->items, to->n_items, from->items[i]);
	for (uint32_t i = 0; i < from->n_c_items; i++)
		arena_push(a, im->c_items, im->n_c_items, from->c_items[i]);
	for (uint32_t i = 0; i < from->n_probes; i++)
		arena_push(a, im->probes, im->n_probes, from->probes[i]);
}

static void import_script(struct importer *im, const char *path, struct span at)
{
	struct expander *x = im->x;
	struct source *file = source_from_file(x->arena, path);
	struct program *p;

	if (!file || !source_add_file(x->arena, x->program->source, file)) {
		diag_error(x->diags, at, "import", "cannot import '%s': %s", path,
			   file ? strerror(EFBIG) : strerror(errno));
		return;
	}
	p = parse_file(x->arena, file, x->diags);
	if (p->has_config) {
		diag_error(x->diags, at, "import",
			   "'%s' has a config block: an imported script cannot", path);
		diag_hint(x->diags, "move it to the script that imports it");
	}
	import_items(im, p, file);
	merge(im, p);
}

/* True when others could change what is imported. */
static bool is_open(struct importer *im, const char *path, const struct stat *st, struct span at)
{
	char bad[PATH_MAX];
	const char *why = trust_complaint(path, im->named, bad);

	if (!why && !(st->st_mode & S_IWOTH))
		return false;
	diag_error(im->x->diags, at, "import", "cowardly refusing to import '%s': '%s' %s", path,
		   why ? bad : path, why ?: "can be written to by others");
	if (why)
		diag_hint(im->x->diags, "copy it to the folder of the script, or of your own");
	else
		diag_hint(im->x->diags, "chmod o-w '%s'", path);
	return true;
}

static void import_file(struct importer *im, const char *path, const char *real, struct span at)
{
	struct arena *a = im->x->arena;
	struct program *p = im->x->program;

	if (is_script(path)) {
		import_script(im, path, at);
	} else if (is_bpf(path)) { /* read when an unknown function is called */
		struct bpf_import import = {.span = at,
					    .name = path,
					    .path = arena_strdup(a, real)};

		arena_push(a, p->bpf_imports, p->n_bpf_imports, import);
	} else if (has_suffix(path, ".h")) { /* read when a name is needed, as by #include */
		struct root_text header = {.span = at,
					   .text = arena_strdup(a, real),
					   .source = p->source};

		arena_push(a, p->headers, p->n_headers, header);
	} else {
		diag_error(im->x->diags, at, "import",
			   "cannot import '%s': it is neither a script (.bt), a header (.h) nor "
			   "functions of BPF (.bpf.c, .bpf.o)",
			   path);
	}
}

static int is_importable(const struct dirent *entry)
{
	return is_script(entry->d_name) || is_bpf(entry->d_name) || has_suffix(entry->d_name, ".h");
}

static void import_path(struct importer *im, const char *path, struct span at, bool is_inside);

static void import_folder(struct importer *im, const char *path, struct span at)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_importable, alphasort);

	if (n < 0)
		diag_error(im->x->diags, at, "import", "cannot import '%s': %s", path,
			   strerror(errno));
	for (int i = 0; i < n; i++) {
		import_path(im, arena_join(im->x->arena, path, "/", entries[i]->d_name), at, true);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Folders in a folder are not imported. */
static void import_path(struct importer *im, const char *path, struct span at, bool is_inside)
{
	char real[PATH_MAX];
	struct stat st;

	if (!realpath(path, real) || stat(real, &st)) {
		int err = errno;

		diag_error(im->x->diags, at, "import", "cannot import '%s': %s", path,
			   strerror(err));
		if (err == ENOENT && *path != '/')
			diag_hint(im->x->diags, "a path begins in the folder %s",
				  im->x->program->source->is_file ? "of the script that imports it"
								  : "in which sonde runs, for -e");
		return;
	}
	if ((is_inside && S_ISDIR(st.st_mode)) || note_path(im, arena_strdup(im->x->arena, real)) ||
	    is_open(im, path, &st, at))
		return;
	if (S_ISDIR(st.st_mode))
		import_folder(im, path, at);
	else
		import_file(im, path, real, at);
}

/* The folder of a script, with '/' at its end; "" for the current one. */
static const char *folder_of(struct arena *a, const struct source *file)
{
	const char *slash = file->is_file ? strrchr(file->name, '/') : NULL;

	return slash ? arena_strndup(a, file->name, (size_t)(slash - file->name) + 1) : "";
}

/* In a block only C can be imported. */
static bool may_import(struct importer *im, const struct root_text *item)
{
	const struct program *p = im->x->program;
	struct diags *d = im->x->diags;

	if (item->is_statement && !is_bpf(item->text) && !has_suffix(item->text, ".h")) {
		diag_error(d, item->span, "import",
			   "a block can import only .h, .bpf.c and .bpf.o files");
		diag_hint(d, "write the import before the probes");
	} else if (item->is_statement && p->config.unstable_import_statement == UNSTABLE_ERROR) {
		diag_error(d, item->span, "unstable",
			   "importing in a block is unstable, and the option for it says 'error'");
		diag_hint(d, "write the import before the probes");
	} else {
		if (item->is_statement && p->config.unstable_import_statement == UNSTABLE_WARN)
			diag_warning(d, item->span, "unstable", "importing in a block may change");
		return true;
	}
	return false;
}

static void import_items(struct importer *im, const struct program *of, const struct source *file)
{
	struct arena *a = im->x->arena;

	for (uint32_t i = 0; i < of->n_imports; i++) {
		const struct root_text *item = &of->imports[i];
		const char *path = item->text;

		if (!may_import(im, item))
			continue;
		if (*path != '/')
			path = arena_join(a, folder_of(a, file), "", path);
		import_path(im, path, item->span, false);
	}
}

void import_all(struct expander *x)
{
	struct program *p = x->program;
	struct importer im = {.x = x};
	struct trust_named named;
	char real[PATH_MAX];

	if (!p->n_imports)
		return;
	if (p->source->is_file && trust_name(&named, p->source->name))
		im.named = &named;
	if (p->source->is_file && realpath(p->source->name, real))
		note_path(&im, arena_strdup(x->arena, real));
	import_items(&im, p, p->source);
	for (uint32_t i = 0; i < p->n_probes; i++)
		arena_push(x->arena, im.probes, im.n_probes, p->probes[i]);
	p->probes = im.probes;
	p->n_probes = im.n_probes;
	for (uint32_t i = 0; i < p->n_c_items; i++)
		arena_push(x->arena, im.c_items, im.n_c_items, p->c_items[i]);
	p->c_items = im.c_items;
	p->n_c_items = im.n_c_items;
}
