#!/usr/bin/env python3
"""plain_recording.py FILE [before|before-4]: makes a recording one of version 1, whose pages have no checksums, so that
it can be changed with SQLite. Anybody may make such a file. `before`: with the tables of that version, too, `before-4`
with those of version 3."""

import os
import sqlite3
import sys


SINCE_3 = {"spans": ", arguments TEXT, result TEXT"}  # columns, by table
SINCE_4 = {"spans": ", call INTEGER, args TEXT", "prints": ", key_names TEXT", "frames": ", build INTEGER, linked INTEGER"}


def make_plain(path, version=4):
    old = sqlite3.connect(path)
    new = sqlite3.connect(path + ".plain")
    new.execute("ATTACH ? AS old", (path,))
    kinds = old.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type").fetchall()
    for kind, name, sql in kinds:
        if name == "builds" and version < 4:
            continue
        for since, added in ((4, SINCE_4), (3, SINCE_3)):
            if version < since and name in added:
                sql = sql.replace(added[name], "")
        new.execute(sql)
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
    make_plain(sys.argv[1], {"before": 1, "before-4": 3}.get("".join(sys.argv[2:]), 4))
