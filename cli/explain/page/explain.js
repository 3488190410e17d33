// Lights up what belongs to the line of the script under the pointer or with the focus. A click, or Enter, keeps it
// lit; Escape, or another click, ends that.
(function () {
	'use strict';
	const all = Array.from(document.querySelectorAll('[data-l]'));
	const stages = Array.from(document.querySelectorAll('details'));
	let kept = null, lit = null;

	// Within the stage, so that the page does not move.
	function show(stage) {
		const first = stage.querySelector('.on'), box = stage.querySelector('pre');
		if (first && (first.offsetTop < box.scrollTop ||
			      first.offsetTop + first.offsetHeight > box.scrollTop + box.clientHeight))
			box.scrollTop = first.offsetTop - box.clientHeight / 3;
	}

	function light(line, from) {
		if (line === lit)
			return;
		lit = line;
		for (const e of all)
			e.classList.toggle('on', line !== null && e.dataset.l === line);
		for (const stage of stages) {
			const n = stage.querySelectorAll('.on').length;
			stage.querySelector('output').textContent = n ? n + (n === 1 ? ' line' : ' lines') : '';
			if (!from || !stage.contains(from))
				show(stage);
		}
		const script = document.querySelector('li.on');
		if (script && from && !script.contains(from))
			script.scrollIntoView({block: 'nearest'});
	}

	function lineOf(target) {
		const e = target.closest ? target.closest('[data-l]') : null;
		return e ? e.dataset.l : null;
	}

	function keep(target) {
		const line = lineOf(target);
		kept = line === kept ? null : line;
		light(kept === null ? line : kept, target);
	}

	for (const a of document.querySelectorAll('nav a'))
		a.addEventListener('click', () => { document.getElementById(a.textContent).open = true; });
	document.addEventListener('mouseover', (e) => {
		if (kept === null)
			light(lineOf(e.target), e.target);
	});
	document.addEventListener('focusin', (e) => {
		if (kept === null && lineOf(e.target))
			light(lineOf(e.target), e.target);
	});
	document.addEventListener('click', (e) => {
		if (lineOf(e.target))
			keep(e.target);
	});
	document.addEventListener('keydown', (e) => {
		const at = document.activeElement, step = {ArrowDown: 1, ArrowUp: -1}[e.key];
		const lines = Array.from(document.querySelectorAll('li')), i = lines.indexOf(at);
		if (e.key === 'Escape') {
			kept = null;
			light(null, null);
		} else if (e.key === 'Enter' && i >= 0) {
			keep(at);
		} else if (step && i >= 0 && lines[i + step]) {
			e.preventDefault();
			lines[i + step].focus();
			if (kept === null)
				light(lines[i + step].dataset.l, lines[i + step]);
		}
	});
})();
