/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file under the database of a recording: pages with checksums, and commits that a full disk
 * or the end of the process does not tear (docs/recordings.md has the layout).
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>

enum { PAGES_BYTES = 16384, PAGES_RESERVED = 16 }; /* of a page; the end of it, for its checksum */

enum pages_mode {
	PAGES_WRITE,	 /* make the database in a file that is empty */
	PAGES_READ,	 /* read; SQLITE_IOERR_DATA if a page does not have its checksum */
	PAGES_UNCHECKED, /* read a file whose pages have no checksums: version 1 */
};

/* Open the database in the file `fd`, which stays the caller's. A code of SQLite; *db must be
 * closed in any case. */
int pages_open(int fd, enum pages_mode mode, sqlite3 **db);
