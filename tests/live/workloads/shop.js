// Sleeps in fetch() and store(), and prints how long each did, in ms.
"use strict";
const cell = new Int32Array(new SharedArrayBuffer(4));
const slept = { fetch: 0, store: 0 };

function nap(name, ms) {
    const start = process.hrtime.bigint();
    Atomics.wait(cell, 0, 0, ms);
    slept[name] += Number(process.hrtime.bigint() - start) / 1e6;
}
class Shop {
    fetch() { nap("fetch", 30); }
    store() { nap("store", 10); }
    handle() { this.fetch(); this.store(); }
}
const shop = new Shop();
[...Array(20)].forEach(() => shop.handle());
for (const name in slept) console.log(name, Math.round(slept[name]));
