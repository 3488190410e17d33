"""unwinders: user stacks of a process as gdb and perf (by DWARF) see them, and as sonde does, to be compared by
address.

gdb: the stop of an attach is itself a context switch, at the very registers that gdb shows. So with
sonde tracing sched_switch meanwhile, each thread's backtrace must be among its stacks. Frames that gdb
invents from debug information (inlined functions, tail calls) are left out.
perf: samples of the same event with a copy of the stack, unwound later by its own library."""

import collections
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))

from known_stacks import INNER_FRAMES, MOST_FRAMES, read_map, read_stack, split_at_gap  # noqa: E402

GDB_SCRIPT = r"""
import gdb
for option in ("pagination off", "backtrace past-main on", "debuginfod enabled off", "confirm off",
               "print inferior-events off", "auto-load no", "backtrace limit 127"):
    try:
        gdb.execute("set " + option)
    except gdb.error:
        pass
gdb.execute("attach PID")
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frames, frame = [], gdb.newest_frame()
    while frame is not None and frame.is_valid():
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            frames.append(frame.pc())
        try:
            frame = frame.older()
        except gdb.error:
            break
    print("known-stack", thread.ptid[1], *["%x" % a for a in frames], flush=True)
gdb.execute("detach")
"""
PERF_COPY = 32768  # bytes of stack in a sample
SLOW = float(os.environ.get("SONDE_SLOW", "1"))  # how many times slower than others the machine is: an emulated one
SWITCHES = "tracepoint:sched:sched_switch { @[tid, %s] = count(); }"


def ustack(walk):
    """The builtin, as addresses."""
    return f"ustack(raw, {walk or 'native'})"  # gdb and perf know no frames of interpreters


def gdb_stacks(pid):
    """[(tid, [addresses])] of all threads, now."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(GDB_SCRIPT.replace("PID", str(pid)))
        script.flush()
        done = subprocess.run(["gdb", "-nx", "-batch", "-x", script.name], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace", check=False, timeout=120 * SLOW)
    stacks = []
    for line in done.stdout.splitlines():
        words = line.split()
        if words and words[0] == "known-stack":
            addresses = [int(w, 16) for w in words[2:]]
            while addresses and addresses[-1] == 0:  # behind the last frame of Go
                addresses.pop()
            stacks.append((int(words[1]), addresses))
    return stacks


class Perf:
    """Records switches of a process while it is entered; after read(), `stacks` are [(tid, [addresses])].
    Addresses of callers are one less than return addresses, as perf gives them."""

    def __init__(self, pids, every=1):
        self.folder = tempfile.TemporaryDirectory(prefix="unwinders-")
        self.data = os.path.join(self.folder.name, "perf.data")
        self.control = [os.path.join(self.folder.name, name) for name in ("command", "answer")]
        for path in self.control:
            os.mkfifo(path)
        mounted = "mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing; exec "
        self.command = ["unshare", "--mount", "sh", "-c", mounted + " ".join([
            "perf", "record", "-q", "-D", "-1", "--control", "fifo:" + ",".join(self.control), "-m", "2048",
            "-e", "sched:sched_switch", "-c", str(every), "--call-graph", f"dwarf,{PERF_COPY}",
            "-p", ",".join(map(str, pids)), "-o", self.data])]
        self.stacks = []

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        command, answer = (os.open(path, os.O_RDWR) for path in self.control)
        os.write(command, b"enable\n")
        select.select([answer], [], [], 30 * SLOW)
        os.close(command)
        os.close(answer)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60 * SLOW)

    def read(self, maps, seconds=90):
        """Needs the process's mappings. Samples that are not read in time are left out."""
        bases = {row[3]: [] for row in maps.rows}
        for start, end, offset, path in maps.rows:
            bases[path].append((start, offset, end - start))
        script = subprocess.Popen(["perf", "script", "-i", self.data, "-F", "tid,ip,dso", "--no-inline"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
        tid, frames, end = None, [], time.monotonic() + seconds * SLOW
        for line in script.stdout:
            words = line.split()
            if not words:
                self.add(tid, frames)
                tid, frames = None, []
                if time.monotonic() > end:
                    break
            elif tid is None:
                tid = int(words[0])
            elif re.fullmatch(r"[0-9a-f]+", words[0]):
                number, path = int(words[0], 16), line.rpartition(" (")[2].rstrip(")\n")
                frames.append(next((start + number - offset for start, offset, size in bases.get(path, ())
                                    if offset <= number < offset + size), number))
        script.kill()
        script.wait()
        self.add(tid, frames)
        self.folder.cleanup()

    def add(self, tid, frames):
        user = [a for a in frames if a < 1 << 63]
        if tid is not None and user:
            self.stacks.append((tid, user))


class Sonde:
    """Traces while it is entered; then `rows` are [(keys, addresses, value)] of its map @, whose last key is a stack,
    and `marks` the values by the reason why the walk ended early, which is None for the others."""

    def __init__(self, program, script, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="unwinders-")
        self.out = os.path.join(self.folder.name, "out")
        self.command = [program, "-q", "-f", "json", "-o", self.out, *options, "-e", script]
        self.rows, self.errors = [], ""

    def __enter__(self):
        read, write = os.pipe()
        self.command[1:1] = ["--ready-fd", str(write)]
        self.process = subprocess.Popen(self.command, pass_fds=[write], stderr=subprocess.PIPE, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(write)
        ready, _, _ = select.select([read], [], [], 60 * SLOW)
        if not ready or not os.read(read, 1):
            self.process.kill()
            raise RuntimeError("sonde: " + self.process.communicate()[1][-500:])
        os.close(read)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, self.errors = self.process.communicate(timeout=120 * SLOW)
        self.marks = collections.Counter()
        for keys, stacks, n in read_map(self.out):
            frames, mark = read_stack(stacks[0])
            inner, outer = split_at_gap(frames)
            self.rows.append((keys, [int(frame, 16) for frame in inner + (outer or [])], n))
            self.marks[mark] += n
        self.folder.cleanup()


def same(mine, theirs):
    """All frames of both; of a deep stack, as many as sonde takes before the gap."""
    if len(theirs) > MOST_FRAMES:
        return mine[:INNER_FRAMES] == theirs[:INNER_FRAMES]
    return mine == theirs


def begins(mine, theirs):
    """The same as far as perf's go, which may end early: all of its frames."""
    theirs = theirs[:INNER_FRAMES if len(mine) >= MOST_FRAMES - 2 else MOST_FRAMES]
    return len(mine) >= len(theirs) and \
        all(a == b or i > 0 and a == b + 1 for i, (a, b) in enumerate(zip(mine, theirs)))


def to_direct_caller(maps, addresses):
    """The frames from the innermost to the first that is not libc's, or to its caller if it is itself innermost."""
    for i, address in enumerate(addresses):
        path = next((row[3] for row in maps.at(address)), "")
        if path and not re.match(r"libc[.-]|ld-linux|libpthread|\[vdso\]", os.path.basename(path)):
            return addresses[:max(i, 1) + 1]
    return addresses
