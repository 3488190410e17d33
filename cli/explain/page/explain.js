// Lights up what belongs to the line of the script under the pointer or with the focus, or to the part of it at which
// the pointer is. A click, or Enter, keeps it lit; Escape, or another click, ends that.
(function () {
	'use strict';
	const all = Array.from(document.querySelectorAll('[data-l], [data-p]'));
	const stages = Array.from(document.querySelectorAll('details'));
	let kept = null, lit = null;

	// Within the stage, so that the page does not move.
	function show(stage) {
		const first = stage.querySelector('.on'), box = stage.querySelector('pre');
		if (first && (first.offsetTop < box.scrollTop ||
			      first.offsetTop + first.offsetHeight > box.scrollTop + box.clientHeight))
			box.scrollTop = first.offsetTop - box.clientHeight / 3;
	}

	// What an element is about: a line ('l'), or a part ('p') and those within it, up to the last ('z').
	function subjectOf(target) {
		const e = target.closest ? target.closest('[data-l], [data-p]') : null;
		if (!e)
			return null;
		const {l, p, z} = e.dataset;
		return p ? {p: +p, z: +(z || p), key: 'p' + p + (z ? '' : '!')} : {l: l, key: 'l' + l};
	}

	// Code is lit by its part if one is meant, else by its line; so is the script.
	function isOf(e, subject) {
		const {l, p} = e.dataset, inScript = e.tagName === 'I';
		if (!subject || (inScript && !subject.p))
			return false;
		if (!subject.p)
			return l === subject.l;
		return inScript ? +p === subject.p : p && +p >= subject.p && +p <= subject.z;
	}

	function light(subject, from) {
		const key = subject && subject.key;
		if (key === lit)
			return;
		lit = key;
		for (const e of all)
			e.classList.toggle('on', Boolean(isOf(e, subject)));
		for (const stage of stages) {
			const n = stage.querySelectorAll('span.on').length;
			stage.querySelector('output').textContent = n ? n + (n === 1 ? ' line' : ' lines') : '';
			if (!from || !stage.contains(from))
				show(stage);
		}
		const script = document.querySelector('li.on, i.on');
		if (script && from && !document.getElementById('script').contains(from))
			script.scrollIntoView({block: 'nearest'});
	}

	function keep(target) {
		const subject = subjectOf(target);
		kept = subject.key === kept ? null : subject.key;
		light(subject, target);
	}

	for (const a of document.querySelectorAll('nav a'))
		a.addEventListener('click', () => { document.getElementById(a.textContent).open = true; });
	document.addEventListener('mouseover', (e) => {
		if (kept === null)
			light(subjectOf(e.target), e.target);
	});
	document.addEventListener('focusin', (e) => {
		if (kept === null && subjectOf(e.target))
			light(subjectOf(e.target), e.target);
	});
	document.addEventListener('click', (e) => {
		if (subjectOf(e.target))
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
				light(subjectOf(lines[i + step]), lines[i + step]);
		}
	});
})();
