// factory.js FILE: makes and drops functions, each of which calls getpriority() once. FILE gets their names. Needs --expose-gc.
"use strict";
const os = require("os"), fs = require("fs"), vm = require("vm");
const names = [];
for (let i = 0; i < 600; i++) {
    const name = (i % 3 ? "made" : "сделано") + i;
    const f = vm.runInThisContext(`(function ${name}(f) { f(); })`, { filename: `/made/file${i % 7}.js` });
    names.push(`${name} (file${i % 7}.js)`);
    f(() => os.getPriority());
    if (i % 10 == 9) gc();
}
fs.writeFileSync(process.argv[2], names.sort().join("\n") + "\n");
