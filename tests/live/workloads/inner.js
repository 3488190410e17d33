// inner.js MS: for that time outer() calls inner(), which does all the work.
function inner(n) {
	let sum = 0;
	for (let i = 0; i < n; i++)
		sum += Math.sqrt(i) % 7;
	return sum;
}

function outer(n) {
	let sum = 0;
	for (let i = 0; i < 50; i++)
		sum += inner(n);
	return sum;
}

const end = Date.now() + Number(process.argv[2] || 1000);
let sum = 0;
while (Date.now() < end)
	sum += outer(10000);
