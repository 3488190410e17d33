#!/usr/bin/env python3
"""plain_recording.py FILE: makes a recording one of version 1, whose pages have no checksums, so that it can be
changed with SQLite. Anybody may make such a file."""

import os
import sqlite3
import sys


def make_plain(path):
    old = sqlite3.connect(path)
    new = sqlite3.connect(path + ".plain")
    new.execute("ATTACH ? AS old", (path,))
    kinds = old.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type").fetchall()
    for kind, name, sql in kinds:
        new.execute(sql)
        if kind == "table":
            new.execute(f"INSERT INTO {name} SELECT * FROM old.{name}")  # texts may be any bytes
    new.execute(f"PRAGMA application_id = {old.execute('PRAGMA application_id').fetchone()[0]}")
    new.execute("PRAGMA user_version = 1")
    new.commit()
    new.close()
    old.close()
    os.replace(path + ".plain", path)


if __name__ == "__main__":
    make_plain(sys.argv[1])
