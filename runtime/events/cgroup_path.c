/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of cgroups by their ids. The kernel finds a directory by its id (open_by_handle_at), in
 * each hierarchy that is mounted: version 2 first, then those of version 1, by name. One that is
 * mounted several times counts where it was mounted first.
 */
#include "runtime/events/deferred_strings.h"
#include "parser/base/find.h"
#include "parser/base/pattern.h"
#include "runtime/session/session.h"
#include "runtime/base/vec.h"
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HANDLE_IS_KERNFS = 0xfe }; /* FILEID_KERNFS */

struct hierarchy {
	char *name, *mount;
	dev_t device; /* the same wherever the hierarchy is mounted */
	bool is_unified;
};

typedef VEC(struct hierarchy) hierarchy_list;

COMPARE(in_order, struct hierarchy, ORDER(b->is_unified, a->is_unified) ?: strcmp(a->name, b->name))

static void add(hierarchy_list *list, const struct mntent *m)
{
	bool is_unified = strcmp(m->mnt_type, "cgroup2") == 0;
	const char *slash = strrchr(m->mnt_dir, '/');
	struct hierarchy h = {.is_unified = is_unified};
	struct stat st;

	if ((!is_unified && strcmp(m->mnt_type, "cgroup") != 0) || stat(m->mnt_dir, &st) ||
	    FIND(list->items, list->n, item->device == st.st_dev))
		return;
	h.device = st.st_dev;
	h.name = strdup(is_unified || !slash ? "unified" : slash + 1);
	h.mount = strdup(m->mnt_dir);
	if (!h.name || !h.mount || vec_push(list, h)) {
		free(h.name);
		free(h.mount);
	}
}

static void read_hierarchies(hierarchy_list *list)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	while (mounts && (m = getmntent(mounts)))
		add(list, m);
	if (mounts)
		endmntent(mounts);
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), in_order);
}

/* The path below the mount, "/" for the mount itself. False if the hierarchy has no such id. */
static bool path_of(const struct hierarchy *h, uint64_t id, char *out, size_t size)
{
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = {.head = {.handle_bytes = sizeof(id), .handle_type = HANDLE_IS_KERNFS}};
	int mount = open(h->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	size_t n = strlen(h->mount);
	char link[64];
	ssize_t len = -1;

	if (mount < 0)
		return false;
	memcpy(handle.head.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(mount, &handle.head, O_PATH | O_CLOEXEC);
	close(mount);
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		len = readlink(link, out, size - 1);
		close(fd);
	}
	if (len < (ssize_t)n || strncmp(out, h->mount, n) != 0)
		return false;
	out[len] = '\0';
	memmove(out, out + n, (size_t)len - n + 1);
	if (!*out)
		memcpy(out, "/", 2);
	return true;
}

char *cgroup_path_text(uint64_t id, const char *filter)
{
	hierarchy_list list = {0};
	char *text = NULL, path[4096];
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	const char *comma = "";

	if (!f)
		return NULL;
	read_hierarchies(&list);
	for (size_t i = 0; i < list.n; i++) {
		if ((!filter || pattern_matches(filter, list.items[i].name)) &&
		    path_of(&list.items[i], id, path, sizeof(path))) {
			fprintf(f, "%s%s:%s", comma, list.items[i].name, path);
			comma = ",";
		}
		free(list.items[i].name);
		free(list.items[i].mount);
	}
	vec_free(&list);
	if (!*comma)
		fprintf(f, "%" PRIu64, id);
	fclose(f);
	return text;
}

/* A path may contain a comma, so a hierarchy begins where ",NAME:/" does. */
static const char *next_hierarchy(const char *at)
{
	while ((at = strchr(at, ','))) {
		const char *colon = strchr(++at, ':');

		if (colon && colon[1] == '/' && !memchr(at, '/', (size_t)(colon - at)))
			return at;
	}
	return NULL;
}

char *cgroup_path_filter(const char *paths, uint64_t id, const char *filter)
{
	char *text = NULL, name[256];
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	const char *comma = "", *next;

	if (!f)
		return NULL;
	for (const char *at = *paths ? paths : NULL; at; at = next) {
		const char *colon = strchr(at, ':');

		next = next_hierarchy(at);
		snprintf(name, sizeof(name), "%.*s", (int)(colon ? colon - at : 0), at);
		if (filter && !pattern_matches(filter, name))
			continue;
		fprintf(f, "%s%.*s", comma, next ? (int)(next - at) - 1 : (int)strlen(at), at);
		comma = ",";
	}
	if (!*comma)
		fprintf(f, "%" PRIu64, id);
	fclose(f);
	return text;
}
