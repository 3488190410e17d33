"""harness: programs built at bench time, interleaved runs, and their results.

A row of the table is a Row: medians and minima of interleaved runs (A B A B ...), so that a change of
the machine's speed affects all of them."""

import ctypes
import dataclasses
import os
import re
import select
import shlex
import signal
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CLONE_NEWNS = 0x20000
READY_FD = "READY_FD"  # in a command: the number of the descriptor for `ready`


@dataclasses.dataclass
class Row:
    """One line of the table. `target` and `peer` may be None."""
    job: str
    what: str
    unit: str
    median: float
    least: float
    runs: int
    target: float = None
    note: str = ""
    beside: dict = dataclasses.field(default_factory=dict)  # name -> median of the other tracer
    beside_least: dict = dataclasses.field(default_factory=dict)  # and the minimum, where it says more

    def verdict(self):
        if self.target is None:
            return ""
        return "met" if self.median <= self.target else "MISSED"


class Bench:
    """Where the programs are, how many runs, which jobs can be skipped."""

    def __init__(self, sonde, runs, cpu, against=None):
        self.sonde = sonde
        self.against = against  # another build, or None
        self.runs = runs
        self.cpu = cpu
        self.folder = tempfile.TemporaryDirectory(prefix="sonde-bench-")
        self.env = dict(os.environ, LC_ALL="C.UTF-8")
        self.notes = []
        self.hand = None
        self.bpftrace = find_bpftrace(self)
        self.spawn = self.compile("spawn")
        self.workload = self.compile("workload")

    def by_hand(self):
        """Loader and object of the hand-written programs, or None."""
        if self.hand is None:
            binary = self.compile_bpf("hand")
            self.hand = (self.compile("hand", "-lbpf"), binary) if binary else ()
        return self.hand

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def compile(self, name, *libraries, option="-fno-omit-frame-pointer"):
        binary = self.path(name + option)
        subprocess.run([os.environ.get("CC", "cc"), "-O2", option, "-o", binary,
                        os.path.join(HERE, name + ".c"), *libraries], check=True)
        return binary

    def compile_bpf(self, name):
        """The object's path, or None with a note."""
        clang = next((c for c in ("clang-19", "clang-20", "clang-18", "clang-17", "clang-16", "clang")
                      if which(c)), None)
        target = subprocess.run([os.environ.get("CC", "cc"), "-print-multiarch"], capture_output=True, text=True)
        include = "/usr/include/" + (target.stdout.strip() or os.uname().machine + "-linux-gnu")
        binary = self.path(name + ".o")
        if clang and not subprocess.run([clang, "-O2", "-g", "-mcpu=v3", "-target", "bpf", "-I" + include,
                                         "-c", os.path.join(HERE, name + ".bpf.c"), "-o", binary]).returncode:
            return binary
        return self.note("hand-written programs left out: no clang that compiles them")


def which(program):
    return any(os.access(os.path.join(d, program), os.X_OK) for d in os.environ["PATH"].split(":"))


# ---- bpftrace, in a mount namespace where tracefs is mounted -------------------------------------

class Namespace:
    """bpftrace needs tracefs to be mounted; the machine itself is not changed."""

    def __init__(self):
        script = ("mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing; "
                  "echo; exec sleep 100000")
        self.holder = subprocess.Popen(["unshare", "--mount", "sh", "-c", script], stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        self.fd = os.open(f"/proc/{self.holder.pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        self.libc = ctypes.CDLL(None, use_errno=True)

    def enter(self):
        if self.libc.setns(self.fd, CLONE_NEWNS):
            raise OSError(ctypes.get_errno(), "setns")

    def close(self):
        self.holder.kill()
        self.holder.wait()
        os.close(self.fd)


def find_bpftrace(bench):
    if not which("bpftrace"):
        return bench.note("bpftrace is not installed: no comparison")
    text = subprocess.run(["bpftrace", "--version"], capture_output=True, text=True).stdout
    found = re.search(r"v[\d.]+", text)
    bench.bpftrace_version = found.group(0) if found else "?"
    return Namespace()


# ---- interleaved runs -----------------------------------------------------------------------------

def take_turns(functions, runs, pause_s):
    """Calls each of {name: function} once a round; {name: list of what it returned}. The first round
    warms caches up and is not counted."""
    results = {name: [] for name in functions}
    for i in range(runs + 1):
        for name, function in functions.items():
            time.sleep(pause_s)
            value = function()
            if i:
                results[name].append(value)
    return results


def median(values):
    return statistics.median(values)


def run_once(bench, command, inside=None):
    """(milliseconds, KiB) of one whole run."""
    wall, rss, status = spawn(bench, "run", command, inside)
    if status:
        bench.note(f"`{shlex.join(command)[-70:]}` ended with status {status >> 8}")
    return wall / 1e6, rss


def attach_once(bench, command):
    """(milliseconds to ready, milliseconds from SIGINT to the end, KiB)."""
    ready, end, rss, _ = spawn(bench, "attach", command)
    return ready / 1e6, end / 1e6, rss


def spawn(bench, word, command, inside=None):
    done = subprocess.run([bench.spawn, word, *command], capture_output=True, text=True, env=bench.env,
                          preexec_fn=inside.enter if inside else None)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [int(n) for n in done.stdout.split()]


# ---- a workload that goes on while tracers come and go ---------------------------------------------

def lower_quartile(values):
    """A robust minimum: other load only adds time."""
    return sorted(values)[len(values) // 4]


class Workload:
    def __init__(self, bench, kind, cpu=None):
        cpu = bench.cpu if cpu is None else cpu
        self.process = subprocess.Popen([bench.workload, kind, str(cpu)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid

    def chunks(self, chunks, n):
        """Nanoseconds an event of each chunk of n."""
        self.process.stdin.write(f"{chunks} {n}\n")
        self.process.stdin.flush()
        return [float(x) for x in self.process.stdout.readline().split()]

    def sample(self, chunks, n):
        return lower_quartile(self.chunks(chunks, n))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


# ---- tracers that run in the background ---------------------------------------------------------------

class Tracer:
    """A context: inside it the probes are attached."""

    def __init__(self, command, wait_ready, inside=None):
        self.log = tempfile.TemporaryFile()
        self.started_ns = time.monotonic_ns()
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [str(write) if word == READY_FD else word for word in command], pass_fds=(write,),
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
            preexec_fn=inside.enter if inside else None)
        os.close(write)
        self.ready_fd = read
        self.wait_ready = wait_ready

    def __enter__(self):
        if not self.wait_ready(self):
            self.__exit__()
            raise RuntimeError("not attached: " + self.output[-400:])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.ready_fd)
        self.log.seek(0)
        self.output = self.log.read().decode(errors="replace")


def byte_comes(tracer):
    ready, _, _ = select.select([tracer.ready_fd], [], [], 10)
    return bool(ready and os.read(tracer.ready_fd, 1))


def sonde(bench, program, *options, path=None):
    return Tracer([path or bench.sonde, "-q", "--ready-fd", READY_FD, *options, "-e", program], byte_comes)


def bpftrace(bench, program, *options):
    """Its -c command starts when everything is attached: then the workload's `ready` writes the time."""
    stamp = tempfile.mktemp(dir=bench.folder.name)

    def stamped(tracer):
        for _ in range(1000):
            if os.path.exists(stamp) and os.path.getsize(stamp):
                with open(stamp) as f:
                    tracer.ready_ms = (int(f.read()) - tracer.started_ns) / 1e6
                return True
            if tracer.process.poll() is not None:
                return False
            time.sleep(0.01)
        return False

    command = ["bpftrace", *options, "-c", f"{bench.workload} ready {stamp}", "-e", program]
    return Tracer(command, stamped, bench.bpftrace)


def hand_written(loader, bpf_object, program, file="/dev/null"):
    return Tracer([loader, bpf_object, program, READY_FD, file], byte_comes)
