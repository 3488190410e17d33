"""run-live: runs cases that trace a kernel; the cases of live/*.test and guest/*.test.

    run-live --build DIR FILE NAME              one case; exit status 0 passed, 1 failed, 77 skipped
    run-live --build DIR --results OUT --kernel K [--every] FILE...   the cases for kernel K, a file each in OUT
    run-live --list [--kernel K [--every]] FILE...  the cases, one `FILE.NAME` a line
    run-live --labels FILE...                   the labels of ctest of each case, likewise
    run-live --covers FILE...                   the rows that cases cover, one `KIND NAME` a line

A case is a block of lines `WORD text`, ended by an empty line. A line that starts with a blank continues
the line before; `#` starts a comment line.

    NAME name            unique in its file
    PROG script          run as `sonde [ARGS] -e script`, or
    RUN command          any shell command instead ({{sonde}} is the program); with exit status 77 and a line `skip: WHY` the
                         case is skipped
    ARGS options         more options for sonde, split as a shell does
    BEFORE command       started first, in the background, until it waits for something (tests/settled);
                         {{before_pid}} is its pid; killed at the end
    AFTER command        run once the probes are attached; sonde gets SIGINT when it has ended
    WAIT exit            no SIGINT: sonde must end by itself
    EXPECT text          this line must be in stdout (leading and trailing blanks are ignored)
    EXPECT_REGEX re      must be found in stdout (multi-line: ^ and $ match at lines)
    EXPECT_NOT re        must not be found in stdout or stderr
    EXPECT_ERR re        must be found in stderr
    CHECK expression     Python; must be true. Names: out, lines (of it, without empty ones), err, status, seconds,
                         before_pid and the functions of class Output below. If it is false, the values of the names are printed.
    STATUS n             expected exit status (default 0)
    At least one EXPECT, EXPECT_REGEX, EXPECT_ERR or CHECK is required, so that no case passes without output.
    REQUIRES feature     skip the case without it: see class Features
    TIMEOUT seconds      against hangs, not for slow cases: default 60; three times as long in a guest
    KERNELS 7 6.12 6.1   guest cases: the kernels that run it, on both architectures (arm64-6.1: only on arm64). Without
                         this word, 6.12 and 6.1 run it if it COVERS a probe type or a refusal, or with --every
                         (`./dev test --long`); otherwise its name chooses one of them. With --every, 7 also runs
                         all cases that 6.12 runs. -7, -arm64-6.1: never on that one, which lacks what it needs
    LONG why             only in `./dev test --long`; what shows the same, or why the others are enough
    BESIDE others        it measures nothing, so others may run beside it: for cases of which the words above do not tell
    ALONE why            nothing that measures runs beside it
    UNITS ns             times in maps as plain numbers, as with --time-unit ns, for values that are compared exactly
    BUILD release        not with the sanitizers' build: a case that waits, or that is about time, memory or programs of BPF
    COVERS kind name, …  rows of the tables that this case covers: `function printf, probe uprobe`; `refusal
                         kprobe`: the message on a kernel without kprobes (kernel-matrix)
    RULES 4.7 C1.2 …     rules of docs/language-rules.md or docs/command-line-rules.md (C) that this case shows

{{build}} {{examples}} {{tests}} {{sonde}} are paths. The other words depend on the architecture. {{sys}} begins the names of
the kernel's functions for system calls, {{body}} those of the functions that do the work of a call without arguments. Each
call enters {{entry}} and {{dispatch}}. {{getppid}} is the number of that call. {{forked}} is the number of six new processes
that are seen to leave their first call (on arm64 they begin elsewhere). A sanitizer's report fails a case. $SONDE_MANY is 1, and 4 in
`./dev test --long`: what samples takes so many times as many."""

import contextlib
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time

TESTS = os.path.dirname(os.path.abspath(__file__))
# Words whose meaning depends on the architecture.
MACHINE = {"x86_64": {"sys": "__x64_sys_", "getppid": "110", "entry": "entry_SYSCALL_64", "dispatch": "do_syscall_64", "forked": "6",
                      "body": "__do_sys_"},
           "aarch64": {"sys": "__arm64_sys_", "getppid": "173", "entry": "el0t_64_sync", "dispatch": "el0_svc_common", "forked": "0",
                       "body": "__arm64_sys_"},
           }[os.uname().machine]
ONCE = {"NAME", "PROG", "RUN", "ARGS", "BEFORE", "AFTER", "WAIT", "STATUS", "TIMEOUT", "KERNELS", "BUILD", "LONG", "BESIDE",
        "ALONE", "UNITS"}
MANY = {"EXPECT", "EXPECT_REGEX", "EXPECT_NOT", "EXPECT_ERR", "CHECK", "REQUIRES", "COVERS", "RULES"}
POSITIVE = ("EXPECT", "EXPECT_REGEX", "EXPECT_ERR", "CHECK")
FENTRY = re.compile(r"\bf(entry|exit):")  # arm64 has these probes since Linux 6.4
SANITIZER = re.compile(r"ERROR: (Address|Leak)Sanitizer|runtime error: |SUMMARY: \w+Sanitizer")


class Skip(Exception):
    pass


class Failure(Exception):
    pass


def read_cases(path):
    """The file's blocks as dictionaries; words of MANY map to lists."""
    cases, case, last = [], None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            if not line.strip():
                case = last = None
                continue
            if line[0] in " \t" and last:
                if last in MANY:
                    case[last][-1] += "\n" + line
                else:
                    case[last] += "\n" + line
                continue
            word, _, text = line.partition(" ")
            if word not in ONCE | MANY:
                sys.exit(f"{path}:{number}: unknown word {word}")
            if case is None:
                case = {"line": number, "file": path}
                case.update({w: [] for w in MANY})
                cases.append(case)
            last = word
            if word in MANY:
                case[word].append(text)
            elif word in case:
                sys.exit(f"{path}:{number}: a second {word} in one case")
            else:
                case[word] = text
    names = set()
    for case in cases:
        if "NAME" not in case or ("PROG" in case) == ("RUN" in case):
            sys.exit(f"{path}:{case['line']}: a case needs NAME and one of PROG and RUN")
        if not any(case[word] for word in POSITIVE):
            sys.exit(f"{path}:{case['line']}: {case['NAME']} would pass without any output: "
                     f"a case needs one of {', '.join(POSITIVE)}")
        if case.get("BUILD", "release") != "release":
            sys.exit(f"{path}:{case['line']}: {case['NAME']}: BUILD is release, or left out")
        if case["NAME"] in names:
            sys.exit(f"{path}:{case['line']}: a second case {case['NAME']}")
        names.add(case["NAME"])
    return cases


# What a command does without attaching a probe to events that other processes cause.
ATTACHES_NOTHING = re.compile(r"--(check|emit|help|interpret)\b|{{sonde}} (fmt|help|cat)\b")
# A run of sonde that attaches nothing.
ASKS = re.compile(r"{{sonde}} (-q )?(report|replay|fmt|help|cat|flamegraph|-lv?|--(list|list-rows|check|dry-run|emit|fmt|help|"
                  r"version|info|scripts|facts))\b")
EVENTS = re.compile(r"(?<!\w)(tracepoint|rawtracepoint|interval|profile|k(ret)?probe|u(ret)?probe|fentry|fexit|usdt|"
                    r"software|hardware|watchpoint|iter|rt|t|k|kr|u|ur|p|i|U|s|h|w|f|fr|it):")
# Helpers of tests/live that make and check files, or wait for what they need.
WAITS_FOR_ANSWERS = re.compile(r"{{tests}}/live/(split-program|forge-recording|hostile-names|plain_recording.py|check-chrome|"
                               r"check-damage|check-names|check-recording|check-stacks (?!--on-cpu)|deep-folder|drive-terminal|"
                               r"imports|large|name-thread|open-files|tls|workloads)\b")
TIMED = re.compile(r"\b(seconds|measured|near|period_ms|span_ms|lost)\b|\bsleep\b|\btime(out)?\b|{{tests}}/live/")
SCOPE = re.compile(r" -[cp] ?['\"{$\w]")
# What other processes change in the scope of a command: its switches, its samples and which CPU it is on.
MEASURES = re.compile(r"\b(cpu|duration|software|hardware|watchpoint|open_spans|kill|block|dd)\b|sched|profile|interval|"
                      r"--(system|live)|& ")


def is_untimed(case):
    """True if nothing that runs beside the case can change its result, and it is no event for others: it attaches
    nothing (it fails before, or asks only), or only probes of its own such as BEGIN, or to what its own command does."""
    if "BESIDE" in case:
        return True
    command = " ".join(case.get(word, "") for word in ("RUN", "ARGS", "PROG"))
    text = WAITS_FOR_ANSWERS.sub("", " ".join([command, *case["CHECK"]]))
    if "BEFORE" in case or "AFTER" in case or TIMED.search(text):
        return False
    n_runs = command.count("{{sonde}}") if "RUN" in case else 1
    n_attach, n_scopes = n_runs - len(ASKS.findall(command)), len(SCOPE.findall(f" {command}"))
    if n_attach and n_scopes:
        return n_scopes >= n_attach and not MEASURES.search(text)
    return n_attach == 0 or case.get("STATUS", "0") != "0" or bool(ATTACHES_NOTHING.search(command)) or \
        not EVENTS.search(command)


def number_of(case):
    """A number that depends on the name alone."""
    import zlib
    return zlib.crc32(case["NAME"].encode())


def wants_kernel(case, kernel, every):
    """True if the guest with this kernel runs the case. With EVERY, each kernel runs all cases that it can, and 7 all
    that 6.12 can. Without it, arm64 has one kernel, which runs a third of the cases without LONG and TIMEOUT; their
    names choose them."""
    words = case.get("KERNELS", "").split()
    kernels = [word for word in words if word[0] != "-"]
    is_any = not kernels
    kernels = kernels or ["6.12", "6.1"]
    if f"-{kernel}" in words:
        return False
    if every and "6.12" in kernels:
        kernels.append("7")
    if kernel and kernel.startswith("arm64-"):
        is_daily = kernel == "arm64-6.12" and not {"LONG", "TIMEOUT"} & case.keys() and \
            number_of(case) % 3 == 0
        return (every or is_daily) and (kernel in kernels or kernel.removeprefix("arm64-") in kernels)
    if not every and kernel and "LONG" in case:
        return False
    if not every and is_any and not re.search(r"\b(probe|refusal) ", " ".join(case["COVERS"])):
        kernels = [kernels[number_of(case) >> 3 & 1]]  # a bit that spreads the long cases, too
    return kernel is None or kernel in kernels


class Features:
    """What REQUIRES can ask for: `root`, a name of `sources` (`no:` before it: its lack), or `command:X`, `config:CONFIG_X`,
    `kernel:6.6` (or later), `arch:x86_64`, `file:/path`, `unsanitized:{{sonde}}`, `memory-cgroup` (live/in-memory-cgroup works), `breakpoints` (live/has-breakpoints),
    `compat:{{examples}}` (32-bit system calls: live/has-compat)."""

    sources = {
        "kprobe": "/sys/bus/event_source/devices/kprobe",
        "uprobe": "/sys/bus/event_source/devices/uprobe",
        "btf": "/sys/kernel/btf/vmlinux",
        "pmu": "/sys/bus/event_source/devices/" + {"x86_64": "cpu", "aarch64": "armv8_pmuv3"}[os.uname().machine],
    }

    def check(self, feature):
        kind, _, what = feature.partition(":")
        if kind == "no":
            present = not os.path.exists(self.sources[what])
        elif kind == "root":
            present = os.geteuid() == 0
        elif kind in self.sources:
            present = os.path.exists(self.sources[kind])
        elif kind == "command":
            present = any(os.access(os.path.join(folder, what), os.X_OK) for folder in os.get_exec_path())
        elif kind == "kernel":
            release = re.match(r"(\d+)\.(\d+)", os.uname().release)
            present = tuple(map(int, release.groups())) >= tuple(map(int, what.split(".")))
        elif kind == "arch":
            present = os.uname().machine == what
        elif kind in ("breakpoints", "compat"): # virtual machines whose memory is encrypted have neither
            present = subprocess.run([f"{TESTS}/live/has-{kind}", what], check=False, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL).returncode == 0
        elif kind == "memory-cgroup":
            present = subprocess.run([f"{TESTS}/live/in-memory-cgroup", "64", "true"],
                                     stdout=subprocess.DEVNULL, check=False).returncode == 0
        elif kind == "unsanitized":
            with open(what, "rb") as file:
                present = b"libasan.so" not in file.read()
        elif kind == "file":
            present = os.path.exists(what)
        elif kind == "config":
            present = self.config(what)
        else:
            raise Failure(f"REQUIRES {feature}: no such feature")
        if not present:
            raise Skip(f"needs {feature}")

    @staticmethod
    def config(name):
        path = f"/boot/config-{os.uname().release}"
        try:
            if os.path.exists("/proc/config.gz"):
                text = subprocess.run(["zcat", "/proc/config.gz"], stdout=subprocess.PIPE,
                                      check=True, text=True).stdout
            else:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
        except OSError:
            raise Skip(f"needs {name}, and the kernel's configuration is not there") from None
        return f"\n{name}=y\n" in text


class Output:
    """What CHECK sees."""

    def __init__(self, out, err, status, seconds, before_pid):
        self.names = {
            "out": out, "err": err, "status": status, "seconds": seconds,
            "before_pid": before_pid, "re": re, "lines": [line for line in out.splitlines() if line],
            "rows": self.rows, "chains": self.chains, "value": self.value, "number": self.number,
            "numbers": self.numbers, "plain": self.plain, "near": self.near, "lost": self.lost, "period_ms": self.period_ms,
            "span_ms": self.span_ms,
        }
        self.out, self.err = out, err

    def rows(self, name="@"):
        """[(key text, value text)] of a map printed as text; a key may have many lines (stacks)."""
        found, key = [], None
        for line in self.out.splitlines():
            if key is None:
                if line.startswith(name + ": "):
                    found.append(("", line[len(name) + 2:]))
                elif line.startswith(name + "["):
                    key = line[len(name) + 1:]
                else:
                    continue
            else:
                key += "\n" + line
            if key is not None:
                end = key.rfind("]: ")
                if end < 0 and key.endswith("]:"):
                    end = len(key) - 2
                if end >= 0:
                    found.append((key[:end], key[end + 3:]))
                    key = None
        return found

    def chains(self, name="@"):
        """{"PART OF A KEY FUNCTION CALLER …": value}: the rows of a map, without offsets and modules, added up."""
        sums = {}
        for key, value in self.rows(name):
            chain = " ".join(re.sub(r"\+\d+|\[vdso\]|,", " ", key).split())
            sums[chain] = sums.get(chain, 0) + self.plain(value)
        return sums

    def value(self, *words, name="@"):
        """Sum of the rows of a map whose key has all these words; times in ns."""
        return sum(self.plain(v) for k, v in self.rows(name) if all(w in k for w in words))

    @staticmethod
    def plain(text):
        """The number of a value such as `12.345 ms, 6.7 %`, in ns."""
        number, unit = re.match(r"(-?\d+(?:\.\d+)?)(?: (ns|us|ms|s))?(?:, [\d.]+ %)?$", text).groups()
        return round(float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]) if unit else int(number)

    def span_ms(self, key=""):
        """From the first to the last event, as the script has noted it: @first[key] = min(nsecs), @last[key] =
        max(nsecs)."""
        return (int(dict(self.rows("@last"))[key]) - int(dict(self.rows("@first"))[key])) / 1e6

    def period_ms(self, key=""):
        """Between two of the @n[key] = count() events, on average."""
        return self.span_ms(key) / (int(dict(self.rows("@n"))[key]) - 1)

    def numbers(self, pattern):
        """The integers that the pattern's group (or the whole match) matches in stdout."""
        return [int(m.group(m.lastindex or 0)) for m in re.finditer(pattern, self.out, re.M)]

    def number(self, pattern):
        found = self.numbers(pattern)
        return found[0] if found else None

    def lost(self, *words):
        """Sum of the losses that stderr tells in lines that have all these words."""
        lines = re.findall(r"^sonde: warning: (.*): (\d+)(?: \(|$)", self.err, re.M)
        return sum(int(n) for text, n in lines if all(w in text for w in words))

    @staticmethod
    def near(got, want, percent):
        return got is not None and abs(got - want) <= want * percent / 100


@contextlib.contextmanager
def new_folder():
    """A folder for one case. (To import tempfile and shutil would take longer than many a case.)"""
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"sonde-live-{os.getpid()}-{time.monotonic_ns()}")
    os.mkdir(folder, 0o700)
    try:
        yield folder
    finally:
        try:
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
            os.rmdir(folder)
        except OSError: # there are folders
            import shutil
            shutil.rmtree(folder)


class Runner:
    def __init__(self, build, slow, many):
        self.build, self.slow, self.many = os.path.abspath(build), slow, many
        self.sonde = os.path.join(self.build, "sonde")

    def expand(self, text, before_pid=0):
        places = {"build": self.build, "examples": os.path.join(self.build, "examples"),
                  "tests": TESTS, "sonde": self.sonde, "before_pid": str(before_pid), **MACHINE}
        return re.sub(r"\{\{(\w+)\}\}", lambda m: places.get(m.group(1), m.group(0)), text)

    def run(self, case):
        """Returns normally when the case passed; raises Skip or Failure."""
        if os.geteuid() != 0:
            raise Skip("needs root")
        if not os.path.exists(self.sonde):
            raise Skip(f"{self.sonde} is not built")
        if FENTRY.search(f"{case.get('RUN', '')} {case.get('PROG', '')}") and "refusal" not in str(case["COVERS"]):
            Features().check("config:CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS")
        for feature in case["REQUIRES"]:
            for one in feature.split():
                Features().check(self.expand(one))
        with new_folder() as folder:
            before = None
            if "BEFORE" in case:
                before = subprocess.Popen(["/bin/bash", "-c", "exec " + self.expand(case["BEFORE"])],
                                          cwd=folder, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                          start_new_session=True)
                subprocess.run([os.path.join(TESTS, "settled"), str(before.pid), "/bin/bash -c exec "],
                               check=False)
            try:
                self.judge(case, *self.trace(case, folder, before.pid if before else 0))
            finally:
                if before:
                    end_session(before)

    def command(self, case, before_pid):
        if "RUN" in case:
            return ["/bin/bash", "-c", self.expand(case["RUN"], before_pid)]
        arguments = shlex.split(self.expand(case.get("ARGS", ""), before_pid))
        return [self.sonde, *arguments, "-e", self.expand(case["PROG"], before_pid)]

    def trace(self, case, folder, before_pid):
        command, after = self.command(case, before_pid), case.get("AFTER")
        # A guest is slow; sanitizers are too.
        limit = float(case.get("TIMEOUT", 60)) * self.slow
        ready_read = ready_write = None
        environment = {**os.environ, "SONDE_MANY": self.many, **({"SONDE_TIME_UNIT": case["UNITS"]} if "UNITS" in case else {})}
        if after is not None and "PROG" in case:
            ready_read, ready_write = os.pipe()
            command[1:1] = ["--ready-fd", str(ready_write)]
        start = time.monotonic()
        with open(os.path.join(folder, ".out"), "w+b") as out, \
                open(os.path.join(folder, ".err"), "w+b") as err:
            child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=err, start_new_session=True, env=environment,
                                     pass_fds=[ready_write] if ready_write else [])
            late = False
            try:
                if ready_write:
                    os.close(ready_write)
                    select.select([ready_read], [], [], limit)
                    if os.read(ready_read, 1):
                        subprocess.run(["/bin/bash", "-c", self.expand(after, before_pid)],
                                       cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, timeout=limit, check=False)
                        self.interrupt(case, child)
                child.wait(max(0.1, limit - (time.monotonic() - start)))
            except subprocess.TimeoutExpired:
                late = True
            finally:
                end_session(child)
                if ready_read:
                    os.close(ready_read)
            seconds = time.monotonic() - start
            texts = []
            for stream in out, err:
                stream.seek(0)
                texts.append(stream.read().decode("utf-8", "replace"))
        status = child.returncode
        print(f"$ {shlex.join(command)}\n-- status {status}, {seconds:.2f} s; stdout:")
        print(texts[0], end="")
        print("-- stderr:\n" + texts[1], end="")
        if late:
            raise Failure(f"still running after {limit:g} s")
        return texts[0], texts[1], status, seconds, before_pid

    def interrupt(self, case, child):
        if case.get("WAIT") == "exit":
            return
        try:
            child.wait(0.1 * self.slow)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)

    def judge(self, case, out, err, status, seconds, before_pid):
        skip = re.search(r"^skip: (.*)$", out, re.M)
        if status == 77 and skip:
            raise Skip(skip[1])
        wanted = int(case.get("STATUS", 0))
        if SANITIZER.search(err):
            raise Failure("a sanitizer reported")
        if status != wanted:
            raise Failure(f"exit status {status}, expected {wanted}")
        lines = {line.strip() for line in out.splitlines()}
        for text in case["EXPECT"]:
            if self.expand(text, before_pid).strip() not in lines:
                raise Failure(f"EXPECT {text}: no such line")
        for word, text, present in (("EXPECT_REGEX", out, True), ("EXPECT_ERR", err, True),
                                    ("EXPECT_NOT", out + err, False)):
            for pattern in case[word]:
                pattern = self.expand(pattern, before_pid)
                if bool(re.search(pattern, text, re.M)) != present:
                    raise Failure(f"{word} {pattern}")
        for expression in case["CHECK"]:
            expression = self.expand(expression, before_pid)
            names = Output(out, err, status, seconds, before_pid).names
            try:
                good = eval(" ".join(expression.split("\n")), names)
            except Exception as error:  # whatever the expression did wrong is the case's failure
                raise Failure(f"CHECK {expression}: {error!r}") from None
            if not good:
                calls = re.findall(r"(?:value|numbers?)\((?:[^()]|\([^()]*\))*\)", expression)
                values = ", ".join(f"{c} = {self.shown(c, names)}" for c in calls)
                raise Failure(f"CHECK {expression}" + (f"  [{values}]" if values else ""))

    @staticmethod
    def shown(call, names):
        """The value of a part of a CHECK, which may be no expression by itself."""
        try:
            return eval(call, names)
        except Exception as error:
            return repr(error)


def labels(case):
    """The labels of the case in ctest; tests/CMakeLists.txt reads them."""
    return [label for label, has in (("measures", not is_untimed(case)), ("long", "LONG" in case),
                                     ("alone", "ALONE" in case)) if has]


def full_name(path, case):
    return f"{os.path.splitext(os.path.basename(path))[0]}.{case['NAME']}"


def end_session(child):
    """Kill what is left of a child and its descendants (it leads its own session)."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()


def run_one(runner, case):
    """Print the last line of the case; return its exit status."""
    try:
        runner.run(case)
    except Skip as skip:
        print(f"skip: {skip}")
        return 77
    except Failure as failure:
        print(f"FAILED {case['file']}:{case['line']}: {case['NAME']}: {failure}")
        return 1
    return 0


def run_kept(options, path, case):
    """One live case; its status is kept for kernel-matrix, in the build folder."""
    status = run_one(Runner(options.build, 1, os.environ.get("SONDE_MANY", "1")), case)
    folder = os.path.join(options.build, "tests", "host")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "kernel"), "w", encoding="utf-8") as file:
            file.write(os.uname().release + "\n")
        with open(os.path.join(folder, full_name(path, case)), "w", encoding="utf-8") as file:
            file.write(f"status {status}\n")
    except OSError as error:
        print(f"the result is not kept: {error}")
    return status


def run_twice(runner, case, seconds_left, was_begun):
    """A case in a guest that failed is run once more, for it has no way to be run alone later: an emulated
    machine on a loaded host is at times too late for anything. The line `unsteady: ` is counted at the end."""
    start = time.monotonic()
    status = run_one(runner, case)
    took = time.monotonic() - start
    if status == 0 and was_begun:
        print("unsteady: the guest stopped in it at first")
    if status != 1 or took > seconds_left[0]:
        return status
    seconds_left[0] -= took
    print("-- once more:")
    status = run_one(runner, case)
    if status == 0:
        print("unsteady: failed at first")
    return status


def run_all(options):
    """Guest side: every case, each into its own file, `status N` first. Those that have one are from a boot before,
    and one that this boot did not survive comes last."""
    runner = Runner(options.build, 3, "4" if options.every else "1")
    seconds_left = [40]  # for second runs
    jobs = []
    for path in options.words:
        for case in read_cases(path):
            target = os.path.join(options.results, full_name(path, case))
            if wants_kernel(case, options.kernel, options.every) and not os.path.exists(target):
                jobs.append((os.path.exists(target + ".part"), target, case))
    for was_begun, target, case in sorted(jobs, key=lambda job: job[0]):
        start = time.monotonic()
        with open(target + ".part", "w", encoding="utf-8") as file:
            sys.stdout = file
            status = run_twice(runner, case, seconds_left, was_begun)
            sys.stdout = sys.__stdout__
        with open(target + ".part", encoding="utf-8") as file:
            text = file.read()
        with open(target, "w", encoding="utf-8") as file:
            file.write(f"status {status}\n{text}")
        os.remove(target + ".part")
        print(f"{time.monotonic() - start:6.1f} s  {status:3}  {os.path.basename(target)}", flush=True)
    return 0


class Options:
    def __init__(self, words):
        self.build, self.kernel, self.results, self.words = "build", None, None, []
        self.every = self.list = self.covers = self.labels = False
        words = iter(words)
        for word in words:
            name = word.removeprefix("--")
            if name == word:
                self.words.append(word)
            elif name in ("build", "kernel", "results"):
                setattr(self, name, next(words, ""))
            elif name in ("every", "list", "covers", "labels"):
                setattr(self, name, True)
            else:
                sys.exit(__doc__)


def main():
    options = Options(sys.argv[1:])
    if options.labels:
        for path in options.words:
            for case in read_cases(path):
                print(f"{full_name(path, case)}={','.join(labels(case))}")
        return 0
    if options.list or options.covers:
        for path in options.words:
            for case in read_cases(path):
                if options.covers:
                    for row in re.split(r"\s*[,\n]\s*", ",".join(case["COVERS"])):
                        if row.strip():
                            print(" ".join(row.split()))
                elif wants_kernel(case, options.kernel, options.every):
                    print(full_name(path, case))
        return 0
    if options.results:
        return run_all(options)
    if len(options.words) != 2:
        sys.exit(__doc__)
    path, name = options.words
    for case in read_cases(path):
        if case["NAME"] == name:
            return run_kept(options, path, case)
    print(f"{path}: no case {name}")
    return 1
