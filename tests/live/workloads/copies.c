/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies: writes "copied" to standard output as copy_file_range(2) does: at the file offset that it
 * found, which it advances afterwards, although others may have written there in the meantime.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

int main(void)
{
	static const char text[] = "copied\n";
	off_t found = lseek(STDOUT_FILENO, 0, SEEK_CUR);

	getppid();
	usleep(200 * 1000); /* the tracer prints that */
	if (pwrite(STDOUT_FILENO, text, strlen(text), found) < 0)
		return 1;
	lseek(STDOUT_FILENO, found + (off_t)strlen(text), SEEK_SET);
	return 0;
}
