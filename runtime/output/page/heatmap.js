'use strict';
// Shows what the pointer is on in a line of the head, at once; a browser shows the title of a cell only after a while.
document.documentElement.addEventListener('mouseover', (e) => {
	const title = e.target.classList.contains('c') && e.target.querySelector('title');

	document.getElementById('details').textContent = title ? title.textContent : '';
});
