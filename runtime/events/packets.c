/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that skboutput() sends. The kernel puts them in a perf buffer, the only one that it
 * writes packets to, which is read every 100 ms or when a quarter of it is full. Each file is a
 * pcap file with times in nanoseconds, whose packets begin with their IP header.
 */
#include "runtime/events/packets.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/events/event_actions.h"
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BUFFER_PAGES = 128, /* of each CPU */
	WAKE_PART = 4,
	PCAP_MAGIC_NS = 0xa1b23c4d,
	PCAP_MAJOR = 2,
	PCAP_MINOR = 4,
	PCAP_RAW_IP = 101,
};

/* As they are in the file, in the byte order of this machine. */
struct pcap_file {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, sigfigs;
	uint32_t most; /* bytes of a packet */
	uint32_t link_type;
};

struct pcap_packet {
	uint32_t seconds, nanoseconds;
	uint32_t bytes;	 /* that follow */
	uint32_t length; /* of the packet */
};

struct packet {
	uint64_t time_ns;
	uint32_t event;
	size_t at; /* in `bytes` */
	struct pcap_packet head;
};

struct packets {
	const struct plan *plan;
	struct perf_buffer *buffer;
	FILE **files;	/* by plan->events; those of one path are the same */
	bool has_error; /* reported once */
	uint64_t boot_offset_ns;
	VEC(struct packet) came; /* in one drain */
	VEC(uint8_t) bytes;	 /* of these */
};

/* ---- files --------------------------------------------------------------------------------- */

static int file_failed(struct packets *k, const char *path)
{
	int err = errno ? -errno : -EIO;

	if (!k->has_error)
		log_error("cannot write packets to '%s': %s%s", path, strerror(-err),
			  limit_hint(err));
	k->has_error = true;
	return err;
}

/* Without --unsafe: a new file in the current folder or below it, reached through no link. Packets
 * are those of all users. */
static FILE *open_file(const struct packets *k, const char *path)
{
	struct open_how how = {.flags = O_WRONLY | O_CREAT | O_CLOEXEC, .mode = 0600};
	int fd;

	if (k->plan->allows_unsafe) {
		how.flags |= O_TRUNC;
	} else {
		how.flags |= O_EXCL | O_NOFOLLOW;
		how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
	}
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static void hint_place(const struct packets *k)
{
	if (!k->plan->allows_unsafe && (errno == EEXIST || errno == EXDEV || errno == ELOOP))
		log_hint("without --unsafe packets go to a new file in the current folder, or "
			 "below it");
}

static int create(struct packets *k, uint32_t event)
{
	const struct pcap_file head = {.magic = PCAP_MAGIC_NS,
				       .major = PCAP_MAJOR,
				       .minor = PCAP_MINOR,
				       .most = SONDE_PACKET_BYTES,
				       .link_type = PCAP_RAW_IP};
	const struct plan_event *ev = &k->plan->events[event];

	for (uint32_t i = 0; i < event; i++)
		if (k->files[i] && strcmp(k->plan->events[i].text, ev->text) == 0)
			k->files[event] = k->files[i];
	if (k->files[event])
		return 0;
	k->files[event] = open_file(k, ev->text);
	if (!k->files[event] || fwrite(&head, sizeof(head), 1, k->files[event]) != 1) {
		int err = errno;

		file_failed(k, ev->text);
		errno = err;
		hint_place(k);
		return -EIO;
	}
	return 0;
}

/* Is it the first event of its file? */
static bool is_first(const struct packets *k, uint32_t event)
{
	FILE *f = k->files[event];

	return f && !FIND(k->files, event, *item == f);
}

int packets_flush(struct session *s)
{
	struct packets *k = s->packets;
	int err = 0;

	for (uint32_t i = 0; k && i < k->plan->n_events; i++)
		if (is_first(k, i) && (fflush(k->files[i]) || ferror(k->files[i])))
			err = file_failed(k, k->plan->events[i].text);
	return err;
}

/* ---- packets ------------------------------------------------------------------------------- */

static void add(struct packets *k, const struct sonde_packet_event *r, const uint8_t *bytes)
{
	uint64_t ns = r->time_ns + k->boot_offset_ns;
	struct packet p = {.time_ns = ns, .event = r->head.id, .at = k->bytes.n};

	p.head.seconds = (uint32_t)(ns / 1000000000);
	p.head.nanoseconds = (uint32_t)(ns % 1000000000);
	p.head.bytes = r->used - r->skipped;
	p.head.length = r->length - r->skipped;
	if (vec_append(&k->bytes, bytes + r->skipped, p.head.bytes) || vec_push(&k->came, p)) {
		errno = ENOMEM;
		file_failed(k, k->plan->events[p.event].text);
	}
}

static bool is_packet(const struct packets *k, const struct sonde_packet_event *r, size_t size)
{
	return r->head.id < k->plan->n_events && k->files[r->head.id] &&
	       r->used <= size - sizeof(*r) && r->skipped <= r->used && r->used <= r->length;
}

/* Nothing else is in the buffer but the kernel's note that it was full, which the program has
 * counted. Behind the head of a record there are its size, 4 bytes, and its bytes. */
static enum bpf_perf_event_ret on_record(void *ctx, int cpu, struct perf_event_header *head)
{
	const uint8_t *at = (const uint8_t *)(head + 1);
	struct packets *k = ctx;
	struct sonde_packet_event r;
	uint32_t size;

	if (head->type != PERF_RECORD_SAMPLE)
		return LIBBPF_PERF_EVENT_CONT;
	memcpy(&size, at, sizeof(size));
	if (size < sizeof(r))
		return LIBBPF_PERF_EVENT_CONT;
	memcpy(&r, at + sizeof(size), sizeof(r));
	if (is_packet(k, &r, size))
		add(k, &r, at + sizeof(size) + sizeof(r));
	return LIBBPF_PERF_EVENT_CONT;
}

static void write_packet(struct packets *k, const struct packet *p)
{
	FILE *f = k->files[p->event];

	if (fwrite(&p->head, sizeof(p->head), 1, f) != 1 ||
	    fwrite(k->bytes.items + p->at, 1, p->head.bytes, f) != p->head.bytes)
		file_failed(k, k->plan->events[p->event].text);
}

/* The buffers of the CPUs are read one after the other. */
uint64_t packets_drain(struct session *s)
{
	struct packets *k = s->packets;
	uint64_t n;

	if (!k || !k->buffer)
		return 0;
	perf_buffer__consume(k->buffer);
	vec_sort(&k->came); /* by time */
	for (size_t i = 0; i < k->came.n; i++)
		write_packet(k, &k->came.items[i]);
	n = k->came.n;
	k->came.n = k->bytes.n = 0;
	return n;
}

/* ---- opening ------------------------------------------------------------------------------- */

static int open_buffer(struct packets *k, int map)
{
	size_t bytes = BUFFER_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .sample_type = PERF_SAMPLE_RAW,
				       .sample_period = 1,
				       .watermark = 1,
				       .wakeup_watermark = (uint32_t)(bytes / WAKE_PART)};

	k->buffer = perf_buffer__new_raw(map, BUFFER_PAGES, &attr, on_record, k, NULL);
	return k->buffer ? 0 : -errno;
}

int packets_open(struct session *s)
{
	struct packets *k;
	int err;

	if (!s->plan->needs.packets || s->packets_fd < 0)
		return 0;
	k = s->packets = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->plan = s->plan;
	k->boot_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	k->files = calloc(s->plan->n_events + 1, sizeof(*k->files));
	if (!k->files)
		return -ENOMEM;
	err = open_buffer(k, s->packets_fd);
	if (err)
		log_error("cannot create the buffer of packets: %s%s", strerror(-err),
			  limit_hint(err));
	for (uint32_t i = 0; !err && i < s->plan->n_events; i++)
		if (s->plan->events[i].kind == PE_PACKET)
			err = create(k, i);
	return err;
}

int packets_fd(const struct session *s)
{
	return s->packets && s->packets->buffer ? perf_buffer__epoll_fd(s->packets->buffer) : -1;
}

void packets_close(struct session *s)
{
	struct packets *k = s->packets;

	if (!k)
		return;
	for (uint32_t i = s->plan->n_events; k->files && i-- > 0;)
		if (is_first(k, i))
			fclose(k->files[i]);
	perf_buffer__free(k->buffer);
	vec_free(&k->came);
	vec_free(&k->bytes);
	free(k->files);
	free(k);
	s->packets = NULL;
}

/* They do not come through the ring. */
void ev_packet(struct events *e, const struct plan_event *ev, const void *record)
{
}
