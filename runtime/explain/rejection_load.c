/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads the programs of rejections.h.
 */
#include "runtime/explain/rejections.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 18, LOG_STEPS = 1, LOG_COUNTS = 4, INSNS_MOST = 32, RING_BYTES = 4096 };

/* ---- privileges ---- */

static int get_caps(struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capget, &head, data) ? -errno : 0;
}

static int set_caps(const struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* Drop the capabilities that let programs of root read the stack. *kept restores them. */
static int drop_caps(struct __user_cap_data_struct *kept)
{
	struct __user_cap_data_struct less[_LINUX_CAPABILITY_U32S_3];
	static const int dropped[] = {CAP_SYS_ADMIN, CAP_PERFMON};
	int err = get_caps(kept);

	if (err)
		return err;
	memcpy(less, kept, sizeof(less));
	less[CAP_BPF / 32].effective |= less[CAP_BPF / 32].permitted & 1u << CAP_BPF % 32;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		less[dropped[i] / 32].effective &= ~(1u << dropped[i] % 32);
	return set_caps(less);
}

/* ---- loading ---- */

static int make_maps(int fds[REJECTED_MAP_COUNT])
{
	fds[REJECTED_HASH] = bpf_map_create(BPF_MAP_TYPE_HASH, "values", 4, 8, 16, NULL);
	fds[REJECTED_RING] = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_BYTES, NULL);
	return fds[REJECTED_HASH] < 0 || fds[REJECTED_RING] < 0 ? -errno : 0;
}

static void close_maps(const int fds[REJECTED_MAP_COUNT])
{
	for (int i = 0; i < REJECTED_MAP_COUNT; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static uint32_t fill(const struct rejected_code *code, const int fds[REJECTED_MAP_COUNT],
		     struct bpf_insn *insns)
{
	uint32_t n = code->n < INSNS_MOST ? code->n : INSNS_MOST;

	for (uint32_t i = 0; i < n; i++) {
		insns[i] = code->insns[i].insn;
		if (insns[i].code == (BPF_LD | BPF_DW | BPF_IMM) &&
		    insns[i].src_reg == BPF_PSEUDO_MAP_FD)
			insns[i].imm = fds[insns[i].imm];
	}
	return n;
}

static int load(const struct rejection *r, const struct rejected_code *code,
		const int fds[REJECTED_MAP_COUNT], struct rejection_verdict *out)
{
	struct bpf_insn insns[INSNS_MOST];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = out->log, .log_size = LOG_BYTES,
		    .log_level = r->is_long ? LOG_COUNTS : LOG_STEPS | LOG_COUNTS);
	int fd = bpf_prog_load(r->type, "rejection", r->license, insns, fill(code, fds, insns),
			       &opts);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int rejection_load(const struct rejection *r, bool repaired, struct rejection_verdict *out)
{
	struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3];
	int fds[REJECTED_MAP_COUNT];
	int err = make_maps(fds);

	*out = (struct rejection_verdict){.log = err ? NULL : calloc(1, LOG_BYTES)};
	if (!err && !out->log)
		err = -ENOMEM;
	if (!err && r->is_unprivileged)
		err = drop_caps(kept);
	if (!err)
		out->err = load(r, repaired ? &r->right : &r->wrong, fds, out);
	if (!err && r->is_unprivileged)
		err = set_caps(kept);
	close_maps(fds);
	return err;
}
