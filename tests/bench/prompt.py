"""prompt: how long a program takes to start at a warm prompt, from Enter to attached probes."""

import os
import pty
import select
import tempfile
import time

from harness import Row, median

PROGRAM = "tracepoint:syscalls:sys_enter_openat { @ = count(); }"
LIMIT_S = 20


class Prompt:
    """sonde on a terminal of its own."""

    def __init__(self, sonde, state):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", XDG_STATE_HOME=state)
            os.execv(sonde, [sonde])
        self.until(b"sonde> ")

    def until(self, text):
        seen, end = b"", time.monotonic() + LIMIT_S
        while text not in seen:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError(f"the prompt did not show {text!r} but {seen!r}")
            seen += os.read(self.fd, 65536)

    def drain(self):
        while select.select([self.fd], [], [], 0.05)[0]:
            try:
                os.read(self.fd, 65536)
            except OSError:  # the program has ended
                return

    def start(self, program):
        """Milliseconds from Enter to the line about attached probes."""
        os.write(self.fd, program.encode())
        self.drain()
        begin = time.monotonic()
        os.write(self.fd, b"\r")
        self.until(b"Attached")
        took = (time.monotonic() - begin) * 1000
        self.drain()
        os.write(self.fd, b"\x03")
        self.until(b"sonde> ")
        return took

    def close(self):
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            os.write(self.fd, b"\x04")  # dropped if the editor just begins to read
            self.drain()
        os.close(self.fd)


def prompt(bench):
    with tempfile.TemporaryDirectory() as state:
        terminal = Prompt(bench.sonde, state)
        terminal.start(PROGRAM)
        times = [terminal.start(PROGRAM) for _ in range(bench.runs)]
        terminal.close()
    return [Row("prompt", f"`{PROGRAM}` at a warm prompt, Enter to attached", "ms", median(times),
                min(times), len(times), 10, "", {})]
