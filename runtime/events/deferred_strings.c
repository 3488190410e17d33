/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that become strings in user space: kernel and user symbols, user names, times. Reads the
 * values from keys, map values and records (plan.h has the layouts of the types). The strings live
 * until the record or map that they were made for is written.
 */
#include "runtime/events/deferred_strings.h"
#include "runtime/events/call_values.h"
#include "runtime/base/clock.h"
#include "runtime/session/event_source.h"
#include "runtime/elf/names.h"
#include "runtime/session/session.h"
#include "runtime/symbols/usym.h"
#include "runtime/kernel/gfp_flags.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <pwd.h>

/* One string; the list has the newest first. */
struct deferred_string {
	struct deferred_string *next;
	char bytes[];
};

static char *retain(struct session *s, const char *text)
{
	size_t n = strlen(text) + 1;
	struct deferred_string *item = malloc(sizeof(*item) + n);

	if (!item)
		return NULL;
	memcpy(item->bytes, text, n);
	item->next = s->strings;
	s->strings = item;
	return item->bytes;
}

void deferred_strings_release(struct session *s)
{
	while (s->strings) {
		struct deferred_string *next = s->strings->next;

		free(s->strings);
		s->strings = next;
	}
}

static uint64_t u64_at(const void *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)bytes + offset, sizeof(word));
	return word;
}

static uint32_t u32_at(const void *bytes, uint32_t offset)
{
	uint32_t half;

	memcpy(&half, (const uint8_t *)bytes + offset, sizeof(half));
	return half;
}

static const char *kernel_symbol(struct session *s, uint64_t address)
{
	const char *name, *module;
	char hex[24];
	uint64_t offset;

	if (!s->source && ksyms_find(s->ksyms, address, &name, &offset, &module))
		return name;
	snprintf(hex, sizeof(hex), "0x%" PRIx64, address);
	return retain(s, hex);
}

/* "clock_gettime [vdso]": libc has a function of that name, too. */
static const char *mark_vdso(struct session *s, const struct usym *u)
{
	char text[256];

	if (!u->module || strcmp(u->module, "[vdso]") != 0)
		return u->name;
	snprintf(text, sizeof(text), "%s [vdso]", u->name);
	return retain(s, text);
}

/* `bytes`: struct {uint64 address; uint32 tgid, exec_id}. If the process is new and still alive,
 * read its mappings now. */
static const char *user_symbol(struct session *s, const void *bytes)
{
	const struct uaddress a = {.ip = u64_at(bytes, 0),
				   .tgid = u32_at(bytes, 8),
				   .exec_id = u32_at(bytes, 12)};
	struct usym u = {0};
	char hex[24];

	if (s->usyms && !usyms_find(s->usyms, &a, &u) &&
	    usyms_note_process(s->usyms, a.tgid) == 0) {
		usyms_note_stack(s->usyms, a.tgid, a.exec_id, monotonic_ns());
		usyms_find(s->usyms, &a, &u);
	}
	if (u.name)
		return mark_vdso(s, &u);
	if (s->usyms && usyms_find_variable(s->usyms, &a, &u))
		return u.name;
	snprintf(hex, sizeof(hex), "0x%" PRIx64, a.ip);
	return retain(s, hex);
}

static const char *user_name(struct session *s, uint64_t uid)
{
	const struct passwd *p = getpwuid((uid_t)uid);

	return p ? retain(s, p->pw_name) : "";
}

static const char *cgroup_path(struct session *s, uint64_t id, const char *filter)
{
	char *text = s->source ? s->source->cgroup_path(s->source, id, filter)
			       : cgroup_path_text(id, filter);
	const char *kept = text ? retain(s, text) : NULL;

	free(text);
	return kept;
}

/* strftime with %f microseconds, %k nanoseconds, %l milliseconds of the second. */
static void expand_fractions(char *out, size_t size, const char *format, uint32_t ns)
{
	size_t n = 0;

	for (const char *f = format; *f; f++) {
		if (*f != '%' || !f[1]) {
			out[n++] = *f;
			continue;
		}
		f++;
		if (*f == 'f')
			n += (size_t)snprintf(out + n, size - n, "%06u", ns / 1000);
		else if (*f == 'k')
			n += (size_t)snprintf(out + n, size - n, "%09u", ns);
		else if (*f == 'l')
			n += (size_t)snprintf(out + n, size - n, "%03u", ns / 1000000);
		else
			n += (size_t)snprintf(out + n, size - n, "%%%c", *f);
	}
	out[n++] = '.'; /* never empty, so strftime() returns 0 only when the buffer is too small */
	out[n] = '\0';
}

enum {
	MAX_GROWTH = 5,	       /* bytes a character: "%k" becomes nine digits */
	MAX_TIME_TEXT = 65536, /* field widths of conversions are unlimited */
};

/* The format comes from the script; strftime() reads no arguments through it. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
const char *deferred_strings_time(struct session *s, const char *format, uint64_t wall_ns)
{
	size_t size = strlen(format) * MAX_GROWTH + 2;
	char *expanded = malloc(size), *text = NULL;
	time_t seconds = (time_t)(wall_ns / 1000000000u);
	const char *kept = "(a time that is too long)";
	size_t n = 0;
	struct tm tm;

	if (!expanded || !localtime_r(&seconds, &tm))
		goto out;
	expand_fractions(expanded, size, format, (uint32_t)(wall_ns % 1000000000u));
	for (size_t n_bytes = 256; n == 0 && n_bytes <= MAX_TIME_TEXT; n_bytes *= 4) {
		free(text);
		text = malloc(n_bytes);
		n = text ? strftime(text, n_bytes, expanded, &tm) : 0;
	}
	if (n > 0) {
		text[n - 1] = '\0';
		kept = retain(s, text);
	}
out:
	free(text);
	free(expanded);
	return kept;
}

uint64_t deferred_strings_wall_clock(const struct session *s)
{
	return s->source ? s->source->wall_ns(s->source) : clock_ns(CLOCK_REALTIME);
}

/* Nanoseconds since boot to nanoseconds since 1970. The offset is measured once, so that equal
 * times are always shown as equal. */
static uint64_t wall_of_boot(struct session *s, uint64_t boot_ns)
{
	if (!s->boot_offset_ns)
		s->boot_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	return boot_ns + s->boot_offset_ns;
}

/* `bytes`: uint64 family, 16 bytes of address. */
static const char *ip_address(struct session *s, const void *bytes)
{
	char text[INET6_ADDRSTRLEN];
	int family = (int)u64_at(bytes, 0);

	return inet_ntop(family, (const uint8_t *)bytes + 8, text, sizeof(text)) ? retain(s, text)
										 : "";
}

static const char *mac_address(struct session *s, const uint8_t *b)
{
	char text[24];

	snprintf(text, sizeof(text), "%02X:%02X:%02X:%02X:%02X:%02X", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
	return retain(s, text);
}

static const char *gfp_names(struct session *s, uint64_t flags)
{
	char text[1024];

	if (!s->gfp_flags)
		s->gfp_flags = gfp_flags_read(s->kernel);
	gfp_flags_text(s->gfp_flags, flags, text, sizeof(text));
	return retain(s, text);
}

static const char *call_text(struct session *s, const struct type *t, const void *bytes)
{
	char text[1024];
	struct text to = text_in_array(text, sizeof(text));

	call_values_text(&to, s->plan, t, bytes);
	text_terminate(&to);
	return retain(s, text);
}

/* International Atomic Time to nanoseconds since 1970, where the kernel knows the leap seconds. */
static uint64_t wall_of_tai(struct session *s, uint64_t tai_ns)
{
	if (!s->tai_measured) {
		uint64_t ahead = clock_ns(CLOCK_TAI) - clock_ns(CLOCK_REALTIME);

		s->tai_seconds = (uint32_t)((ahead + 500000000u) / 1000000000u);
		s->tai_measured = true;
	}
	return tai_ns - s->tai_seconds * 1000000000ull;
}

static uint64_t wall_of(struct session *s, const struct type *t, uint64_t ns)
{
	return t->clock == NSECS_BOOT ? wall_of_boot(s, ns) : wall_of_tai(s, ns);
}

static const char *make_string(struct stack_source *source, const struct type *t, const void *bytes)
{
	struct session *s = (struct session *)((char *)source - offsetof(struct session, stacks));
	const char *text = NULL;

	if (t->kind == TY_KSYM)
		text = kernel_symbol(s, u64_at(bytes, 0));
	else if (t->kind == TY_USYM)
		text = user_symbol(s, bytes);
	else if (t->kind == TY_USERNAME)
		text = user_name(s, u64_at(bytes, 0));
	else if (t->kind == TY_NAME)
		text = plan_name(s->plan, u32_at(bytes, 0));
	else if (t->kind == TY_CGROUP)
		text = cgroup_path(s, u64_at(bytes, 0), t->format);
	else if (t->kind == TY_TIMESTAMP)
		text = deferred_strings_time(s, t->format, wall_of(s, t, u64_at(bytes, 0)));
	else if (t->kind == TY_INET)
		text = ip_address(s, bytes);
	else if (t->kind == TY_MAC)
		text = mac_address(s, bytes);
	else if (t->kind == TY_CALL)
		text = call_text(s, t, bytes);
	else if (t->kind == TY_GFP)
		text = gfp_names(s, u64_at(bytes, 0));
	return text ? text : "";
}

void deferred_strings_open(struct session *s)
{
	s->stacks.text = make_string;
}
