"""startup: jobs of starting and ending: process, front end, code generation, load, attach, exit, memory."""

import os
import re
import time

from harness import Row, attach_once, bpftrace, median, run_once, sonde, take_turns

EMPTY = "BEGIN { exit(); }"
LINE = "tracepoint:sched:sched_switch < @[kstack, ustack] = sum(delta) >"
RAW_FORM = "tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }"
PERF_FORM = "tracepoint:sched:sched_process_exec { @[%s] = count(); }"
# The same job in bpftrace, which has no delta.
LINE_IN_BPFTRACE = """tracepoint:sched:sched_switch { @s[args->prev_pid] = nsecs;
    if (@s[args->next_pid]) { @[kstack, ustack] = sum(nsecs - @s[args->next_pid]); } }"""
EMIT_STAGES = (("plan", "process start and front end"), ("ir", "fork, IR, its text"),
               ("ir-opt", "IR, passes, its text"), ("elf", "IR, passes, machine code"))
DETACH_S = 0.3  # the kernel's RCU work after a detach slows the next attach by 5 to 20 ms


def empty(bench):
    """`BEGIN { exit(); }`: wall time and memory of the whole process."""
    jobs = {"sonde": lambda: run_once(bench, [bench.sonde, "-e", EMPTY])}
    if bench.bpftrace:
        jobs["bpftrace"] = lambda: run_once(bench, ["bpftrace", "-e", EMPTY], bench.bpftrace)
    got = take_turns(jobs, bench.runs, 0.15)
    walls = {name: [r[0] for r in runs] for name, runs in got.items()}
    sizes = {name: [r[1] / 1024 for r in runs] for name, runs in got.items()}
    return [row("start", f"`{EMPTY}`, whole process", "ms", walls, 16),
            row("start", f"`{EMPTY}`, largest RSS", "MiB", sizes, 32)]


def row(job, what, unit, lists, target=None, note=""):
    """sonde's list is the row, the others are columns."""
    mine = lists["sonde"]
    others = {name: median(values) for name, values in lists.items() if name != "sonde" and values}
    return Row(job, what, unit, median(mine), min(mine), len(mine), target, note, others)


def attach(bench):
    """The main one-liner: from exec to attached, the share of each stage, and the end."""
    emit = [bench.sonde, "-o", "/dev/null", "-e", LINE, "--emit"]
    jobs = {name: (lambda name=name: run_once(bench, emit + [name])[0]) for name, _ in EMIT_STAGES}
    jobs["version"] = lambda: run_once(bench, [bench.sonde, "--version"])[0]
    jobs["attach"] = lambda: attach_once(bench, [bench.sonde, "--ready-fd", "9", "-e", LINE])
    if bench.bpftrace:
        jobs["bpftrace"] = lambda: time_to_ready(bench, LINE_IN_BPFTRACE)
    got = take_turns(jobs, bench.runs, DETACH_S)
    ready = {"sonde": [r[0] for r in got["attach"]], "bpftrace": got.get("bpftrace", [])}
    rows = [row("attach", "the sched_switch line, exec to attached", "ms", ready, 40)]
    rows += stages(got)
    rows.append(row("attach", "the same, SIGINT to end, printing included", "ms",
                    {"sonde": [r[1] for r in got["attach"]]}))
    return rows


def stages(got):
    """Differences of medians: a stage's whole run minus that of the stage before."""
    version, plan, ir, passes, elf = (median(got[name]) for name in ("version", "plan", "ir", "ir-opt", "elf"))
    ready = median([r[0] for r in got["attach"]])
    n = len(got["plan"])
    parts = (("process start (--version)", version), ("front end (--emit plan)", plan - version),
             ("fork, IR (--emit ir)", ir - plan), ("passes (--emit ir-opt)", passes - ir),
             ("machine code (--emit elf)", elf - passes), ("load, attach (the rest)", ready - elf))
    return [Row("attach", "  " + what, "ms", ms, ms, n) for what, ms in parts]


def time_to_ready(bench, program):
    with bpftrace(bench, program) as tracer:
        time.sleep(0.03)
    return tracer.ready_ms


def one_liners(bench):
    """Tracepoint one-liners around `-c /bin/true`: both ways to attach, exit included."""
    return (one_liner(bench, "raw form", RAW_FORM, RAW_FORM) +
            one_liner(bench, "perf form", PERF_FORM % "args.pid", PERF_FORM % "args->pid"))


def one_liner(bench, form, program, in_bpftrace):
    jobs = {"sonde": lambda: run_once(bench, [bench.sonde, "-c", "/bin/true", "-e", program])[0]}
    if bench.bpftrace:
        jobs["bpftrace"] = lambda: run_once(bench, ["bpftrace", "-c", "/bin/true", "-e", in_bpftrace],
                                            bench.bpftrace)[0]
    name = program.split(" ")[0].split(":")[-1]
    return [row("one-liner", f"{name} ({form}), -c /bin/true", "ms",
                take_turns(jobs, bench.runs, DETACH_S), 40)]


def memory(bench):
    """RssAnon of the tracer while it traces the line."""
    def anon():
        with sonde(bench, LINE) as tracer:
            time.sleep(0.5)
            with open(f"/proc/{tracer.process.pid}/status") as f:
                return int(re.search(r"RssAnon:\s+(\d+)", f.read()).group(1)) / 1024

    return [row("memory", "RssAnon while tracing the line", "MiB",
                take_turns({"sonde": anon}, max(3, bench.runs // 3), DETACH_S), 8)]


def many(bench):
    """Attaching to 10,000 functions, and ending again, with one program a function and with two."""
    path = os.path.join(os.path.dirname(bench.sonde), "workloads", "many")
    if not os.path.exists(path):
        bench.notes.append("no workloads/many beside the program: job many is left out")
        return []
    programs = {"entries": f"uprobe:{path}:fun_* {{ @ = count(); }}",
                "spans": f"uretprobe:{path}:fun_* {{ @ = sum(delta); }}"}
    jobs = {name: (lambda text=text: attach_once(bench, [bench.sonde, "--ready-fd", "9", "-e", text]))
            for name, text in programs.items()}
    jobs["check"] = lambda: run_once(bench, [bench.sonde, "--check", "-e", programs["entries"]])[0]
    got = take_turns(jobs, bench.runs, 2 * DETACH_S)
    rows = [row("many", "10,000 functions found (--check)", "ms", {"sonde": got["check"]})]
    for name in programs:
        rows.append(row("many", f"10,000 functions, {name}: exec to attached", "ms",
                        {"sonde": [r[0] for r in got[name]]}, 200))
        rows.append(row("many", "the same, SIGINT to end", "ms", {"sonde": [r[1] for r in got[name]]}, 200))
    return rows


# Ten lines; the system calls have no arguments, so that one body fits all.
PROBE = """tracepoint:syscalls:sys_%(side)s_%(call)s
/pid != %(i)d/
{
    @calls%(map)d[comm, pid] = count();
    $since = nsecs - @last[tid, %(i)d];
    if ($since > 1ms && strncmp(comm, "sh", 2) == 0) { @slow[probe] = hist($since); }
    @last[tid, %(i)d] = nsecs;
    @stacks[kstack(3)] = count();
    printf("%%-16s %%6d %%s %%d\\n", comm, pid, probe, $since / 1us);
}
"""
CALLS = ("getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getpgrp", "sched_yield", "pause")


def long_script(probes):
    return "".join(PROBE % {"i": i, "map": i % 30, "call": CALLS[i % len(CALLS)],
                            "side": ("enter", "exit")[i // len(CALLS) % 2]} for i in range(probes))


def compile_long(bench):
    """Scripts of 100 to 2,000 lines, from the text to the ELF file."""
    jobs = {n: (lambda text=long_script(n): run_once(bench, [bench.sonde, "-o", "/dev/null", "--emit", "elf",
                                                             "-e", text])[0]) for n in (10, 30, 100, 200)}
    got = take_turns(jobs, max(3, bench.runs // 2), 0.05)
    return [row("compile", f"{n * 10:,} lines, {n} probes: {median(got[n]) / n:.1f} ms a probe", "ms",
                {"sonde": got[n]}, 1000 if n == 100 else None) for n in jobs]
