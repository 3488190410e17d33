/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that makes unwind tables: see unwind.h. Other threads append requests to a queue under
 * `lock`; the thread takes the whole queue at once. Only it uses store, files and spaces.
 *
 * The kernel reports changes of all processes. `known` contains the processes that have a space, so
 * that reports of other processes are ignored at once.
 */
#include "runtime/unwind/unwind.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/proc_children.h"
#include "runtime/base/thread.h"
#include "runtime/symbols/maptrack.h"
#include "runtime/unwind/ahead.h"
#include "runtime/unwind/files.h"
#include "runtime/unwind/spaces.h"
#include "runtime/unwind/store.h"
#include <sys/prctl.h>

enum {
	QUEUE_MAX = 1 << 16,
	MAX_CHUNKS = UNWIND_CHUNKS / 4, /* 128 MiB */
	/* 3 MiB: enough for a server and its libraries */
	FIRST_WORDS = 12 * UNWIND_CHUNK_WORDS,
	MAX_SPACES = UNWIND_SPACES / 4 * 3,
	STOP_SECONDS = 2, /* to wait for the thread: a file system may not answer it */
};
#define SAVE_NS 500000000ull	/* nothing is written to the cache in the first time */
#define CHECK_NS 30000000000ull /* between two checks for processes that have ended */

enum kind { ADD_PROCESS, ADD_PROGRAM, ADD_USED, ASK, ASK_AT_EXEC, CHANGE, CHECK };

struct request {
	enum kind kind;
	bool with_descendants; /* ADD_PROCESS */
	uint32_t tgid;
	uint32_t exec_id; /* ASK* */
	char *path;
	struct maptrack_event change;
};

HASH_TABLE(tgid_set, uint32_t);

struct unwind_worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t posted, answered;
	VEC(struct request) queue;
	uint64_t n_posted, n_answered, n_lost;
	struct tgid_set known;
	bool is_stopping;
	uint32_t n_surveys; /* ADD_USED that are not done */
	struct unwind_stats stats;
	uint64_t version; /* atomic: how often the thread has worked */
	/* used by the thread only */
	struct unwind_store *store;
	struct unwind_files *files;
	struct unwind_spaces *spaces;
	struct unwind_ahead ahead;
	uint64_t checked_ns;
	uint64_t save_ns; /* tables may be written to the cache from then on */
};

HASH_INTEGER_FUNCTIONS(tgid_set, uint32_t, uint32_t, hash_u32, *e, *e)

/* ---- posting ------------------------------------------------------------------------------- */

/* Append a request. Takes ownership of r->path. */
static void post_locked(struct unwind_worker *w, const struct request *r)
{
	if (w->queue.n >= QUEUE_MAX || vec_push(&w->queue, *r)) {
		w->n_lost++;
		free(r->path);
		return;
	}
	w->n_posted++;
	w->n_surveys += r->kind == ADD_USED;
	pthread_cond_signal(&w->posted);
}

static void post(struct unwind_worker *w, const struct request *r)
{
	pthread_mutex_lock(&w->lock);
	post_locked(w, r);
	pthread_mutex_unlock(&w->lock);
}

/* Note that the process has a space, or may get one: reports about it count from now on. */
static void expect_locked(struct unwind_worker *w, uint32_t tgid)
{
	if (tgid && !tgid_set_find(&w->known, tgid))
		(void)tgid_set_insert(&w->known, tgid); /* a later check corrects a failure */
}

void unwind_worker_report(const struct maptrack_event *e, void *worker)
{
	struct unwind_worker *w = worker;
	bool is_known, is_fork = e->kind == MAPTRACK_FORK;

	pthread_mutex_lock(&w->lock);
	is_known = tgid_set_find(&w->known, e->tgid);
	if (is_known && is_fork)
		expect_locked(w, e->child);
	if (is_known || (is_fork && tgid_set_find(&w->known, e->child)))
		post_locked(w, &(struct request){.kind = CHANGE, .change = *e});
	pthread_mutex_unlock(&w->lock);
}

void unwind_worker_add_process(struct unwind_worker *w, uint32_t tgid, bool with_descendants)
{
	post(w, &(struct request){.kind = ADD_PROCESS,
				  .tgid = tgid,
				  .with_descendants = with_descendants});
}

void unwind_worker_add_program(struct unwind_worker *w, const char *path)
{
	struct request r = {.kind = ADD_PROGRAM, .path = strdup(path)};

	if (r.path)
		post(w, &r);
}

void unwind_worker_add_used(struct unwind_worker *w, const char *path)
{
	struct request r = {.kind = ADD_USED, .path = path ? strdup(path) : NULL};

	if (!path || r.path)
		post(w, &r);
}

void unwind_worker_note(struct unwind_worker *w, const struct sonde_unwind_event *ev)
{
	struct request r = {.kind = ev->is_exec ? ASK_AT_EXEC : ASK,
			    .tgid = ev->tgid,
			    .exec_id = ev->exec_id};

	pthread_mutex_lock(&w->lock);
	expect_locked(w, ev->tgid);
	post_locked(w, &r);
	pthread_mutex_unlock(&w->lock);
}

void unwind_worker_check_all(struct unwind_worker *w)
{
	post(w, &(struct request){.kind = CHECK});
}

bool unwind_worker_wait(struct unwind_worker *w, uint64_t most_ns)
{
	struct timespec until = clock_timespec(monotonic_ns() + most_ns);
	uint64_t n;
	int err = 0;

	pthread_mutex_lock(&w->lock);
	n = w->n_posted;
	while ((w->n_answered < n || w->n_surveys) && !err)
		err = pthread_cond_timedwait(&w->answered, &w->lock, &until);
	pthread_mutex_unlock(&w->lock);
	return !err;
}

uint64_t unwind_worker_version(const struct unwind_worker *w)
{
	return __atomic_load_n(&w->version, __ATOMIC_ACQUIRE);
}

void unwind_worker_stats(struct unwind_worker *w, struct unwind_stats *out)
{
	pthread_mutex_lock(&w->lock);
	*out = w->stats;
	out->n_lost = w->n_lost;
	pthread_mutex_unlock(&w->lock);
}

/* ---- answering ----------------------------------------------------------------------------- */

/* Make the set of known processes agree with the spaces. */
static void update_known(struct unwind_worker *w, uint32_t tgid)
{
	bool has = tgid && unwind_spaces_has(w->spaces, tgid);

	pthread_mutex_lock(&w->lock);
	if (has)
		expect_locked(w, tgid);
	else
		tgid_set_remove(&w->known, tgid);
	pthread_mutex_unlock(&w->lock);
}

static int add_process(void *ctx, uint32_t pid, uint32_t tid)
{
	struct unwind_worker *w = ctx;

	if (tid != pid)
		return 0;
	unwind_spaces_add(w->spaces, pid);
	update_known(w, pid);
	return 0;
}

static void evict_unknown(struct unwind_worker *w)
{
	struct tgid_set kept = {0};

	pthread_mutex_lock(&w->lock);
	for (uint32_t *e = tgid_set_next(&w->known, NULL); e; e = tgid_set_next(&w->known, e))
		if (unwind_spaces_has(w->spaces, *e))
			(void)tgid_set_insert(&kept, *e);
	hash_free(&w->known);
	w->known = kept;
	pthread_mutex_unlock(&w->lock);
}

static void check(struct unwind_worker *w, bool lost)
{
	unwind_spaces_check(w->spaces, lost);
	evict_unknown(w);
	w->checked_ns = monotonic_ns();
}

static void apply(struct unwind_worker *w, const struct maptrack_event *e)
{
	switch (e->kind) {
	case MAPTRACK_MMAP:
		unwind_spaces_mmap(w->spaces, e->tgid, e->start, e->end, e->is_file, e->time_ns);
		break;
	case MAPTRACK_EXEC:
	case MAPTRACK_EXIT: unwind_spaces_exec(w->spaces, e->tgid, e->time_ns); break;
	case MAPTRACK_FORK:
		unwind_spaces_fork(w->spaces, e->tgid, e->child, e->time_ns);
		update_known(w, e->child);
		return;
	}
	update_known(w, e->tgid);
}

static void answer(struct unwind_worker *w, const struct request *r)
{
	switch (r->kind) {
	case ADD_PROCESS: proc_each_thread(r->tgid, r->with_descendants, add_process, w); return;
	case ADD_PROGRAM: unwind_ahead_program(&w->ahead, r->path); return;
	case ADD_USED: unwind_ahead_used(&w->ahead, r->path); return;
	case CHECK: check(w, true); return;
	case CHANGE: apply(w, &r->change); return;
	case ASK_AT_EXEC: unwind_ahead_exec(&w->ahead, r->tgid); /* fallthrough */
	case ASK:
		unwind_spaces_ask(w->spaces, r->tgid, r->exec_id);
		update_known(w, r->tgid);
		return;
	}
}

static void update_stats(struct unwind_worker *w)
{
	struct unwind_files_stats files;

	unwind_files_stats(w->files, &files);
	pthread_mutex_lock(&w->lock);
	w->stats = (struct unwind_stats){
		.n_processes = unwind_spaces_count(w->spaces),
		.n_files = files.n_files,
		.n_files_refused = files.images.n_refused,
		.n_files_cached = files.images.n_cached,
		.n_rules = files.images.n_rules,
		.n_rows = files.images.n_rows,
		.used_bytes = unwind_store_used_bytes(w->store),
		.store_bytes = unwind_store_bytes(w->store),
		.busy_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID),
		.n_evicted_files = files.n_evicted,
		.n_evicted_processes = unwind_spaces_evicted(w->spaces),
	};
	pthread_mutex_unlock(&w->lock);
}

/* When there is something to do without a request. */
static uint64_t next_due(const struct unwind_worker *w)
{
	uint64_t due_ns = unwind_spaces_due(w->spaces), files_ns = unwind_files_due(w->files);

	if (unwind_spaces_count(w->spaces) && due_ns > w->checked_ns + CHECK_NS)
		due_ns = w->checked_ns + CHECK_NS;
	due_ns = due_ns < files_ns ? due_ns : files_ns;
	return w->ahead.n_surveyed ? 0 : due_ns;
}

/* From when on tables may be written to the cache, while there is nothing else to do. */
static uint64_t save_due(const struct unwind_worker *w)
{
	return unwind_files_has_unsaved(w->files) ? w->save_ns : UINT64_MAX;
}

/* Wait until there is something to do, and take the queue; returns the number of requests in it, or
 * -1 at the end. */
static ssize_t dequeue(struct unwind_worker *w, struct request **out)
{
	uint64_t due_ns = next_due(w), save_ns = save_due(w);
	struct timespec until;
	ssize_t n;
	int err = 0;

	due_ns = due_ns < save_ns ? due_ns : save_ns;
	until = clock_timespec(due_ns);
	pthread_mutex_lock(&w->lock);
	while (!w->queue.n && !w->is_stopping && !err)
		err = due_ns == UINT64_MAX ? pthread_cond_wait(&w->posted, &w->lock)
					   : pthread_cond_timedwait(&w->posted, &w->lock, &until);
	n = w->is_stopping ? -1 : (ssize_t)w->queue.n;
	if (n > 0) {
		*out = w->queue.items;
		memset(&w->queue, 0, sizeof(w->queue));
	}
	pthread_mutex_unlock(&w->lock);
	return n;
}

static void answer_all(struct unwind_worker *w, struct request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!__atomic_load_n(&w->is_stopping, __ATOMIC_RELAXED))
			answer(w, &requests[i]);
		free(requests[i].path);
	}
}

static void *run(void *arg)
{
	struct unwind_worker *w = arg;
	struct request *requests = NULL;
	uint32_t n_surveys;
	uint64_t start_ns;
	ssize_t n;

	prctl(PR_SET_NAME, "sonde-unwind");
	while ((n = dequeue(w, &requests)) >= 0) {
		start_ns = monotonic_ns();
		if (!n && start_ns < next_due(w) && start_ns >= save_due(w)) {
			unwind_files_save(w->files);
			continue;
		}
		answer_all(w, requests, (size_t)n);
		free(requests);
		requests = NULL;
		unwind_spaces_work(w->spaces);
		unwind_files_work(w->files);
		n_surveys = unwind_ahead_work(&w->ahead);
		if (start_ns > w->checked_ns + CHECK_NS)
			check(w, false);
		update_stats(w);
		__atomic_add_fetch(&w->version, 1, __ATOMIC_RELEASE);
		pthread_mutex_lock(&w->lock);
		w->n_answered += (uint64_t)n;
		w->n_surveys -= n_surveys;
		pthread_cond_broadcast(&w->answered);
		pthread_mutex_unlock(&w->lock);
	}
	return NULL;
}

/* ---- start and stop ------------------------------------------------------------------------ */

/* Called when the store is full. */
static bool drop_something(void *ctx)
{
	struct unwind_worker *w = ctx;

	return unwind_files_shrink(w->files) || unwind_spaces_shrink(w->spaces);
}

static void free_worker(struct unwind_worker *w)
{
	unwind_spaces_free(w->spaces);
	unwind_ahead_free(&w->ahead);
	unwind_files_free(w->files);
	unwind_store_close(w->store);
	for (size_t i = 0; i < w->queue.n; i++)
		free(w->queue.items[i].path);
	vec_free(&w->queue);
	hash_free(&w->known);
	free(w);
}

static int create_parts(struct unwind_worker *w, const char *cache)
{
	int err = unwind_store_open(&w->store, MAX_CHUNKS);

	if (err)
		return err;
	w->files = unwind_files_new(w->store, cache);
	w->spaces = w->files ? unwind_spaces_new(w->store, w->files, MAX_SPACES) : NULL;
	if (!w->spaces)
		return -ENOMEM;
	/* of processes that may never be traced: half of the store */
	w->ahead = (struct unwind_ahead){.store = w->store,
					 .files = w->files,
					 .most_words = MAX_CHUNKS / 2 * UNWIND_CHUNK_WORDS};
	unwind_store_on_full(w->store, drop_something, w);
	unwind_store_reserve(w->store, FIRST_WORDS);
	return 0;
}

static int create_thread(struct unwind_worker *w)
{
	pthread_mutex_init(&w->lock, NULL);
	thread_condition_init(&w->posted);
	thread_condition_init(&w->answered);
	return thread_start(&w->thread, NULL, run, w);
}

int unwind_worker_start(struct unwind_worker **out, const char *cache)
{
	struct unwind_worker *w = calloc(1, sizeof(*w));
	int err = w ? create_parts(w, cache) : -ENOMEM;

	if (!err) {
		w->checked_ns = monotonic_ns();
		w->save_ns = w->checked_ns + SAVE_NS;
		err = create_thread(w);
	}
	if (err && w)
		free_worker(w);
	else if (!err)
		*out = w;
	return err;
}

void unwind_worker_hand_over(const struct unwind_worker *w, struct bpf_object *object)
{
	unwind_store_hand_over(w->store, object);
}

void unwind_worker_stop(struct unwind_worker *w)
{
	struct timespec until;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	__atomic_store_n(&w->is_stopping, true, __ATOMIC_RELAXED);
	pthread_cond_signal(&w->posted);
	pthread_mutex_unlock(&w->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	if (pthread_timedjoin_np(w->thread, NULL, &until)) {
		log_verbose("unwind: a file cannot be read in time");
		return; /* the thread may still use the struct, until the process ends */
	}
	free_worker(w);
}
