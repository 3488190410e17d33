"""programs: real programs under load, for real-programs and the bench: how to start each in a folder of its own, on
a socket of its own, what loads it, and which process to trace.

Each class: `needs`, commands without which it is left out; start() starts the server and returns the process to
trace; load() starts what keeps it busy. stop() ends all of it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from unwinders import SLOW

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_REQUESTS = 3_000_000  # ab takes memory for each when it starts


def which(command):
    """Debian's own first: others may be wrapped by a version manager."""
    if "/" in command:
        return command if os.access(command, os.X_OK) else None
    return next((f"{d}/{command}" for d in ("/usr/bin", "/usr/sbin", "/usr/local/bin")
                 if os.access(f"{d}/{command}", os.X_OK)), None)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


class Program:
    needs = ()
    follow = False   # trace children, too
    perf_every = 1   # perf takes each Nth switch
    ends_early = False  # its stacks are known not to be whole

    def __init__(self, build):
        self.build = build
        self.folder = tempfile.mkdtemp(prefix="sonde-program-")
        os.chmod(self.folder, 0o755)
        self.processes = []

    @property
    def name(self):
        return type(self).__name__.lower()

    def lacks(self):
        return [n for n in self.needs if not which(n.format(build=self.build))]

    def run(self, *command, **options):
        """In the background, until stop()."""
        command = [str(c) for c in command]
        command[0] = which(command[0]) or command[0]
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True, **options)
        self.processes.append(process)
        return process

    def wait_for(self, what, seconds=20):
        end = time.monotonic() + seconds * SLOW
        while not what():
            if time.monotonic() > end:
                raise RuntimeError(f"{self.name} does not start")
            time.sleep(0.05)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def is_listening(self, port):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    def load(self):
        pass

    def stop(self):
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Redis(Program):
    needs = ("redis-server", "redis-benchmark")
    perf_every = 97

    def start(self):
        self.socket = os.path.join(self.folder, "s")
        server = self.run("redis-server", "--port", 0, "--unixsocket", self.socket, "--save", "", "--appendonly", "no")
        self.wait_for(lambda: os.path.exists(self.socket))
        return server.pid

    def load(self):
        self.run("redis-benchmark", "-s", self.socket, "-c", 8, "-n", 100_000_000, "-t", "set,lpush,zadd", "-q")

    def throughput(self, seconds):
        done = subprocess.run([which("redis-benchmark"), "-s", self.socket, "-c", "8", "-n", str(30_000 * seconds),
                               "-t", "set", "--csv"], stdout=subprocess.PIPE, text=True, check=True)
        return float(re.findall(r'^"SET[^"]*","([\d.]+)"', done.stdout, re.M)[0])


class Nginx(Program):
    needs = ("nginx", "ab")
    perf_every = 7
    config = """worker_processes 1; pid {0}/pid; error_log {0}/error;
events {{ worker_connections 64; }}
http {{ access_log {0}/access; client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0};
 uwsgi_temp_path {0}; scgi_temp_path {0}; server {{ listen 127.0.0.1:{1}; root {0}; }} }}
"""

    def start(self):
        self.port = free_port()
        self.write("index.html", "x" * 500)
        path = self.write("nginx.conf", self.config.format(self.folder, self.port))
        master = self.run("nginx", "-p", self.folder, "-e", self.folder + "/error", "-c", path, "-g", "daemon off; user root;")
        self.wait_for(lambda: self.is_listening(self.port) and children(master.pid))
        return children(master.pid)[0]

    def ab(self, *options):
        return ["ab", "-q", "-c", "8", *options, f"http://127.0.0.1:{self.port}/"]

    def load(self):
        self.run(*self.ab("-t", "300", "-n", MOST_REQUESTS))

    def throughput(self, seconds):
        command = self.ab("-k", "-n", str(8_000 * seconds))
        done = subprocess.run([which("ab"), *command[1:]], stdout=subprocess.PIPE, text=True, check=True)
        return float(re.search(r"Requests per second:\s+([\d.]+)", done.stdout).group(1))


class Postgres(Program):
    needs = ("/usr/lib/postgresql/15/bin/postgres", "pgbench", "setpriv")
    follow = True
    perf_every = 31
    bin = "/usr/lib/postgresql/15/bin/"

    def as_postgres(self, *command):
        return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", *command]

    def start(self):
        shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder + "/data"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self.folder, "check": True}
        subprocess.run(self.as_postgres(self.bin + "initdb", "-D", data, "-A", "trust", "--no-sync"), **quiet)
        self.run(*self.as_postgres(self.bin + "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=",
                                   "-c", "unix_socket_permissions=0777"))
        self.options = ["-h", self.folder, "-U", "postgres"]
        self.wait_for(lambda: subprocess.run([which("pgbench"), *self.options, "-i", "-q", "postgres"],
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                             check=False).returncode == 0)
        with open(data + "/postmaster.pid", encoding="utf-8") as file:
            return int(file.readline())

    def load(self):
        self.run("pgbench", *self.options, "-c", 4, "-T", 300, "postgres")

    def throughput(self, seconds):
        done = subprocess.run([which("pgbench"), *self.options, "-c", "4", "-S", "-T", str(seconds), "postgres"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        return float(re.search(r"tps = ([\d.]+)", done.stdout).group(1))


class Script(Program):
    """One file, run by an interpreter."""
    text, file = "", "script"

    def start(self):
        process = self.run(*self.needs[:1], self.write(self.file, self.text))
        time.sleep(1 * SLOW)
        if process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with status {process.returncode}")
        return process.pid


class Python(Script):
    needs = ("python3",)
    text = """
import threading, time, queue, select, os, hashlib
q, lock = queue.Queue(2), threading.Lock()
def sleeper():
    while True:
        time.sleep(0.003); sorted(range(50), key=lambda n: (n * 7919) % 101)
def producer():
    while True:
        q.put(1); time.sleep(0.002)
def consumer():
    while True: q.get()
def locker():
    while True:
        with lock: time.sleep(0.002)
def piper():
    r, w = os.pipe()
    while True:
        select.select([r], [], [], 0.004); os.write(w, b'x'); os.read(r, 1)
def worker():
    while True: hashlib.sha256(b'x' * 3000000).hexdigest(); sum(range(20000))
for f in sleeper, producer, consumer, locker, locker, piper, worker: threading.Thread(target=f, daemon=True).start()
while True: time.sleep(0.01)
"""


class Perl(Script):
    needs = ("perl",)
    text = """
use POSIX; pipe(my $r, my $w);
sub deeper { my $n = shift; return $n ? deeper($n - 1) + 1 : do { select(undef, undef, undef, 0.003); 0 } }
while (1) {
    my @s = sort { ($a * 7919) % 101 <=> ($b * 7919) % 101 } 1 .. 300;
    deeper(10); my $c = `true`; my %h = map { $_ => "x$_" } @s; my $t = join(",", sort values %h); $t =~ s/x(\\d)/y$1/g;
    syswrite($w, "x"); sysread($r, my $b, 1); POSIX::nanosleep(0) if 0;
}
"""


class Ruby(Script):
    needs = ("ruby",)
    text = """
q = Queue.new
Thread.new { loop { q << 1; sleep 0.002 } }
Thread.new { loop { q.pop } }
Thread.new { loop { (1..500).sort_by { |n| (n * 7919) % 101 }; sleep 0.003 } }
r, w = IO.pipe
Thread.new { loop { w.write("x"); sleep 0.005 } }
loop { r.readpartial(1); (1..100).map(&:to_s).join.hash }
"""


class Node(Script):
    needs = ("node", "ab")
    perf_every = 7
    text = """
const http = require('http'), fs = require('fs'), crypto = require('crypto'), zlib = require('zlib');
const server = http.createServer((q, s) => {
  fs.readFile(__filename, (e, data) => {
    const numbers = Array.from({length: 200}, (_, i) => (i * 7919) % 101).sort((a, b) => a - b);
    s.end(JSON.stringify(numbers) + data.length);
  });
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync('port', String(server.address().port)));
setInterval(() => crypto.pbkdf2('a', 'b', 2000, 32, 'sha1', () => {}), 10);
setInterval(() => zlib.deflate(Buffer.alloc(100000, 'x'), () => {}), 20);
"""

    def load(self):
        path = os.path.join(self.folder, "port")
        self.wait_for(lambda: os.path.exists(path) and os.path.getsize(path))
        with open(path, encoding="utf-8") as file:
            self.run("ab", "-q", "-c", 8, "-t", 300, "-n", MOST_REQUESTS, f"http://127.0.0.1:{file.read()}/")


class Sqlite(Program):
    needs = ("sqlite3",)

    def start(self):
        insert = ("INSERT INTO t(x) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200) "
                  "SELECT n || 'text' FROM c; SELECT count(*) FROM t GROUP BY x % 7;\n")
        script = self.write("script", "PRAGMA journal_mode = DELETE; CREATE TABLE t(x TEXT);\n" + insert * 30_000)
        with open(script, "rb") as file:
            process = subprocess.Popen([which("sqlite3"), self.folder + "/db"], stdin=file, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        self.processes.append(process)
        time.sleep(0.5 * SLOW)
        return process.pid


class Go(Program):
    needs = ("go",)
    text = """package main
import ("os"; "sort"; "sync"; "time"; "crypto/sha256")
func sleeper() { for { time.Sleep(3 * time.Millisecond) } }
func reader(r *os.File) { b := make([]byte, 1); for { r.Read(b) } }
func writer(w *os.File) { for { w.Write([]byte("x")); time.Sleep(2 * time.Millisecond) } }
func sorter() { for { n := make([]int, 3000); for i := range n { n[i] = i * 7919 % 1013 }
	sort.Slice(n, func(a, b int) bool { return n[a] < n[b] }); sha256.Sum256(make([]byte, 20000)); time.Sleep(time.Millisecond) } }
func file() { for { os.ReadFile("/proc/self/stat"); time.Sleep(time.Millisecond) } }
func main() { var m sync.Mutex; r, w, _ := os.Pipe(); go reader(r); go writer(w); go sleeper(); go sorter(); go file()
	m.Lock(); time.Sleep(time.Hour); m.Lock() }
"""

    def start(self):
        path = self.write("main.go", self.text)
        subprocess.run([which("go"), "build", "-o", "program", path], cwd=self.folder, check=True,
                       env=dict(os.environ, GOFLAGS="-mod=mod", GO111MODULE="off", GOTOOLCHAIN="local",
                                GOCACHE=self.folder + "/cache", HOME=self.folder))
        process = self.run(self.folder + "/program")
        time.sleep(0.5 * SLOW)
        return process.pid


class Java(Program):
    """Compiled code keeps frame pointers, as with the agents that list it for profilers."""
    needs = ("java", "javac")
    options = ("-XX:+PreserveFramePointer",)
    text = """
import java.nio.file.*; import java.util.*; import java.util.concurrent.*; import java.util.concurrent.locks.*;
public class Main {
    static void run(Callable<?> c) { new Thread(() -> { try { while (true) c.call(); } catch (Exception e) { } }).start(); }
    static int deeper(int n) throws Exception { if (n == 0) { Thread.sleep(2); return 0; } return deeper(n - 1) + 1; }
    public static void main(String[] a) throws Exception {
        SynchronousQueue<Integer> queue = new SynchronousQueue<>(); Object lock = new Object(); Random random = new Random(1);
        run(() -> deeper(10)); run(() -> { queue.put(1); Thread.sleep(2); return 0; }); run(() -> queue.take());
        for (int i = 0; i < 2; i++) run(() -> { synchronized (lock) { Thread.sleep(1); } return 0; });
        run(() -> { LockSupport.parkNanos(1000000); return Files.readAllBytes(Path.of("Main.java")).length; });
        run(() -> { int[] n = random.ints(3000).toArray(); Arrays.sort(n); Thread.sleep(1); return n[0]; });
    }
}
"""

    def start(self):
        path = self.write("Main.java", self.text)
        subprocess.run([which("javac"), path], cwd=self.folder, check=True)
        process = self.run("java", *self.options, "-Xmx128m", "-cp", self.folder, "Main")
        time.sleep(4 * SLOW)  # until it is compiled
        return process.pid


class JavaWithout(Java):
    """As java runs by itself: compiled code uses rbp as it likes."""
    options = ()
    ends_early = True


class Workload(Program):
    """Of ours: its frames are of all shapes."""
    arguments = ()

    def start(self):
        process = self.run(self.needs[0].format(build=self.build), *self.arguments)
        time.sleep(0.3 * SLOW)
        return process.pid


class C(Workload):
    needs = ("{build}/workloads/stacks/waits-O2",)
    arguments = (10_000, 4)


class Cpp(Workload):
    needs = ("{build}/workloads/stacks/throws-O2",)
    arguments = (10_000, 4)


class CppFp(Workload):
    needs = ("{build}/workloads/stacks/throws-fp",)
    arguments = (10_000, 4)


class Rust(Workload):
    needs = ("{build}/workloads/stacks/waits-rust",)
    arguments = (10_000,)


class Static(Workload):
    needs = ("{build}/workloads/stacks/waits-static",)
    arguments = (10_000, 4)


class Spin(Workload):
    needs = ("{build}/workloads/stacks/spin-lazy",)
    arguments = (300_000, 3)


class Musl(Workload):
    """Its C library has no call frame information."""
    needs = ("{build}/workloads/musl/waits-musl",)
    arguments = (10_000, 4)


class MuslStatic(Musl):
    needs = ("{build}/workloads/musl/waits-musl-static",)


class MuslSpin(Musl):
    needs = ("{build}/workloads/musl/spin-musl",)
    arguments = (300_000, 3)


class MuslRoot(Musl):
    """As in a container of Alpine: a root with the program and musl's library alone, which has its loader's name."""
    LOADER = f"/lib/ld-musl-{os.uname().machine}.so.1"
    needs = ("{build}/workloads/musl/waits-musl", LOADER, "chroot")

    def start(self):
        os.mkdir(self.folder + "/lib")
        shutil.copy(self.LOADER, self.folder + "/lib")
        shutil.copy(self.needs[0].format(build=self.build), self.folder + "/waits")
        process = self.run("chroot", self.folder, "/waits", *self.arguments)
        time.sleep(0.5 * SLOW)
        return process.pid


class Assembly(Workload):
    """Functions that have no call frame information: rbp is in use, or the CFA is in r10, rbx or a word of the stack."""
    needs = ("{build}/workloads/bare",)
    arguments = (10_000,)


ALL = [Redis, Nginx, Postgres, Python, Perl, Ruby, Node, Sqlite, Go, Java, JavaWithout, C, Cpp, CppFp, Rust, Static, Spin,
       Musl, MuslStatic, MuslSpin, MuslRoot, Assembly]
