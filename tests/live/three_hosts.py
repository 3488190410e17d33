"""Three hosts, how many calls SCRIPT counts on each, and the expected result."""

CALLS = {"web1": 1000, "web2": 3000, "web3": 50000}
SCRIPT = "tracepoint:syscalls:sys_enter_getpgid { @calls = count(); @most = max(args.pid); @mean = avg(args.pid); @by[comm] = hist(args.pid); }"


def known(calls):
    """The lines of SCRIPT's maps that are numbers, for calls with 1 to N of each host."""
    total = sum(n * (n + 1) // 2 for n in calls)
    return [f"@calls: {sum(calls)}", f"@mean: {total // sum(calls)}", f"@most: {max(calls)}"]


def numbers(text):
    """These lines of a report."""
    return [line for line in text.splitlines() if line.startswith(("@calls", "@m"))]
