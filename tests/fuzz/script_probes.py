"""The attach points of random scripts (generate-scripts), and what may be used in their bodies."""

import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Probe:
    """Where a body runs, and what it may use there."""

    def __init__(self, text, ints=(), strings=(), span="", pointers=(), typed=(), entry=(), iterates=False,
                 function=False, tasks=(), whole=""):
        self.text = text
        self.ints, self.strings, self.pointers = list(ints), list(strings), list(pointers)
        self.typed = list(typed)  # arguments that are pointers to integers
        self.span = span  # "delta" or "oncpu": the body runs at the end of a span
        self.entry = list(entry)  # what entry() may hold
        self.whole = whole  # an integer field of `args` as a record
        self.iterates = iterates  # an iterator: maps are written, nothing is printed
        self.function = function  # `func` exists
        self.tasks = list(tasks) if iterates or tasks else ["curtask"]  # pointers to a struct task_struct
        self.stacks = not re.match("test:|bench:", text)
        self.acts = not re.match(r"BEGIN|END|self|iter|test|bench", text)  # `signal` exists
        self.registers = re.search(r"(interval|profile|software|watchpoint|k(ret)?probe|u(ret)?probe|usdt):", text)


SWITCH = ["args.prev_pid", "args.prev_prio", "args.prev_state", "args.next_pid", "args.next_prio"]
NAMES = ["args.prev_comm", "args.next_comm"]
ARGS = [f"arg{i}" for i in range(10)]
NUMBERS = [f"args.{name}" for name in "abcdef"]


def probes():
    yield Probe("BEGIN")
    yield Probe("END")
    yield Probe("self:signal:SIGUSR1")
    yield Probe("test:one")
    yield Probe("bench:two")
    yield Probe("interval:ms:50")
    yield Probe("interval:ms:50", ["delta"], span="delta")
    yield Probe("profile:hz:49", ["ctx.regs.ip", "ctx->sample_period", "(ctx.regs.sp & 7)"])
    yield Probe("interval:ms:30", ["ctx.regs.ip", "(uint64)ctx"])
    yield Probe("profile:10ms", ["delta"], span="delta")
    yield Probe("software:cpu-clock:1000000", ["ctx->regs.flags"])
    yield Probe("software:*-faults:100")
    yield Probe("software:page-faults:hz:50")
    yield Probe("watchpoint:0x1000:8:w")
    yield Probe("tracepoint:sched:sched_switch", SWITCH, NAMES, whole="prev_pid")
    yield Probe("tracepoint:sched:sched_switch", SWITCH + ["delta", "depth", "queued_ns()"], NAMES, span="delta",
                entry=SWITCH[:3] + ["args.prev_pid"], whole="next_prio")
    yield Probe("tracepoint:sched:sched_switch", SWITCH + ["oncpu"], NAMES, span="oncpu")
    yield Probe("tracepoint:sched:sched_wakeup", ["args.pid", "args.prio", "args.target_cpu"], ["args.comm"], whole="prio",
                pointers=["(&args.prio)"])
    yield Probe('tracepoint:sched:"sched_{wakeup,wakin}*",!*_new', ["args.pid", "args.prio"], ["args.comm"])
    yield Probe("tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new", ["args.pid"], ["args.comm"])
    yield Probe("here=tracepoint:task:task_newtask", ["args.pid", "args.clone_flags"], ["args.comm"])
    yield Probe("tracepoint:irq:softirq_entry", ["args.vec"])
    yield Probe("tracepoint:timer:hrtimer_expire_entry", ["args.now"])
    yield Probe("tracepoint:raw_syscalls:sys_enter", ["args.id"])
    yield Probe("tracepoint:raw_syscalls:sys_exit", ["args.id", "args.ret", "delta"], span="delta",
                entry=["args.id"])
    yield Probe("tracepoint:syscalls:sys_enter_openat", ["args.dfd", "args.flags", "(*args).mode"],
                ["str(args.filename)", "str(args.filename, 32)"], whole="dfd")
    yield Probe("tracepoint:syscalls:sys_exit_openat", ["args.ret", "delta"], span="delta",
                entry=["args.flags", "args.mode"])
    yield Probe('tracepoint:syscalls:"sys_exit_{open,close}*"', ["args.ret"])
    yield Probe("tracepoint:syscalls:sys_exit_read", ["args.ret"])
    yield Probe("tracepoint:syscalls:sys_enter_write", ["args.fd", "args.count"],
                ["str(args.buf, args.count + 1)"], typed=["args.buf"])
    yield Probe("rawtracepoint:sched_wakeup", ["arg0"])
    yield Probe("rawtracepoint:sched_process_exit")
    yield Probe("rawtracepoint:sched_switch", ["args.preempt", "args.prev_state", "arg0"],
                pointers=["args.prev", "args.next"], tasks=["args.prev", "args.next"], whole="prev_state")
    yield Probe("rawtracepoint:inet_sock_set_state", ["args.oldstate", "socket_cookie(args.sk)"])
    yield Probe("rawtracepoint:netif_receive_skb", ["skboutput(\"/dev/null\", args.skb, 1000, 0)"])
    yield Probe("rawtracepoint:softirq_*", ["args.vec_nr"])
    yield Probe("iter:task", ["pid", "tid"], iterates=True, tasks=["ctx.task"])
    yield Probe("iter:task_file", ["ctx.fd", "pid", "ctx.file->f_flags"],
                ["path(ctx.file->f_path)", "path(&ctx->file->f_path, 40)"], iterates=True, tasks=["ctx.task"])
    yield Probe("tracepoint:syscalls:sys_enter_clock_nanosleep", ["args.rqtp->tv_sec", "args->rqtp[1].tv_nsec"],
                typed=["(&args.rqtp->tv_nsec)"])


def archive(build):
    """An archive with a library, made once a build."""
    path, library = os.path.join(build, "fuzz.apk"), os.path.join(build, "workloads/archived-library.so")
    if not os.path.exists(path):
        made = f"{path}.{os.getpid()}"
        subprocess.run([os.path.join(HERE, "../live/in-archive"), library, made], check=True, stdout=subprocess.DEVNULL)
        os.rename(made, path)
    return path


def user_probes(build):
    demo, memory, usdt, results = (os.path.join(build, name) for name in (
        "examples/function_demo", "workloads/memory", "workloads/usdt", "workloads/ufunc/results"))
    yield Probe(f"uprobe:{demo}:add_six", ARGS * 2 + NUMBERS + ['*uaddr("add_six")', '(uint64)uaddr("main")'],
                ["str(arg0)", "str(arg1, 20)", 'str(uaddr("main"), 9)'], pointers=ARGS[:2], typed=['uaddr("add_six")'],
                function=True, whole="c")
    yield Probe(f"uprobe:{demo}:*", ARGS[:2] + ["ctx->ip", "((struct iphdr *)ctx.sp)->ihl"], function=True)
    yield Probe(f'uprobe:{demo}:*,!"{{main,_start}}"', ARGS[:2], function=True)
    yield Probe(f"uretprobe:{demo}:add_six", ["retval", '*uaddr("main")'], function=True)
    yield Probe(f"uretprobe:{demo}:add_six", ["retval", "delta", "self"], span="delta", entry=NUMBERS, function=True)
    yield Probe(f"uretprobe:{demo}:*", ["retval", "delta", "depth", "self"], span="delta", entry=ARGS[:2], function=True)
    for function in ("i8", "u16", "i32", "u64", "yes", "letter", "colour"):
        yield Probe(f"uretprobe:{results}:{function}", ["retval"] * 4 + ["delta"], span="delta", entry=["args.n"], function=True)
    yield Probe(f'uretprobe:{results}:"{{i*,u*}}"', ["retval", "(int32)retval"], function=True)
    yield Probe(f"uretprobe:{results}:point", ["retval->x", "retval.y"], pointers=["retval"], function=True)
    yield Probe(f"uretprobe:{results}:text", ["*retval"], ["str(retval)", "str(retval, 9)"], typed=["retval"], function=True)
    yield Probe(f"uprobe:{memory}:take_numbers", ARGS[:3], typed=["args.numbers", "args.rows[1]"],
                pointers=["args.point", "arg0"], function=True)
    yield Probe(f"uretprobe:{memory}:take_numbers", ["delta", "self"], span="delta",
                entry=["args.numbers[1]", "*args.numbers", "*(uint64 *)arg0"], function=True)
    yield Probe(f"usdt:{usdt}:demo:many", ARGS * 2 + ["arg10", "arg11"] * 3, ["str(arg3)"], pointers=["arg1"], function=True)
    yield Probe(f"usdt:{usdt}:demo:consts", ARGS[:4] + ['*uaddr("main")'], function=True)
    yield Probe(f"usdt:{usdt}:demo:memory", ARGS[:5], ["str(arg2, 30)"], pointers=["arg2"], function=True)
    yield Probe(f"usdt:{usdt}:*:*", function=True)
    yield Probe(f'uprobe:"{archive(build)}!/lib/y.so":add', ["args.n", "arg0"], function=True)


def kernel_probes():
    yield Probe("kprobe:vfs_read", ARGS[:4] + ["args.file->f_flags", "args.count", "ctx->di"],
                ["str(arg1)", "str(args.file->f_path.dentry->d_name.name)", "path(args.file->f_path)"], pointers=["arg0", "args.buf"], function=True,
                whole="count")
    yield Probe("kprobe:vfs_*", ARGS[:4], function=True)
    yield Probe("kretprobe:vfs_read", ["retval", "delta", "self"], span="delta",
                entry=ARGS[:4] + ["args.count", "args.file->f_inode->i_mode"], function=True)
    yield Probe("kretprobe:vfs_*", ["retval", "delta", "depth", "self"], span="delta", entry=ARGS[:2], function=True)
    yield Probe("fentry:vfs_read", ["args.count", "args.file->f_inode->i_sb->s_dev"], ["str(args.buf)"], pointers=["args.file", "args.buf"],
                typed=["args.pos"], function=True, whole="count")
    yield Probe("fexit:vfs_read", ["args.count", "retval", "delta", "self"], span="delta",
                entry=["args.count", "*args.pos"], function=True)
