"""servers: the job that measures what servers lose while they are traced, also against another build of sonde, and which
share of a CPU sampling takes.

A round runs the server's own benchmark untraced, and traced by each build; ratios are taken within a round, since the
machine's speed changes from one to the next. Of servers with one process, the CPU time for each request is compared,
too: other work on the machine changes it less than the throughput."""

import glob
import os
import re
import sys
import time

from harness import Row, median, sonde, take_turns

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "long"))

import programs  # noqa: E402

LINE = "tracepoint:sched:sched_switch < @[kstack, ustack] = sum(delta) >"
PROFILE = "profile:hz:99 { @[ustack] = count(); }"
LOAD_S, SETTLE_S, SAMPLE_S = 3, 0.3, 5
LOST_MOST = 3  # % of the throughput with the other build
SHARE_MOST = 0.3  # % of one CPU
STATS = "/proc/sys/kernel/bpf_stats_enabled"
TICKS = os.sysconf("SC_CLK_TCK")


def of_servers(bench, measured):
    """The rows that measured(program) returns, of each server that is installed."""
    rows = []
    for kind in programs.Redis, programs.Nginx, programs.Postgres:
        program = kind(os.path.dirname(bench.sonde))
        try:
            if program.lacks():
                bench.note(f"{program.name} is left out: no {', '.join(program.lacks())}")
                continue
            print(f"bench:   {program.name} …", file=sys.stderr)
            rows += measured(program)
        finally:
            program.stop()
    return rows


def servers(bench):
    return of_servers(bench, lambda program: measure(bench, program))


def measure(bench, program):
    rows = throughput(bench, program, program.start())
    program.load()
    time.sleep(SETTLE_S)
    return rows + sampling(bench, program)


# ---- throughput -----------------------------------------------------------------------------------------------

def throughput(bench, program, pid):
    scope = ["-p", str(pid)] + (["--follow"] if program.follow else [])
    builds = {"this build": bench.sonde}
    if bench.against:
        builds["the other build"] = bench.against

    def loaded():
        before = cpu_ns(pid)
        return program.throughput(LOAD_S), cpu_ns(pid) - before  # always the same number of requests

    def traced(path):
        with sonde(bench, LINE, *scope, path=path):
            return loaded()

    turns = {"untraced": loaded}
    turns.update({name: (lambda p=path: traced(p)) for name, path in builds.items()})
    got = take_turns(turns, max(5, bench.runs), SETTLE_S)
    rates = {name: [rate for rate, _ in values] for name, values in got.items()}
    times = {name: [ns for _, ns in values] for name, values in got.items()}
    rows = [Row("servers", f"{program.name}, untraced", "req/s", median(rates["untraced"]), min(rates["untraced"]),
                len(rates["untraced"]))]
    rows += [more(f"{program.name}, the line, {name}: throughput lost", rates["untraced"], rates[name])
             for name in builds]
    if not bench.against:
        return rows
    name = f"{program.name}, the line, against the other build"
    rows.append(more(name + ": throughput lost", rates["the other build"], rates["this build"], LOST_MOST))
    if not program.follow:
        rows.append(more(name + ": CPU time of the server", times["this build"], times["the other build"]))
    return rows


def more(what, values, others, target=None):
    """How much more one is than the other."""
    percent = [100 * (v / other - 1) for v, other in zip(values, others)]
    return Row("servers", what, "%", median(percent), min(percent), len(percent), target)


def cpu_ns(pid):
    with open(f"/proc/{pid}/schedstat") as f:
        return int(f.read().split()[0])


# ---- sampling -------------------------------------------------------------------------------------------------

def sampling(bench, program):
    """What sampling everything takes of one CPU while the server is loaded: its programs, and sonde with them."""
    with open(STATS) as f:
        before = f.read()
    write(STATS, "1")
    try:
        shares = take_turns({"share": lambda: share(bench)}, 3, SETTLE_S)["share"]
    finally:
        write(STATS, before)
    rows = []
    for i, what in enumerate(("programs", "programs and tracer")):
        values = [s[i] for s in shares]
        rows.append(Row("servers", f"{program.name} under load, `profile:hz:99`, {what}: of one CPU", "%",
                        median(values), min(values), len(values), SHARE_MOST))
    values = [s[2] for s in shares]
    return rows + [Row("servers", f"{program.name} under load, `profile:hz:99`: a sample", "ns", median(values),
                       min(values), len(values))]


def share(bench):
    with sonde(bench, PROFILE) as tracer:
        pid = tracer.process.pid
        time.sleep(SETTLE_S)
        begun, (ns, runs), cpu = time.monotonic(), run_time(pid), cpu_seconds(pid)
        time.sleep(SAMPLE_S)
        took = time.monotonic() - begun
        ns, runs, cpu = run_time(pid)[0] - ns, run_time(pid)[1] - runs, cpu_seconds(pid) - cpu
    return 100 * ns / 1e9 / took, 100 * (ns / 1e9 + cpu) / took, ns / max(runs, 1)


def run_time(pid):
    """(ns, runs) of the process's BPF programs."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path) as f:
                text = f.read()
        except OSError:
            continue
        one = re.search(r"prog_id:\s+(\d+)\s+run_time_ns:\s+(\d+)\s+run_cnt:\s+(\d+)", text)
        if one:
            found[one.group(1)] = int(one.group(2)), int(one.group(3))
    return sum(v[0] for v in found.values()), sum(v[1] for v in found.values())


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
