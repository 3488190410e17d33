'use strict';
// A timeline: a lane for each thread, in it a box for each span, below the span that it is part of. Drag or use the keys
// to move, and the wheel to zoom. What is drawn and what is under the pointer are found by bisection, so a million spans
// are no burden. Names are only drawn or set as text.
(function () {
	const ROW = 18, AXIS = 24, LANE = 22, GAP = 8, LETTER = 7.23, SHORTEST = 10; // ns
	const OPEN = 1, LEFT = 2, CUT = 4; // flags of a span
	const HIT = '#8e24aa';
	const byId = (id) => document.getElementById(id);
	const data = JSON.parse(byId('data').textContent);
	const view = byId('view'), canvas = byId('canvas'), spacer = byId('spacer'), context = canvas.getContext('2d');
	const search = byId('search'), found = byId('found'), details = byId('details'), reset = byId('reset');
	const lanes = [];
	let last = 0, first = Infinity, from = 0, to = 0, width = 0, height = 0, bottom = 0;
	let hits = [], hit = -1, pattern = null, chosen = null, pointed = null, drag = null, isDue = false;

	// ---- spans ----------------------------------------------------------------------------------------------------

	function read() {
		const threads = new Map();

		for (const row of data.rows) {
			if (row[0] === 't') {
				const [, tid, pid, name] = row, known = threads.get(tid);

				if (known && known.pid === pid) {
					known.names.add(name);
				} else {
					const lane = {tid, pid, names: new Set([name]), spans: [], levels: []};
					threads.set(tid, lane);
					lanes.push(lane);
				}
				continue;
			}
			const [tid, kind, start, length, flags, tracer, name, values] = row;
			const lane = threads.get(tid);

			lane.spans.push({lane, kind, start, end: start + length, flags, tracer, name, values, parent: null, level: 0});
			first = Math.min(first, start);
			last = Math.max(last, start + length);
		}
	}

	// A span is below all that it is inside; no two of a level overlap.
	function arrange(lane) {
		const path = [];

		lane.spans.sort((a, b) => a.start - b.start || b.end - a.end);
		for (const s of lane.spans) {
			while (path.length && path[path.length - 1].end <= s.start)
				path.pop();
			s.parent = path[path.length - 1] || null;
			s.level = path.length;
			(lane.levels[s.level] = lane.levels[s.level] || []).push(s);
			path.push(s);
		}
	}

	// Processes in the order in which they came, in each its first thread first.
	function order() {
		const place = new Map();

		for (const lane of lanes)
			if (!place.has(lane.pid))
				place.set(lane.pid, place.size);
		lanes.sort((a, b) => place.get(a.pid) - place.get(b.pid) || (b.tid === b.pid) - (a.tid === a.pid) || a.tid - b.tid);
		bottom = AXIS;
		for (const lane of lanes) {
			lane.name = Array.from(lane.names).join(', ');
			lane.y = bottom;
			bottom += LANE + lane.levels.length * ROW + GAP;
		}
	}

	// The index of the first span that ends after a time.
	function at(spans, time) {
		let low = 0, high = spans.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (spans[middle].end > time)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	// ---- text -----------------------------------------------------------------------------------------------------

	function time(ns) { // as sonde writes lengths
		if (ns < 1e3)
			return ns + ' ns';
		if (ns < 1e6)
			return (ns / 1e3).toFixed(3) + ' us';
		return ns < 1e9 ? (ns / 1e6).toFixed(3) + ' ms' : (ns / 1e9).toFixed(3) + ' s';
	}

	const exact = (ns) => String(ns).replace(/\B(?=(\d{3})+$)/g, ',') + ' ns';

	const number = (n, what) => n.toLocaleString('en') + ' ' + what + (n === 1 ? '' : 's');

	function describe(s) {
		const notes = [];

		if (s.flags & CUT)
			notes.push('began before tracing');
		if (s.flags & OPEN)
			notes.push('not ended');
		if (s.flags & LEFT)
			notes.push('left by an exception or longjmp: it ended after this time at most');
		if (s.values)
			notes.push(s.values);
		if (s.tracer)
			notes.push('of it the tracer\'s own time: ' + exact(s.tracer));
		return s.name + '\n' + time(s.end - s.start) + ' (' + exact(s.end - s.start) + ') from ' + exact(s.start) + ' to ' +
			exact(s.end) + '; ' + data.kinds[s.kind][0] + '; ' + s.lane.name + ', thread ' + s.lane.tid + ', process ' +
			s.lane.pid + (notes.length ? '\n' + notes.join('; ') : '');
	}

	function describeAll() {
		const n = lanes.reduce((sum, lane) => sum + lane.spans.length, 0);

		return n ? number(n, 'span') + ' of ' + number(lanes.length, 'thread') + ' in ' + time(last - first) + '.\n' +
			'Drag to move; Ctrl and wheel to zoom, or w, s, a, d; double-click or Enter zooms to a span; arrows go to others.' :
			'no spans';
	}

	function label(name, w) {
		const most = Math.floor((w - 6) / LETTER), letters = most < 3 ? [] : Array.from(name.slice(0, 4 * most));

		if (most < 3 && name.length > most)
			return '';
		return Array.from(name.slice(0, most + 1)).length <= most && name.length <= most ? name :
			letters.length <= most ? name : letters.slice(0, most - 1).join('') + '…';
	}

	// ---- drawing --------------------------------------------------------------------------------------------------

	const x = (t) => (t - from) / (to - from) * width;

	function box(s, y, left, right, isPale) {
		const w = Math.max(right - left, 1);

		context.globalAlpha = isPale ? 0.3 : 1;
		context.fillStyle = s.isHit ? HIT : data.kinds[s.kind][1];
		context.fillRect(left, y, w > 3 ? w - 0.5 : w, ROW - 1);
		if (w > 25) {
			context.fillStyle = s.isHit ? '#fff' : '#000';
			context.fillText(label(s.name, right - Math.max(left, 0)), Math.max(left, 0) + 3, y + 13);
		}
		if (s === chosen || s === pointed) {
			context.globalAlpha = 1;
			context.strokeStyle = '#000';
			context.lineWidth = s === chosen ? 2 : 1;
			context.strokeRect(left + 0.5, y + 0.5, Math.max(w - 1.5, 1), ROW - 2);
		}
	}

	// Spans narrower than a point of the screen are one box with those at the same point.
	function level(spans, y, isPale) {
		for (let i = at(spans, from); i < spans.length && spans[i].start < to;) {
			const s = spans[i], left = Math.max(x(s.start), -2), right = Math.min(x(s.end), width + 2);

			box(s, y, left, right, isPale);
			if (right - left >= 1)
				i++;
			else
				i = Math.max(i + 1, at(spans, from + (Math.floor(left) + 1) / width * (to - from)));
		}
	}

	function lane(l, top) {
		const y = l.y - top;

		if (y > height || y + LANE + l.levels.length * ROW < 0)
			return;
		context.fillStyle = '#eee';
		context.fillRect(0, y, width, LANE - 4);
		context.fillStyle = '#000';
		context.font = 'bold ' + context.font.replace('bold ', '');
		context.fillText(l.name + ' ' + l.tid + (l.tid === l.pid ? '' : ', process ' + l.pid), 4, y + 13);
		context.font = context.font.replace('bold ', '');
		l.levels.forEach((spans, i) => {
			const at = y + LANE + i * ROW;

			if (at > height || at + ROW < 0)
				return;
			level(spans, at, Boolean(pattern));
			if (pattern)
				level(spans.hits, at, false);
		});
		context.globalAlpha = 1;
	}

	function axis() {
		const least = (to - from) * 110 / width, power = Math.pow(10, Math.floor(Math.log10(least)));
		const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least));

		context.fillStyle = '#fff';
		context.fillRect(0, 0, width, AXIS - 2);
		context.fillStyle = '#000';
		for (let t = Math.ceil(from / step) * step; t < to; t += step) {
			const unit = to - from >= 1e9 ? ['s', 1e9] : to - from >= 1e6 ? ['ms', 1e6] : to - from >= 1e3 ? ['us', 1e3] : ['ns', 1];
			const digits = Math.max(0, Math.ceil(-Math.log10(step / unit[1]) - 1e-9));

			context.fillRect(x(t), 14, 1, 7);
			context.fillText((t / unit[1]).toFixed(digits) + ' ' + unit[0], x(t) + 3, 11);
		}
		context.fillRect(0, AXIS - 3, width, 1);
	}

	function draw() {
		const scale = window.devicePixelRatio || 1;

		isDue = false;
		width = view.clientWidth;
		height = view.clientHeight;
		spacer.style.height = Math.max(0, bottom - height) + 'px';
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
		context.setTransform(scale, 0, 0, scale, 0, 0);
		context.font = '12px ui-monospace, "DejaVu Sans Mono", Consolas, monospace';
		lanes.forEach((l) => lane(l, view.scrollTop));
		axis();
		view.dataset.from = from;
		view.dataset.to = to;
		reset.disabled = !pattern && from === first && to === last;
	}

	function redraw() {
		if (isDue)
			return;
		isDue = true;
		window.requestAnimationFrame(draw);
	}

	// ---- moving ---------------------------------------------------------------------------------------------------

	function show(a, b) {
		const length = Math.min(Math.max(b - a, SHORTEST), Math.max(last - first, SHORTEST));

		from = Math.min(Math.max(a, first), Math.max(last - length, first));
		to = from + length;
		redraw();
	}

	function zoom(factor, px) {
		const t = from + px / width * (to - from);

		show(t - (t - from) * factor, t + (to - t) * factor);
	}

	const pan = (part) => show(from + part * (to - from), to + part * (to - from));

	function zoomTo(s) {
		const margin = (s.end - s.start) / 20;

		show(s.start - margin, s.end + margin);
	}

	function choose(s) {
		if (!s)
			return;
		chosen = s;
		details.textContent = describe(s);
		if (s.end < from || s.start > to)
			show((s.start + s.end - to + from) / 2, (s.start + s.end + to - from) / 2);
		const y = s.lane.y + LANE + s.level * ROW;
		if (y - AXIS < view.scrollTop || y + ROW > view.scrollTop + height)
			view.scrollTop = y - height / 2;
		redraw();
	}

	function spanAt(e) {
		const px = e.clientX - view.getBoundingClientRect().left, y = e.clientY - view.getBoundingClientRect().top;
		const down = y + view.scrollTop, l = y > AXIS && lanes.find((l) => down >= l.y && down < l.y + LANE + l.levels.length * ROW);
		const spans = l && l.levels[Math.floor((down - l.y - LANE) / ROW)];

		if (!spans)
			return null;
		const s = spans[at(spans, from + (px - 1) / width * (to - from))];
		return s && x(s.start) <= px + 1 ? s : null;
	}

	const beside = (s, step) => s.lane.levels[s.level][s.lane.levels[s.level].indexOf(s) + step];
	const below = (s) => (s.lane.levels[s.level + 1] || []).filter((c) => c.parent === s)
		.sort((a, b) => b.end - b.start - (a.end - a.start))[0];

	// ---- search ---------------------------------------------------------------------------------------------------

	function look(text) {
		let sum = 0;

		try {
			pattern = text ? new RegExp(text, 'i') : null;
		} catch (e) {
			pattern = null;
			found.textContent = e.message;
			redraw();
			return;
		}
		hits = [];
		hit = -1;
		for (const l of lanes) {
			for (const s of l.spans) {
				s.isHit = Boolean(pattern) && pattern.test(s.name);
				s.isBelow = Boolean(s.parent) && (s.parent.isHit || s.parent.isBelow);
				if (!s.isHit)
					continue;
				hits.push(s);
				sum += s.isBelow ? 0 : s.end - s.start;
			}
			for (const spans of l.levels)
				spans.hits = spans.filter((s) => s.isHit);
		}
		hits.sort((a, b) => a.start - b.start);
		found.textContent = pattern ? number(hits.length, 'span') + ': ' + time(sum) : '';
		redraw();
	}

	function next(step) {
		if (!hits.length)
			return;
		hit = (hit + step + hits.length) % hits.length;
		choose(hits[hit]);
	}

	function clear() {
		search.value = '';
		look('');
		chosen = null;
		details.textContent = describeAll();
		show(first, last);
	}

	// ---- what the user does ---------------------------------------------------------------------------------------

	view.addEventListener('mousemove', (e) => {
		if (drag) {
			drag.moved = drag.moved || Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) > 3;
			if (!drag.moved)
				return;
			view.classList.add('drags');
			show(drag.from - (e.clientX - drag.x) / width * (to - from), drag.from + to - from - (e.clientX - drag.x) / width * (to - from));
			view.scrollTop = drag.top - (e.clientY - drag.y);
			return;
		}
		const s = spanAt(e);
		if (s !== pointed) {
			pointed = s;
			details.textContent = s ? describe(s) : chosen ? describe(chosen) : describeAll();
			redraw();
		}
	});
	view.addEventListener('mouseleave', () => {
		pointed = null;
		details.textContent = chosen ? describe(chosen) : describeAll();
		redraw();
	});
	view.addEventListener('mousedown', (e) => {
		drag = {x: e.clientX, y: e.clientY, from, top: view.scrollTop, moved: false};
	});
	window.addEventListener('mouseup', (e) => {
		if (drag && !drag.moved)
			choose(spanAt(e));
		drag = null;
		view.classList.remove('drags');
	});
	view.addEventListener('dblclick', (e) => {
		const s = spanAt(e);
		if (s)
			zoomTo(s);
	});
	view.addEventListener('wheel', (e) => {
		const px = e.clientX - view.getBoundingClientRect().left;

		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan((e.deltaX || e.deltaY) / width);
		else if (e.ctrlKey || e.metaKey || bottom <= height)
			zoom(Math.pow(1.002, Math.max(-300, Math.min(300, e.deltaY))), px);
		else
			return; // scrolls
		e.preventDefault();
	}, {passive: false});
	view.addEventListener('scroll', redraw);
	window.addEventListener('resize', redraw);
	search.addEventListener('input', () => look(search.value));
	search.addEventListener('keydown', (e) => {
		if (e.key === 'Enter')
			next(e.shiftKey ? -1 : 1);
	});
	byId('next').addEventListener('click', () => next(1));
	reset.addEventListener('click', clear);
	window.addEventListener('keydown', (e) => {
		const isTyping = document.activeElement === search, s = chosen;
		const to = {
			w: () => zoom(0.5, width / 2), s: () => zoom(2, width / 2), a: () => pan(-0.25), d: () => pan(0.25),
			'+': () => zoom(0.5, width / 2), '-': () => zoom(2, width / 2), n: () => next(1), N: () => next(-1),
			ArrowLeft: () => s ? choose(beside(s, -1)) : pan(-0.25), ArrowRight: () => s ? choose(beside(s, 1)) : pan(0.25),
			ArrowUp: s && (() => choose(s.parent)), ArrowDown: s && (() => choose(below(s))),
			Enter: s && document.activeElement === view && (() => zoomTo(s)), '/': () => search.focus(), Escape: clear,
		}[e.key];

		if (!to || e.ctrlKey || e.altKey || e.metaKey || (isTyping && e.key !== 'Escape'))
			return;
		to();
		e.preventDefault();
	});

	read();
	lanes.forEach(arrange);
	order();
	if (first > last)
		first = 0;
	for (const [i, [name, colour]] of data.kinds.entries()) {
		if (!lanes.some((l) => l.spans.some((s) => s.kind === i)))
			continue;
		const entry = document.createElement('span'), mark = document.createElement('i');
		mark.style.background = colour;
		entry.append(mark, name);
		byId('legend').append(entry);
	}
	details.textContent = describeAll();
	from = first;
	to = Math.max(last, first + SHORTEST);
	draw();
})();
