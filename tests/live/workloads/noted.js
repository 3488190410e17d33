// noted.js FILE [ROUNDS]: notes its own stacks, as V8's CallSites have them, before each call of getpriority(). At the end FILE has
// a list of [["function (file)", ...], how often]. check-node compares them with those that sonde has seen.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path"), vm = require("vm");
const { Worker, isMainThread, parentPort } = require("worker_threads");

const noted = new Map();
Error.stackTraceLimit = Infinity;

function note() {
    const prepare = Error.prepareStackTrace;
    Error.prepareStackTrace = (error, sites) => sites;
    const sites = new Error().stack;
    Error.prepareStackTrace = prepare;
    const stack = sites.filter(s => s.getFileName() && !s.isAsync()).map(s =>
        `${s.getFunctionName() || "(anonymous)"} (${path.basename(s.getFileName())})`);
    const key = JSON.stringify(stack);
    noted.set(key, (noted.get(key) || 0) + 1);
    os.getPriority();
}

class Shop {
    field = note();
    #secret() { note(); return 1; }
    constructor(deep) { if (deep) note(); }
    sell() { return [1, 2].map(x => { note(); return x; }); }
    get price() { note(); return this.#secret(); }
    set price(x) { note(); }
    static make() { note(); return new Shop(true); }
    *parts() { note(); yield 1; note(); yield 2; }
    [Symbol.toPrimitive]() { note(); return 1; }
    async later() { note(); await null; note(); }
    großerName() { note(); }
    имя() { note(); }
}

class Child extends Shop {
    constructor() { super(true); note(); }
    sell() { note(); return super.sell(); }
}

const o = {};
o.method = function () { note(); };
o.deep = { inner: { arrow: () => note() } };
const arrow = () => { note(); };
function recurse(n) { if (n) recurse(n - 1); else note(); }
const long = vm.runInThisContext(`(function ${"x".repeat(200)}(f) { f(); })`, { filename: "/gen/" + "long" + process.argv.length + ".js" });

// more variables than a scope lists in place
let text = "";
for (let i = 0; i < 90; i++) text += `let v${i} = ${i}; `;
text += "return function big(f) { let s = 0; ";
for (let i = 0; i < 90; i++) text += `s += v${i}; `;
const many = vm.compileFunction(text + "f(); return s; }", [], { filename: "/gen/many.js" })();

function all() {
    note();
    for (const s of [new Shop(true), new Child()]) {
        s.sell();
        s.price = s.price;
        for (const part of s.parts()) note();
        `${s}`;
        s.großerName();
        s.имя();
        s.later();
    }
    Shop.make();
    o.method();
    o.deep.inner.arrow();
    arrow();
    recurse(30);
    long(arrow);
    many(arrow);
    [3, 1, 2].sort((a, b) => { note(); return a - b; });
    "abc".replace(/b/, () => { note(); return "x"; });
    JSON.stringify({ toJSON() { note(); return 1; } });
    Reflect.apply(arrow, null, []);
    arrow.call(null);
    arrow.bind(null)();
    new Proxy({}, { get(t, k) { note(); return 1; } }).x;
    try { (() => { throw new Error(); })(); } catch { note(); } finally { note(); }
    (function () { note(); })();
    (0, eval)("(function named(f) { f(); })")(arrow);
    new Function("f", "f()")(arrow);
    Promise.resolve().then(function then() { note(); });
    process.nextTick(function tick() { note(); });
    setImmediate(function immediate() { note(); });
}

function finish() {
    if (!isMainThread) {
        parentPort.postMessage([...noted]);
        return;
    }
    const worker = new Worker(__filename, { argv: process.argv.slice(2) });
    worker.on("message", theirs => {
        for (const [key, n] of theirs) noted.set(key, (noted.get(key) || 0) + n);
        fs.writeFileSync(process.argv[2], JSON.stringify([...noted].map(([key, n]) => [JSON.parse(key), n])));
    });
}

const rounds = Number(process.argv[3] || 3);
let round = 0;
(function again() {
    all();
    if (++round < rounds) setImmediate(again);
    else setImmediate(() => setImmediate(finish));
})();
