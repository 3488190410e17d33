"""stacks: the job that measures user stacks: what one costs by depth, what tracing servers costs them, how long it
takes to begin, and how much memory.

Compared are the walks that sonde has (`ustack(fp)`, `ustack(dwarf)`), a hand-written program that calls bpf_get_stack, and
`perf record --call-graph dwarf`, which copies the stack and unwinds it later. Only programs without frame pointers,
as distributions build them, need another walk than bpf_get_stack's."""

import os
import re
import signal
import subprocess
import sys
import time

from harness import Row, Tracer, Workload, hand_written, median, sonde, take_turns

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "long"))

import programs  # noqa: E402
from servers import of_servers  # noqa: E402

DEPTHS = (6, 20, 60)
BUILDS = {"no frame pointers": "-fomit-frame-pointer", "frame pointers": "-fno-omit-frame-pointer"}
CHUNKS, SWITCHES = 40, 1_500
SETTLE_S, LOAD_S = 0.15, 2
COUNT = "tracepoint:sched:sched_switch { @ = count(); }"
STACKS = "tracepoint:sched:sched_switch { @[%s] = count(); }"
LINE = "tracepoint:sched:sched_switch < @[kstack, %s] = sum(delta) >"
WALKS = ("ustack(fp)", "ustack(dwarf)")
N_LIBRARIES = 30
LIBRARIES = """z zstd lzma bz2 elf dw bpf stdc++ crypto ssl ncursesw readline expat xml2 curl sqlite3 gmp mpfr glib-2.0 pcre2-8
    ffi uuid blkid mount selinux cap audit pam systemd dbus-1 udev krb5 k5crypto com_err keyutils resolv nsl nettle
    hogweed gnutls p11-kit idn2 unistring tasn1 edit gomp itm quadmath atomic isl mpc ctf bfd opcodes""".split()
PERF_COPY = 16384


def stacks(bench):
    walks = [w for w in WALKS if accepts(bench, w)]
    return by_depth(bench, walks) + throughput(bench, walks) + start(bench, walks)


def accepts(bench, walk):
    done = subprocess.run([bench.sonde, "--check", "-e", STACKS % walk], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        bench.note(f"no {walk} in this build")
    return done.returncode == 0


# ---- perf ---------------------------------------------------------------------------------------------

def has_perf(bench):
    return programs.which("perf") or bench.note("perf is not installed: no comparison")


def perf(bench, pid):
    """Its samples go to a file; nothing is unwound."""
    path = bench.path("perf.data")

    def begins(tracer):
        for _ in range(250):
            if os.path.exists(path) and os.path.getsize(path):
                time.sleep(0.1)
                return True
            time.sleep(0.02)
        return False

    if os.path.exists(path):
        os.unlink(path)
    mounted = "mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing; exec "
    command = (f"perf record -q -m 2048 -e sched:sched_switch -c 1 --call-graph dwarf,{PERF_COPY} -p {pid} "
               f"-o {path}")
    return Tracer(["unshare", "--mount", "sh", "-c", mounted + command], begins)


# ---- what a stack costs -------------------------------------------------------------------------------------

class PingPong(Workload):
    def __init__(self, bench, binary, depth):
        self.process = subprocess.Popen([binary, str(bench.cpu), str(depth)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid


def by_depth(bench, walks):
    rows = []
    for build, option in BUILDS.items():
        binary = bench.compile("pingpong", "-pthread", option=option)
        for depth in DEPTHS:
            with PingPong(bench, binary, depth) as load:
                rows += at_depth(bench, load, walks, f"{depth} frames, {build}")
    return rows


def at_depth(bench, load, walks, what):
    print(f"bench:   a switch, {what} …", file=sys.stderr)
    scope = ["-p", str(load.pid)]
    tracers = {"`@ = count()`": lambda: sonde(bench, COUNT, *scope)}
    tracers.update({f"`@[{w}] = count()`": lambda w=w: sonde(bench, STACKS % w, *scope) for w in walks})
    if bench.by_hand():
        tracers["bpf_get_stack alone, hand-written"] = lambda: hand_written(*bench.by_hand(), "switch_stack")
    if has_perf(bench):
        tracers["perf record --call-graph dwarf"] = lambda: perf(bench, load.pid)

    def added(begin):
        before = load.sample(CHUNKS, SWITCHES)
        with begin():
            time.sleep(SETTLE_S)
            traced = load.sample(CHUNKS, SWITCHES)
        time.sleep(SETTLE_S)
        return traced - (before + load.sample(CHUNKS, SWITCHES)) / 2

    got = take_turns({name: (lambda b=begin: added(b)) for name, begin in tracers.items()},
                     max(3, bench.runs // 3), SETTLE_S)
    return [Row("stacks", f"a switch, {what}: {name}", "ns", median(values), min(values), len(values))
            for name, values in got.items()]


# ---- servers ------------------------------------------------------------------------------------------------

def throughput(bench, walks):
    return of_servers(bench, lambda program: under_load(bench, program, walks))


def under_load(bench, program, walks):
    pid = program.start()
    scope = ["-p", str(pid)] + (["--follow"] if program.follow else [])
    tracers = {walk: (lambda w=walk: sonde(bench, LINE % w, *scope)) for walk in walks}
    if not program.follow and has_perf(bench):
        tracers["perf record --call-graph dwarf"] = lambda: perf(bench, pid)

    def traced(begin):
        with begin():
            return program.throughput(LOAD_S)

    turns = {"untraced": lambda: program.throughput(LOAD_S)}
    turns.update({name: (lambda b=begin: traced(b)) for name, begin in tracers.items()})
    got = take_turns(turns, max(3, bench.runs // 3), SETTLE_S)
    untraced = median(got.pop("untraced"))
    rows = [Row("stacks", f"{program.name}, untraced", "req/s", untraced, untraced, max(3, bench.runs // 3))]
    for name, values in got.items():
        name = f"the line with {name}" if name in walks else name
        lost = [100 * (1 - v / untraced) for v in values]
        rows.append(Row("stacks", f"{program.name}, {name}: throughput lost", "%", median(lost), min(lost), len(lost)))
    return rows


# ---- start and memory ---------------------------------------------------------------------------------------

def start(bench, walks):
    binary = bench.compile("libraries")
    names = installed(LIBRARIES)
    process = subprocess.Popen([binary, str(N_LIBRARIES), *names], stdout=subprocess.PIPE, text=True)
    try:
        n = int(process.stdout.readline())
        return begin_with(bench, walks, process.pid, n)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def installed(names):
    """Their files' names, as the loader's cache has them."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = dict(re.findall(r"^\s*lib(\S+?)\.so\.\d+ .*=> (\S+)", cache, re.M))
    return [found[name] for name in names if name in found]


def begin_with(bench, walks, pid, n):
    def one(walk):
        begun = time.monotonic()
        with sonde(bench, LINE % walk, "-p", str(pid)) as tracer:
            ready = (time.monotonic() - begun) * 1000
            time.sleep(0.3)
            return ready, memory(tracer.process.pid)

    got = take_turns({walk: (lambda w=walk: one(w)) for walk in walks}, max(3, bench.runs // 2), 0.3)
    rows = []
    for walk, values in got.items():
        ready = [v[0] for v in values]
        rows.append(Row("stacks", f"-p of a process with {n} libraries, the line with {walk}: to attached", "ms",
                        median(ready), min(ready), len(ready)))
        for i, what in enumerate(("RssAnon", "memory of its maps")):
            sizes = [v[1][i] for v in values]
            rows.append(Row("stacks", f"the same, {what}", "MiB", median(sizes), min(sizes), len(sizes)))
    return rows


def memory(pid):
    """(RssAnon, what the kernel charges for its BPF maps), in MiB."""
    with open(f"/proc/{pid}/status") as f:
        anon = int(re.search(r"RssAnon:\s+(\d+)", f.read()).group(1)) / 1024
    locked = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}") as f:
                text = f.read()
        except OSError:
            continue
        found = re.search(r"memlock:\s+(\d+)[\s\S]*map_id:\s+(\d+)", text)
        if found:
            locked[found.group(2)] = int(found.group(1))
    return anon, sum(locked.values()) / (1 << 20)
