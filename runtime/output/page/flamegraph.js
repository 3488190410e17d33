'use strict';
// The behaviour of a flame graph: zoom, search, keys. Every frame is a <g class="f"> whose data are its place in the
// whole graph (data-x, data-w, of the width), its parent (data-p, an index among the frames) and its name (data-n).
(function () {
	const svg = document.documentElement;
	const height = svg.viewBox.baseVal.height, charWidth = 7.23, least = 700;
	const controls = document.getElementById('controls'), controlsWidth = 350, scrollbar = 16;
	let width = Number(svg.dataset.width);
	const details = document.getElementById('details'), found = document.getElementById('found');
	const search = document.getElementById('search'), reset = document.getElementById('reset');
	const frames = Array.from(document.querySelectorAll('.f'), (g, i) => ({
		g: g,
		i: i,
		x: Number(g.dataset.x),
		w: Number(g.dataset.w),
		parent: Number(g.dataset.p),
		name: g.dataset.n,
		children: [],
		rect: g.querySelector('rect'),
		text: g.querySelector('text'),
		title: g.querySelector('title').textContent,
	}));
	let zoomed = null, pattern = null, focused = null;

	for (const f of frames)
		if (f.parent >= 0)
			frames[f.parent].children.push(f);

	function isAbove(f, g) { // f is g or calls it
		while (g && g !== f)
			g = frames[g.parent];
		return Boolean(g);
	}

	function label(f, w) {
		const most = Math.floor((w - 6) / charWidth), letters = Array.from(f.name);

		if (letters.length <= most)
			return f.name;
		return most < 3 ? '' : letters.slice(0, most - 1).join('') + '…';
	}

	function place(f, x, w) {
		f.rect.setAttribute('x', x);
		f.rect.setAttribute('width', w);
		f.text.setAttribute('x', x + 3);
		f.text.textContent = label(f, w);
	}

	function draw() {
		const from = zoomed ? zoomed.x : 0, scale = zoomed ? 1 / zoomed.w : 1;

		for (const f of frames) {
			const above = zoomed && f !== zoomed && isAbove(f, zoomed);
			const inside = !zoomed || (!above && isAbove(zoomed, f));

			f.g.style.display = above || inside ? '' : 'none';
			f.g.classList.toggle('above', Boolean(above));
			if (above)
				place(f, 0, width);
			else if (inside)
				place(f, (f.x - from) * scale * width, f.w * scale * width);
		}
		reset.disabled = !zoomed && !pattern;
		mark();
	}

	// Marks what matches, and says how much of what is shown it is; a match below a match counts once.
	function mark() {
		let sum = 0, n = 0;

		for (const f of frames) {
			f.isHit = Boolean(pattern) && pattern.test(f.name);
			f.isBelow = f.parent >= 0 && (frames[f.parent].isBelow || frames[f.parent].isHit);
			f.g.classList.toggle('hit', f.isHit);
			if (!f.isHit)
				continue;
			n++;
			if (!f.isBelow && (!zoomed || isAbove(zoomed, f)))
				sum += f.w;
			else if (!f.isBelow && isAbove(f, zoomed))
				sum = zoomed.w;
		}
		const whole = zoomed ? zoomed.w : 1;
		found.textContent = pattern ? n + ' frames match: ' + (100 * sum / whole).toFixed(2) + ' %' : '';
	}

	// As wide as the window, with letters as large as they were.
	function fit() {
		width = Math.max(least, window.innerWidth - (window.innerHeight < height ? scrollbar : 0));
		svg.setAttribute('width', width);
		svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
		controls.setAttribute('x', width - controlsWidth);
		found.setAttribute('x', width - 8);
		draw();
	}

	function zoom(f) {
		zoomed = f && f.w < 1 ? f : null;
		draw();
	}

	function look(text) {
		search.setCustomValidity('');
		try {
			pattern = text ? new RegExp(text, 'i') : null;
		} catch (e) {
			pattern = null;
			search.setCustomValidity(e.message);
		}
		reset.disabled = !zoomed && !pattern;
		mark();
		if (search.validationMessage)
			found.textContent = search.validationMessage;
	}

	function clear() {
		search.value = '';
		look('');
		zoom(null);
	}

	function focus(f) {
		if (!f || f.g.style.display === 'none')
			return;
		if (focused)
			focused.g.setAttribute('tabindex', -1);
		focused = f;
		f.g.setAttribute('tabindex', 0);
		f.g.focus();
		details.textContent = f.title;
	}

	function shown(list) {
		return list.filter((f) => f.g.style.display !== 'none' && Number(f.rect.getAttribute('width')) > 0.5);
	}

	function beside(f, step) {
		const row = shown(f.parent >= 0 ? frames[f.parent].children : frames.filter((r) => r.parent < 0));

		return row[row.indexOf(f) + step];
	}

	function widest(f) {
		return shown(f.children).sort((a, b) => b.w - a.w)[0];
	}

	for (const f of frames) {
		f.g.setAttribute('tabindex', f.i === 0 ? 0 : -1);
		f.g.addEventListener('click', () => { focus(f); zoom(f); });
		f.g.addEventListener('mouseenter', () => { details.textContent = f.title; });
		f.g.addEventListener('focus', () => { focused = f; details.textContent = f.title; });
		f.g.addEventListener('keydown', (e) => {
			const to = {
				ArrowUp: () => focus(widest(f)),
				ArrowDown: () => focus(frames[f.parent]),
				ArrowLeft: () => focus(beside(f, -1)),
				ArrowRight: () => focus(beside(f, 1)),
				Enter: () => zoom(f),
			}[e.key];

			if (!to)
				return;
			to();
			e.preventDefault();
		});
	}
	search.addEventListener('input', () => look(search.value));
	reset.addEventListener('click', clear);
	window.addEventListener('keydown', (e) => {
		if (e.key === 'Escape') {
			clear();
		} else if (e.key === '/' && document.activeElement !== search) {
			search.focus();
			e.preventDefault();
		}
	});
	window.addEventListener('resize', fit);
	// The base is shown first; what is above it, by scrolling, under the head.
	window.addEventListener('scroll', () =>
		document.getElementById('head').setAttribute('transform', 'translate(0 ' + window.scrollY + ')'));
	focused = frames[0] || null;
	fit();
	window.scrollTo(0, height);
})();
