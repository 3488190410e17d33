"""known_stacks: what scripts that check user stacks share: the stacks that sonde prints as JSON, executable
mappings of processes, and symbols of files."""

import functools
import json
import os
import re
import struct
import subprocess

MOST_FRAMES = 127  # of a stack that sonde takes: of a deeper one, those before and after a gap
INNER_FRAMES = 100
GAP = "[frames left out]"


# ---- what sonde prints ------------------------------------------------------------------------------

def read_map(path, name="@"):
    """[(keys before the stacks, stacks, value)] of a map whose last keys are stacks; a stack is a list of lines."""
    rows = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            data = json.loads(line)
            if data["type"] in ("map", "stats", "hist") and name in data["data"]:
                for key, value in data["data"][name].items():
                    before, _, stacks = key.partition("\n")
                    rows.append(([k for k in before.split(",") if k], split_stacks(stacks), int(value)))
    return rows


def split_stacks(text):
    """Each stack is lines; a line of a comma alone is between two."""
    stacks = [[]]
    for line in text.split("\n"):
        if line.strip() == ",":
            stacks.append([])
        elif line.strip():
            stacks[-1].append(line.strip())
    return stacks


MARK = re.compile(r"\[truncated: (.*)\]$")


def read_stack(lines):
    """(frames, why the walk ended early or None): the mark is the last line."""
    mark = MARK.match(lines[-1]) if lines else None
    return (lines[:-1], mark.group(1)) if mark else (lines, None)


def split_at_gap(frames):
    """(the innermost frames, the outermost ones or None if there is no gap between)"""
    if GAP not in frames:
        return frames, None
    return frames[:frames.index(GAP)], frames[frames.index(GAP) + 1:]


def function_of(text):
    """`name` of `name+offset`, `name+offset [vdso]` and `name [clone .cold]+offset`, None for an address."""
    if text.startswith("0x"):
        return None
    return re.sub(r"( \[clone \.cold\])?\+\d+( \[vdso\])?$", "", text)


# ---- files and mappings ---------------------------------------------------------------------------------

class File:
    """An ELF file of 64 bits: its segments, and the starts of its symbols by name."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02":
                raise ValueError(path)
            self.entry, at = struct.unpack_from("<QQ", head, 24)
            size, n = struct.unpack_from("<HH", head, 54)
            file.seek(at)
            table = file.read(size * n)
        parts = [struct.unpack_from("<IIQQQQQQ", table, i * size) for i in range(n)]
        self.segments = [(offset, vaddr, filesz) for kind, _, offset, vaddr, _, filesz, _, _ in parts if kind == 1]

    def address(self, offset):
        """The address that a byte of the file has by its program headers."""
        for start, vaddr, size in self.segments:
            if start & ~0xfff <= offset < start + size:
                return offset - start + vaddr
        return None

    @functools.cached_property
    def starts(self):
        """name → set of addresses, of functions; mangled and demangled names."""
        starts = {}
        for path in filter(None, (self.path, self.debug_file())):
            for options in [], ["-D"]:
                for name, address in functions_by_nm(path, options):
                    starts.setdefault(name, set()).add(address)
        return starts

    def debug_file(self):
        notes = subprocess.run(["readelf", "-n", self.path], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False).stdout
        build_id = re.search(r"Build ID: ([0-9a-f]{2})([0-9a-f]+)", notes)
        path = build_id and "/usr/lib/debug/.build-id/{}/{}.debug".format(*build_id.groups())
        return path if path and os.path.exists(path) else None


def functions_by_nm(path, options):
    command = ["nm", "--defined-only", *options, path]
    text = subprocess.run(command, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout
    if "_Z" in text or "_R" in text:
        text += subprocess.run(["c++filt"], input=text, text=True, errors="replace", stdout=subprocess.PIPE,
                               check=True).stdout
    for line in text.splitlines():
        address, kind, name = line[:16], line[17:18], line[19:]
        if kind in "tTwWiu":
            yield name, int(address, 16)
            yield name.split("@")[0], int(address, 16)


@functools.lru_cache(maxsize=None)
def open_file(path):
    try:
        return File(path)
    except (OSError, ValueError, struct.error):
        return None


class Maps:
    """Executable mappings of a process: (start, end, offset, path)."""

    def __init__(self, rows=()):
        self.rows = set(rows)

    @classmethod
    def of_process(cls, pid):
        rows = []
        with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
            for line in file:
                parts = line.split(None, 5)
                if "x" in parts[1]:
                    start, end = (int(x, 16) for x in parts[0].split("-"))
                    rows.append((start, end, int(parts[2], 16), parts[5].strip() if len(parts) > 5 else ""))
        return cls(rows)

    def at(self, address):
        """The mappings that hold or held the address."""
        return [row for row in self.rows if row[0] <= address < row[1]]

    def is_junk(self, address):
        """In no executable mapping; of a call at a mapping's end the return address is behind it."""
        return not self.at(address) and not self.at(address - 1)
