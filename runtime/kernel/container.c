/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a container's cgroup: see container.h. A name becomes an ID by the files that the engines
 * keep: containers/ID/config.v2.json of Docker, overlay-containers/containers.json of Podman,
 * names/NAMESPACE/NAME of nerdctl, and the links POD_NAMESPACE_CONTAINER-ID.log of the kubelet. The
 * ID is then part of the name of a folder below the mounted cgroups; container_forms.def has the
 * forms. No engine is asked, so none needs to run.
 */
#include "runtime/kernel/container.h"
#include "parser/base/text.h"
#include "runtime/base/io.h"
#include "runtime/base/json_read.h"
#include "runtime/base/log.h"
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>

enum {
	ID_BYTES = 64,
	SHORTEST_ID = 4,
	FOUND_MOST = 8,
	OPEN_FOLDERS = 16,
	KNOWN_BYTES = 400,
};

/* What is searched for, and what was found. */
static struct search {
	const char *name;
	char ids[FOUND_MOST][ID_BYTES + 1]; /* of containers with that name */
	int n_ids;
	char known[KNOWN_BYTES]; /* names, for a message */
	char path[PATH_MAX];	 /* of the cgroup */
	char id[ID_BYTES + 1];	 /* that is part of it */
	int n_paths;
} found;

/* ---- names --------------------------------------------------------------------------------- */

static bool is_id(const char *text, size_t n)
{
	return n == ID_BYTES && strspn(text, "0123456789abcdef") >= n;
}

static bool is_found(const char *id)
{
	return FIND(found.ids, found.n_ids, strncmp(*item, id, ID_BYTES) == 0);
}

static void note_name(const char *name, size_t len, const char *id)
{
	if (strlen(found.known) + len + 3 < KNOWN_BYTES)
		TEXT_LIST(found.known, KNOWN_BYTES, "%.*s", (int)len, name);
	if (text_is(name, len, found.name) && !is_found(id) && found.n_ids < FOUND_MOST)
		snprintf(found.ids[found.n_ids++], ID_BYTES + 1, "%.*s", ID_BYTES, id);
}

/* Docker: containers/ID/config.v2.json has "Name":"/web". */
static void read_docker(const char *path)
{
	const char *folder = path + strlen(path) - strlen("/config.v2.json") - ID_BYTES;
	json_auto_t *file = json_load_file(path, JSON_ALLOW_NUL, NULL);
	const char *name = json_string_value(json_object_get(file, "Name"));

	if (name && is_id(folder, ID_BYTES)) {
		name += *name == '/';
		note_name(name, strlen(name), folder);
	}
}

/* Podman: a list of {"id":"…","names":["web"],…}. */
static void read_podman(const char *path)
{
	json_auto_t *list = json_load_file(path, JSON_ALLOW_NUL, NULL);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		const char *id = json_string_value(json_object_get(one, "id"));
		const json_t *names = json_object_get(one, "names");
		const char *name = json_string_value(json_array_get(names, 0));

		if (id && name && is_id(id, strlen(id)))
			note_name(name, strlen(name), id);
	}
}

/* The kubelet: POD_NAMESPACE_CONTAINER-ID.log; a container is named POD, POD/CONTAINER or
 * CONTAINER. */
static void read_kubelet(const char *path)
{
	const char *file = strrchr(path, '/') + 1, *bar = strchr(file, '_');
	const char *container = bar ? strchr(bar + 1, '_') : NULL;
	const char *id = path + strlen(path) - strlen(".log") - ID_BYTES;
	char both[NAME_MAX + 1];

	if (!container++ || id <= container || !is_id(id, ID_BYTES))
		return;
	snprintf(both, sizeof(both), "%.*s/%.*s", (int)(bar - file), file,
		 (int)(id - 1 - container), container);
	note_name(both, strlen(both), id);
	if (strcmp(found.name, both) != 0 && !strchr(found.name, '/')) {
		size_t used = strlen(found.known);

		note_name(file, (size_t)(bar - file), id);
		note_name(container, (size_t)(id - 1 - container), id);
		found.known[used] = '\0'; /* POD/CONTAINER is enough */
	}
}

/* nerdctl: names/NAMESPACE/NAME has the ID. */
static void read_nerdctl(const char *path)
{
	char id[ID_BYTES + 1];
	const char *name = strrchr(path, '/') + 1;

	if (io_read_file(path, id, sizeof(id), 0) == ID_BYTES && is_id(id, ID_BYTES))
		note_name(name, strlen(name), id);
}

static const struct {
	const char *pattern; /* below one of the folders */
	void (*read)(const char *path);
} name_files[] = {
	{"containers/*/config.v2.json", read_docker},
	{"docker/containers/*/config.v2.json", read_docker},
	{"*-containers/containers.json", read_podman},
	{"containers/storage/*-containers/containers.json", read_podman},
	{"*_*_*-*.log", read_kubelet},
	{"names/*/*", read_nerdctl},
	{"nerdctl/*/names/*/*", read_nerdctl},
};

static void read_folder(const char *folder, size_t len)
{
	for (size_t i = 0; i < sizeof(name_files) / sizeof(*name_files); i++) {
		char pattern[PATH_MAX];
		glob_t g;

		snprintf(pattern, sizeof(pattern), "%.*s/%s", (int)len, folder,
			 name_files[i].pattern);
		if (glob(pattern, 0, NULL, &g))
			continue;
		for (size_t k = 0; k < g.gl_pathc; k++)
			name_files[i].read(g.gl_pathv[k]);
		globfree(&g);
	}
}

static void read_names(void)
{
	const char *more = getenv("SONDE_CONTAINERS"), *home = getenv("HOME");
	char users[PATH_MAX];

	json_set_alloc_funcs(malloc, free); /* json_read() sets others */
	read_folder("/var/lib", strlen("/var/lib"));
	read_folder("/var/log/containers", strlen("/var/log/containers"));
	if (home && snprintf(users, sizeof(users), "%s/.local/share", home) < (int)sizeof(users))
		read_folder(users, strlen(users));
	for (size_t n; more && *more; more += n + (more[n] == ':')) {
		n = strcspn(more, ":");
		read_folder(more, n);
	}
}

/* ---- cgroups ------------------------------------------------------------------------------- */

static const char *const forms[] = {
#define CONTAINER_FORM(text) text,
#include "runtime/kernel/container_forms.def"
};

/* The ID in the name of a folder, or NULL. */
static const char *id_of(const char *folder)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t n = strlen(forms[i]);
		const char *id = folder + n;

		if (strncmp(folder, forms[i], n) == 0 && strlen(id) >= ID_BYTES &&
		    is_id(id, ID_BYTES) && (!id[ID_BYTES] || strcmp(id + ID_BYTES, ".scope") == 0))
			return id;
	}
	return NULL;
}

static bool is_wanted(const char *id)
{
	size_t n = strlen(found.name);

	return found.n_ids ? is_found(id)
			   : n >= SHORTEST_ID && n <= ID_BYTES && !strncmp(found.name, id, n);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const char *id = type == FTW_D ? id_of(path + where->base) : NULL;

	/* Of folders in each other, the outer one has the whole container. */
	if (!id || !is_wanted(id) || (found.n_paths && strncmp(found.id, id, ID_BYTES) == 0))
		return 0;
	snprintf(found.path, sizeof(found.path), "%s", path);
	snprintf(found.id, sizeof(found.id), "%.*s", ID_BYTES, id);
	found.n_paths++;
	return 0;
}

static void search_cgroups(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	while (f && (m = getmntent(f)))
		if (strcmp(m->mnt_type, "cgroup2") == 0)
			nftw(m->mnt_dir, visit, OPEN_FOLDERS, FTW_PHYS);
	if (f)
		endmntent(f);
}

int container_cgroup(const char *name, char *path, size_t size)
{
	found = (struct search){.name = name};
	read_names();
	search_cgroups();
	if (found.n_paths == 1 && snprintf(path, size, "%s", found.path) < (int)size)
		return 0;
	if (found.n_paths > 1)
		log_error(
			"--container: '%s' is the name of several containers: write more of an ID, or "
			"POD/CONTAINER",
			name);
	else if (found.n_ids)
		log_error(
			"--container: '%s' (%.12s) does not run: there is no cgroup of version 2 with "
			"its ID",
			name, found.ids[0]);
	else
		log_error("--container: there is no container '%s'", name);
	if (!found.n_paths && !found.n_ids)
		log_hint("%s%s",
			 *found.known
				 ? "known are "
				 : "write its name, the beginning of its ID, or --cgroup and its "
				   "folder; $SONDE_CONTAINERS names other folders of engines",
			 found.known);
	return -1;
}
