// tiny.js MS: for that time, functions of few instructions call each other.
function add(a, b) { return a + b; }
function twice(f, x) { return f(f(x)); }
class P { constructor(x) { this.x = x; } get() { return this.x; } inc() { this.x = add(this.x, 1) & 1023; return this; } }
const inc = x => (x + 1) & 4095;
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function work(n) { const p = new P(1); let s = 0; for (let i = 0; i < n; i++) { s = add(s, p.inc().get()) & 65535; s = twice(inc, s); } s += fib(12); return s + [3, 1, 2].map(inc).sort((a, b) => a - b)[0]; }
const end = Date.now() + Number(process.argv[2] || 1000);
let sum = 0;
while (Date.now() < end) sum += work(300);
