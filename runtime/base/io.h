/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes that continue after a short transfer; io_read_file() is one call for small
 * files.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Write all bytes; waits where the descriptor is non-blocking. 0 or -errno. */
int io_write(int fd, const void *bytes, size_t n);
/* Read `n` bytes at `offset`: their number, which is smaller only at the end of the file, or
 * -errno. */
ssize_t io_read_at(int fd, void *into, size_t n, uint64_t offset);
/* Read a small file, such as one of /proc, by one call: at most size - 1 bytes from `offset` on,
 * and a NUL behind them. Their number or -errno; then the text is empty. */
ssize_t io_read_file(const char *path, char *text, size_t size, uint64_t offset);
/* The same of the head of a regular file. -EINVAL: it is not one, and nothing was read. */
ssize_t io_read_head(const char *path, char *text, size_t size);
/* The same of a file of /proc/PID; -ESRCH: there is no such process. */
ssize_t io_read_proc(uint32_t pid, const char *name, char *text, size_t size, uint64_t offset);
/* The number at the beginning of a small file; 0: there is none. */
uint64_t io_read_number(const char *path);
