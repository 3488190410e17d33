"""events: jobs of cost per event: nanoseconds added to a system call, to a switch, to a printf."""

import os
import re
import time

from harness import Row, Workload, bpftrace, hand_written, median, sonde, take_turns
from startup import LINE, LINE_IN_BPFTRACE

GETPPID = "tracepoint:syscalls:sys_enter_getppid { %s }"
CHUNKS = 60  # a sample; a chunk is 2 to 8 ms, so that some are not disturbed
CALLS, CALLS_WITH_STACKS, SWITCHES, USER_CALLS = 10_000, 2_000, 1_500, 1_000
STEADY, TRIES = 0.05, 4  # a round counts when before and after are so near, else it is done again
BURST = 1_000_000
SETTLE_S = 0.15
ROUNDS_SHARE = 2  # a round here is long: half of the runs

SPAN = "tracepoint:sched:sched_switch %s { %s @ = sum(delta); }"
SWITCH_JOBS = (
    ("the line", LINE, LINE_IN_BPFTRACE),
    ("`@ = sum(delta)`", SPAN % ("", ""), None),
    ('filtered, `/comm == "nosuch"/`', SPAN % ('/comm == "nosuch"/', ""),
     'tracepoint:sched:sched_switch /comm == "nosuch"/ { @ = count(); }'),
    ("filtered, `/delta > 1s/`", SPAN % ("/delta > 1s/", ""), None),
)


def system_calls(bench):
    """Added to getppid by a probe on it, beside bpftrace and hand-written libbpf programs."""
    loader = bench.compile("hand", "-lbpf")
    by_hand = bench.compile_bpf("hand")
    rows = []
    with Workload(bench, "getppid") as load:
        for body, hand in (("@ = count();", "count"), ("@[pid] = count();", "count_pid"),
                           ("@[comm] = count();", None), ("@[kstack, ustack] = count();", None)):
            jobs = tracers(bench, GETPPID % body, GETPPID % body)
            if hand and by_hand:
                jobs["hand-written"] = lambda hand=hand: hand_written(loader, by_hand, hand)
            rows.append(added(bench, load, jobs, f"getppid, `{body.rstrip(';')}`",
                              CALLS_WITH_STACKS if "stack" in body else CALLS))
    with Workload(bench, "getuid") as load:
        jobs = tracers(bench, GETPPID % "@ = count();", GETPPID % "@ = count();")
        rows.append(added(bench, load, jobs, "getuid while getppid is traced", CALLS))
    return rows


def tracers(bench, program, in_bpftrace):
    jobs = {"sonde": lambda: sonde(bench, program)}
    if bench.bpftrace and in_bpftrace:
        jobs["bpftrace"] = lambda: bpftrace(bench, in_bpftrace)
    return jobs


def added(bench, load, jobs, what, n, target=None):
    """Each tracer takes its turn; right before it and after it the workload runs untraced. Others who
    trace the same machine would show in one of the two."""
    def one(start):
        for _ in range(TRIES):
            before = load.sample(CHUNKS, n)
            with start():
                time.sleep(SETTLE_S)
                traced = load.sample(CHUNKS, n)
            time.sleep(SETTLE_S)
            after = load.sample(CHUNKS, n)
            if abs(after - before) < STEADY * before:
                break
        return traced - (before + after) / 2

    turns = {name: (lambda start=start: one(start)) for name, start in jobs.items()}
    got = take_turns(turns, max(3, bench.runs // ROUNDS_SHARE), SETTLE_S)
    mine = got.pop("sonde")
    return Row("event", what, "ns", median(mine), min(mine), len(mine), target, "",
               {name: median(values) for name, values in got.items()})


def switches(bench):
    """Added to a context switch between two processes that share one CPU."""
    with Workload(bench, "switch") as load:
        return [added(bench, load, tracers(bench, program, other), "a switch, " + what, SWITCHES,
                      130 if what.startswith("filtered") else None)
                for what, program, other in SWITCH_JOBS]


def functions(bench):
    """Added to a call of a user function that begins with endbr64, by probes on its entry and return."""
    entry, leave = (f"{kind}:{bench.workload}:cet_call {{ %s }}" for kind in ("uprobe", "uretprobe"))
    scripts = (
        ("a call, `@ = count()` at its entry", entry % "@ = count();", None, 600),
        ("a call, `@ = count()` at entry and return",
         entry % "@ = count();" + leave % "@r = count();", None, 1200),
        ("a call, `@ = sum(delta)`", leave % "@ = sum(delta);",
         entry % "@s[tid] = nsecs;" + leave % "@ = sum(nsecs - @s[tid]); delete(@s[tid]);", None),
    )
    with Workload(bench, "call") as load:
        return [added(bench, load, tracers(bench, mine, other or mine), what, USER_CALLS, target)
                for what, mine, other, target in scripts]


# ---- printf ---------------------------------------------------------------------------------------------

def printf(bench):
    """A burst of a million records into a file: all are there or counted as lost."""
    with Workload(bench, "getppid") as load:
        turns = {"sonde": lambda: burst(bench, load, sonde, "-o")}
        if bench.bpftrace:
            turns["bpftrace"] = lambda: burst(bench, load, bpftrace, "-o")
        got = take_turns(turns, max(3, bench.runs // 4), SETTLE_S)
    costs = {name: [r[0] for r in runs] for name, runs in got.items()}
    shares = {name: [r[1] / BURST * 100 for r in runs] for name, runs in got.items()}
    sums = {name: [r[1] + r[2] for r in runs] for name, runs in got.items()}
    for name, values in sums.items():
        if any(v != BURST for v in values):
            bench.note(f"{name}: printed + lost was {sorted(set(values))}, not {BURST}")
    return [printf_row("getppid, `printf(\"%d\\n\", pid)`", "ns", costs),
            printf_row("printed of a burst of 1,000,000", "%", shares),
            printf_row("printed + lost", "", sums)]


def printf_row(what, unit, lists):
    mine = lists["sonde"]
    return Row("printf", what, unit, median(mine), min(mine), len(mine), None, "",
               {name: median(values) for name, values in lists.items() if name != "sonde"})


def burst(bench, load, tracer, option):
    """(ns added an event, printed, lost)"""
    path = bench.path("burst")
    program = GETPPID.replace("{", "/pid == %d/ {") % (load.pid, 'printf("%d\\n", pid);')
    before = load.sample(1, BURST)
    with tracer(bench, program, option, path) as running:
        time.sleep(SETTLE_S)
        traced = load.sample(1, BURST)
        time.sleep(1)
    with open(path, "rb") as f:
        printed = f.read().count(b"%d\n" % load.pid)
    os.unlink(path)
    return traced - before, printed, lost_in(running.output)


def lost_in(text):
    """sonde: `N records lost`; bpftrace: `Lost N events`."""
    return sum(int(n) for n in re.findall(r"[Ll]ost (\d+) events|(?<!\d)(\d+) (?:\w+ )*lost", text) for n in n if n)
