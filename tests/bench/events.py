"""events: jobs that measure the cost of an event: nanoseconds added to a system call, a switch, a printf."""

import dataclasses
import os
import re
import sys
import time

from harness import Row, Workload, bpftrace, hand_written, lower_quartile, median, sonde, take_turns
from startup import LINE, LINE_IN_BPFTRACE

GETPPID = "tracepoint:syscalls:sys_enter_getppid { %s }"
CHUNKS = 60  # in a sample; a chunk takes 2 to 8 ms, so that some are not disturbed
CALLS, CALLS_WITH_STACKS, SWITCHES, USER_CALLS = 10_000, 2_000, 1_500, 1_000
STEADY, TRIES = 0.05, 4  # a round counts if before and after differ by less, else it is repeated
BURST, MOST_NS, MOST_CPUS = 1_000_000, 150, 8
SETTLE_S = 0.15
READ_S = 1  # until the output is in the file
ROUNDS_SHARE = 2  # rounds are long here: half as many runs

SPAN = "tracepoint:sched:sched_switch %s { %s @ = sum(delta); }"
SWITCH_JOBS = (  # what, program, in bpftrace, by hand, target
    ("the line", LINE, LINE_IN_BPFTRACE, "off_stacks", None),
    ("`@ = sum(delta)`", SPAN % ("", ""), None, "off_sum", None),
    ('filtered, `/comm == "nosuch"/`', SPAN % ('/comm == "nosuch"/', ""),
     'tracepoint:sched:sched_switch /comm == "nosuch"/ { @ = count(); }', None, 130),
    ("filtered, `/delta > 1s/ { @ = sum(delta); }`", SPAN % ("/delta > 1s/", ""), None, "off_long", 130),
    ("filtered, the line with `/delta > 1s/`", LINE.replace("<", "/delta > 1s/ <", 1), None, None, None),
)
CALL_JOBS = (("@ = count();", "count"), ("@[pid] = count();", "count_pid"), ("@[comm] = count();", "count_comm"),
             ("@ = hist(nsecs);", "hist_nsecs"), ("@[kstack, ustack] = count();", "count_stacks"))
BY_HAND = 1.1  # times what the hand-written program adds: the default target


def system_calls(bench):
    """Added to getppid by a probe on it, beside bpftrace and hand-written libbpf programs, and to a call
    that is not traced."""
    rows = []
    with Workload(bench, "getppid") as load:
        for body, hand in CALL_JOBS:
            program = GETPPID % body
            rows.append(added(bench, load, tracers(bench, program, program, hand),
                              f"getppid, `{body.rstrip(';')}`",
                              CALLS_WITH_STACKS if "stack" in body else CALLS))
    with Workload(bench, "getuid") as load:
        program = GETPPID % "@ = count();"
        rows.append(added(bench, load, tracers(bench, program, program, "count"),
                          "getuid while getppid is traced", CALLS))
    return rows


def tracers(bench, program, in_bpftrace, by_hand):
    jobs = {"sonde": lambda: sonde(bench, program)}
    if bench.bpftrace and in_bpftrace:
        jobs["bpftrace"] = lambda: bpftrace(bench, in_bpftrace)
    if by_hand and bench.by_hand():
        file = bench.workload if by_hand.startswith("call_") else "/dev/null"
        jobs["hand-written"] = lambda: hand_written(*bench.by_hand(), by_hand, file)
    return jobs


def traced_and_not(load, start, chunks, n, rest_s=0):
    """Chunks while a tracer runs, what they take without it, and the tracer. The workload runs untraced
    right before and after: others who trace the same machine would show in one of the two, and then it
    is done again."""
    for _ in range(TRIES):
        before = load.sample(chunks, n)
        with start() as tracer:
            time.sleep(SETTLE_S)
            traced = load.chunks(chunks, n)
            time.sleep(rest_s)
        time.sleep(SETTLE_S)
        after = load.sample(chunks, n)
        if abs(after - before) < STEADY * before:
            break
    return traced, (before + after) / 2, tracer


def added(bench, load, jobs, what, n, target=None):
    """Run the tracers in turns."""
    def one(start):
        traced, untraced, _ = traced_and_not(load, start, CHUNKS, n)
        return lower_quartile(traced) - untraced

    print(f"bench:   {what} …", file=sys.stderr)
    turns = {name: (lambda start=start: one(start)) for name, start in jobs.items()}
    got = take_turns(turns, max(3, bench.runs // ROUNDS_SHARE), SETTLE_S)
    mine = got.pop("sonde")
    others = {name: median(values) for name, values in got.items()}
    if target is None and "hand-written" in others:
        target = BY_HAND * others["hand-written"]
    return Row("event", what, "ns", median(mine), min(mine), len(mine), target, "", others,
               {name: min(values) for name, values in got.items()})


def switches(bench):
    """Added to a context switch between two processes that share one CPU."""
    with Workload(bench, "switch") as load:
        return [added(bench, load, tracers(bench, program, other, hand), "a switch, " + what, SWITCHES, target)
                for what, program, other, hand, target in SWITCH_JOBS]


def functions(bench):
    """Added to a call of a user function that begins with endbr64, by probes on its entry and return. The
    hand-written programs are behind the endbr64; nearly all of their cost is the kernel's."""
    entry, leave = (f"{kind}:{bench.workload}:cet_call {{ %s }}" for kind in ("uprobe", "uretprobe"))
    scripts = (
        ("a call, `@ = count()` at its entry", entry % "@ = count();", None, "call_entry", 600),
        ("a call, `@ = count()` at entry and return",
         entry % "@ = count();" + leave % "@r = count();", None, "call_entry,call_return", 1200),
        ("a call, `@ = sum(delta)`", leave % "@ = sum(delta);",
         entry % "@s[tid] = nsecs;" + leave % "@ = sum(nsecs - @s[tid]); delete(@s[tid]);", None, None),
        ("a call, refused by `/pid == 1/ { @ = sum(delta); }`",
         leave.replace("{", "/pid == 1/ {", 1) % "@ = sum(delta);",
         entry.replace("{", "/pid == 1/ {", 1) % "@s[tid] = nsecs;" +
         leave.replace("{", "/@s[tid]/ {", 1) % "@ = sum(nsecs - @s[tid]); delete(@s[tid]);", None, None),
    )
    with Workload(bench, "call") as load:
        return [added(bench, load, tracers(bench, mine, other or mine, by_hand), what, USER_CALLS, target)
                for what, mine, other, by_hand, target in scripts]


# ---- printf ---------------------------------------------------------------------------------------------

def printf(bench):
    """A burst of a million records into a file, from each CPU: all are there or counted as lost."""
    cpus = sorted(os.sched_getaffinity(0))[:MOST_CPUS]
    return [row for cpu in cpus for row in printf_from(bench, cpu)]


def printf_from(bench, cpu):
    with Workload(bench, "getppid", cpu) as load:
        got = take_turns(printf_turns(bench, load), max(3, bench.runs // ROUNDS_SHARE), SETTLE_S)
    by_hand = got.pop("hand-written", None)  # it counts nothing
    for name, runs in got.items():
        sums = {r.printed + r.lost for r in runs}
        if sums != {BURST}:
            bench.note(f"{name}, CPU {cpu}: printed + lost was {sorted(sums)}, not {BURST}")
    columns = (("offered", "M/s", lambda r: 1000 / r.ns, None), ("lost", "", lambda r: r.lost, 0),
               ("printed + lost", "", lambda r: r.printed + r.lost, None))
    what = f"`printf(\"%d\\n\", pid)`, a burst of 1,000,000 on CPU {cpu}: "
    rows = [printf_row(what + name, unit, {name: [value(r) for r in runs] for name, runs in got.items()}, target)
            for name, unit, value, target in columns]
    if by_hand:
        got["hand-written"] = by_hand
    added_ns = {name: [r.added_ns for r in runs] for name, runs in got.items()}
    return [printf_row(what + "ns added an event", "ns", added_ns, MOST_NS), *rows]


def printf_turns(bench, load):
    path = bench.path("burst")
    program = GETPPID.replace("{", "/pid == %d/ {") % (load.pid, 'printf("%d\\n", pid);')
    turns = {"sonde": lambda: burst(load, lambda: sonde(bench, program, "-o", path), path)}
    if bench.bpftrace:
        turns["bpftrace"] = lambda: burst(load, lambda: bpftrace(bench, program, "-o", path), path)
    if bench.by_hand():
        turns["hand-written"] = lambda: burst(
            load, lambda: hand_written(*bench.by_hand(), "print_pid", path), path)
    return turns


def printf_row(what, unit, lists, target):
    mine = lists.pop("sonde")
    return Row("printf", what, unit, median(mine), min(mine), len(mine), target, "",
               {name: median(values) for name, values in lists.items()},
               {name: min(values) for name, values in lists.items()})


@dataclasses.dataclass
class Burst:
    ns: float  # for an event, in total
    added_ns: float
    printed: int
    lost: int


def burst(load, start, path):
    traced, untraced, tracer = traced_and_not(load, start, BURST // CALLS, CALLS, READ_S)
    with open(path, "rb") as f:
        printed = f.read().count(b"%d\n" % load.pid)
    os.unlink(path)
    return Burst(sum(traced) / len(traced), lower_quartile(traced) - untraced, printed, lost_in(tracer.output))


def lost_in(text):
    """sonde: `N records lost`; bpftrace: `Lost N events`."""
    return sum(int(n) for n in re.findall(r"[Ll]ost (\d+) events|(?<!\d)(\d+) (?:\w+ )*lost", text) for n in n if n)
