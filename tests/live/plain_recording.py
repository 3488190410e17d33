#!/usr/bin/env python3
"""plain_recording.py FILE [before]: makes a recording one of version 1, whose pages have no checksums, so that it can
be changed with SQLite. Anybody may make such a file. `before`: with the tables of that version, too."""

import os
import sqlite3
import sys


SINCE_3 = ", arguments TEXT, result TEXT"  # columns of spans


def make_plain(path, is_before=False):
    old = sqlite3.connect(path)
    new = sqlite3.connect(path + ".plain")
    new.execute("ATTACH ? AS old", (path,))
    kinds = old.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type").fetchall()
    for kind, name, sql in kinds:
        new.execute(sql.replace(SINCE_3, "") if is_before else sql)
        if kind == "table":
            columns = ", ".join(f'"{row[1]}"' for row in new.execute(f"PRAGMA main.table_info({name})"))
            new.execute(f"INSERT INTO {name} SELECT {columns} FROM old.{name}")  # texts may be any bytes
    new.execute(f"PRAGMA application_id = {old.execute('PRAGMA application_id').fetchone()[0]}")
    new.execute("PRAGMA user_version = 1")
    new.commit()
    new.close()
    old.close()
    os.replace(path + ".plain", path)


if __name__ == "__main__":
    make_plain(sys.argv[1], "before" in sys.argv[2:])
