/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See live_screen.h. From top to bottom: a line of state, a line of maps, the head of the table,
 * its rows, the last lines that were printed, a line of keys.
 */
#define NCURSES_WIDECHAR 1
#include "runtime/output/live_screen.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include <curses.h>
#include <locale.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

enum {
	CTRL_C = 3,
	ESCAPE = 27,
	HEAD_LINES = 3,
	PANE_LINES = 6,	  /* at most, with its title */
	VALUE_WIDTH = 12, /* at least */
	HEAD_WIDTH = 7,	  /* of a key, at least */
	KEY_WIDTH = 40,	  /* at most, but for the last */
	COLUMNS = 16,	  /* with a width of their own */
	INDENT = 4,
};

bool live_screen_can_draw(void)
{
	int status;
	bool can;

	setlocale(LC_CTYPE, "");
	can = setupterm(NULL, STDOUT_FILENO, &status) == OK && cursor_address;
	if (cur_term)
		del_curterm(cur_term); /* newterm() makes its own */
	if (can)
		return true;
	log_error("-f live: this terminal's type (TERM) is unknown or has no cursor: write "
		  "TERM=xterm, or use --interval 1s");
	return false;
}

int live_screen_open(struct live_screen *s)
{
	SCREEN *terminal = newterm(NULL, stdout, stdin);

	if (!terminal)
		return -EINVAL;
	s->terminal = terminal;
	set_escdelay(50);
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return 0;
}

void live_screen_close(struct live_screen *s)
{
	if (!s->terminal)
		return;
	endwin();
	delscreen(s->terminal);
	s->terminal = NULL;
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* Draw text up to its end or a newline, in at most `width` columns. Returns the columns used. */
static int put(int y, int x, const char *text, int width)
{
	mbstate_t state = {0};
	int used = 0;

	move(y, x);
	while (*text && *text != '\n') {
		wchar_t c;
		size_t n = mbrtowc(&c, text, MB_CUR_MAX, &state);
		int wide;

		if (n == (size_t)-1 || n == (size_t)-2) {
			state = (mbstate_t){0};
			n = 1;
			c = L'?';
		}
		wide = c == L'\t' ? 8 - used % 8 : wcwidth(c);
		if (used + wide > width)
			break;
		if (c == L'\t')
			printw("%*s", wide, "");
		else if (wide < 0)
			addch('?');
		else
			addnwstr(&c, 1);
		used += wide < 0 ? 1 : wide;
		text += n;
	}
	return used;
}

static int put_right(int y, int x, const char *text, int width)
{
	int n = (int)mbstowcs(NULL, text, 0);

	return put(y, x + (n >= 0 && n < width ? width - n : 0), text, width);
}

static void bar(int y)
{
	attron(A_REVERSE);
	mvhline(y, 0, ' ', COLS);
}

static void draw_state(const struct live_screen *s)
{
	uint64_t seconds = (monotonic_ns() - s->begin_ns) / 1000000000;
	char text[128];
	int n;

	n = snprintf(text, sizeof(text), "sonde  %02llu:%02llu", (unsigned long long)seconds / 60,
		     (unsigned long long)seconds % 60);
	if (s->every_ns)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  every %.1f s",
			      (double)s->every_ns / 1e9);
	if (s->n_spans)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %llu spans (not shown)",
			      (unsigned long long)s->n_spans);
	bar(0);
	n = put(0, 0, text, COLS);
	if (s->is_frozen)
		put(0, n + 2, "FROZEN", COLS - n - 2);
	attroff(A_REVERSE);
}

static void draw_maps(const struct live_screen *s)
{
	int x = 0;

	for (uint32_t i = 0; i < s->n_tables && x < COLS; i++) {
		const struct live_table *t = &s->tables[i];
		char text[96];

		snprintf(text, sizeof(text), " %s (%zu%s) ", t->name, t->order.n,
			 t->n_left_out ? "+" : "");
		if (i == s->current)
			attron(A_BOLD | A_UNDERLINE);
		x += put(1, x, text, COLS - x) + 1;
		attroff(A_BOLD | A_UNDERLINE);
	}
	if (s->is_typing || *s->filter) {
		char text[LIVE_FILTER_BYTES + 16];

		snprintf(text, sizeof(text), "filter: %s%s", s->filter, s->is_typing ? "_" : "");
		x += put(1, x + 1, text, COLS - x - 1);
	}
}

/* Columns of the cells of the rows that may be visible. */
static void measure(const struct live_table *t, int widths[COLUMNS])
{
	for (uint32_t c = 0; c < COLUMNS; c++)
		widths[c] = c ? HEAD_WIDTH : VALUE_WIDTH;
	for (uint32_t i = t->top; i < t->order.n && i < t->top + (uint32_t)LINES; i++) {
		const struct live_row *r = &t->rows[t->order.items[i]];

		for (uint32_t c = t->is_block ? 1 : 0; c < t->n_columns && c < COLUMNS; c++) {
			int n = (int)mbstowcs(NULL, r->cells[c].text, 0);

			n = n > KEY_WIDTH ? KEY_WIDTH : n;
			widths[c] = n > widths[c] ? n : widths[c];
		}
	}
	if (t->is_block)
		widths[0] = 0;
}

static int width_of(const struct live_table *t, const int widths[COLUMNS], uint32_t c, int x)
{
	return c + 1 >= t->n_columns || c >= COLUMNS ? COLS - x : widths[c];
}

static void draw_head(const struct live_table *t, const int widths[COLUMNS])
{
	int x = 1;

	bar(2);
	for (uint32_t c = 0; c < t->n_columns && x < COLS; c++) {
		char text[32], mark = c != t->column ? ' ' : t->ascends ? '^' : 'v';

		if (c)
			snprintf(text, sizeof(text), "key %u %c", c, mark);
		else
			snprintf(text, sizeof(text), "value %c", mark);
		if (!c && !t->is_block)
			put_right(2, x, text, widths[0]);
		else
			put(2, x, text, width_of(t, widths, c, x));
		x += (c < COLUMNS && (c || !t->is_block) ? widths[c] : 7) + 2;
	}
	attroff(A_REVERSE);
}

/* The lines of a cell, below its row. */
static int draw_lines(const char *text, int y, int last)
{
	for (; text && y < last; y++) {
		put(y, INDENT, text, COLS - INDENT);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return y;
}

/* Returns the line behind it. */
static int draw_row(const struct live_table *t, const struct live_row *r, const int widths[COLUMNS],
		    int y, int last, bool is_selected)
{
	bool is_open = live_table_is_open(t, r);
	int x = 1;

	if (is_selected)
		attron(A_BOLD | A_STANDOUT);
	mvhline(y, 0, ' ', COLS);
	for (uint32_t c = 0; c < t->n_columns && x < COLS; c++) {
		const struct live_cell *cell = &r->cells[c];

		if (!c && t->is_block)
			x += 7 + 2;
		else if (!c)
			x += (put_right(y, x, cell->text, widths[0]), widths[0] + 2);
		else
			x += (put(y, x, cell->text, width_of(t, widths, c, x)),
			      (c < COLUMNS ? widths[c] : KEY_WIDTH) + 2);
	}
	attroff(A_BOLD | A_STANDOUT);
	y++;
	for (uint32_t c = t->n_columns; c-- > 0;)
		if (r->cells[c].full && (is_open || (!c && t->is_block)))
			y = draw_lines(r->cells[c].full, y, last);
	return y;
}

/* Scroll so that the selected row is visible in that many lines. */
static void scroll_to_selected(struct live_table *t, int n_lines)
{
	int needed = 0;

	if (t->top > t->selected)
		t->top = t->selected;
	for (uint32_t i = t->selected + 1; i-- > t->top && i < t->order.n;) {
		needed += (int)live_table_height(t, &t->rows[t->order.items[i]]);
		if (needed > n_lines && i < t->selected) {
			t->top = i + 1;
			return;
		}
	}
}

static void draw_table(struct live_table *t, int last)
{
	int widths[COLUMNS], y = HEAD_LINES;

	scroll_to_selected(t, last - y);
	measure(t, widths);
	draw_head(t, widths);
	for (uint32_t i = t->top; i < t->order.n && y < last; i++)
		y = draw_row(t, &t->rows[t->order.items[i]], widths, y, last, i == t->selected);
	if (t->n_left_out && y < last)
		mvprintw(y, 1, "%u rows with smaller values are left out", t->n_left_out);
	if (!t->n_rows)
		put(HEAD_LINES, 1, "no rows yet", COLS);
}

/* What was printed, above the last line. Returns the first line of it. */
static int draw_pane(const struct live_screen *s)
{
	int height = LINES / 3 < PANE_LINES ? LINES / 3 : PANE_LINES, y = LINES - 1;
	char title[64];

	if (!s->printed.n || height < 2)
		return y;
	for (uint32_t back = 0; back < (uint32_t)height - 1 && live_lines_get(&s->printed, back);
	     back++)
		put(--y, 0, live_lines_get(&s->printed, back), COLS);
	snprintf(title, sizeof(title), " printed: %llu lines ", (unsigned long long)s->printed.n);
	mvhline(--y, 0, ACS_HLINE, COLS);
	put(y, 2, title, COLS - 2);
	return y;
}

static const char *const help[] = {
	"q, Ctrl-C      end tracing",
	"space          freeze what is shown, and go on",
	"/              show only rows that contain a text; Enter keeps it, Esc removes it",
	"< >, left right  sort by the column before or behind",
	"r              reverse the order",
	"up down, PgUp PgDn, Home End, j k   move",
	"Enter          show all lines of a stack, or fold it again",
	"Tab            the next map; Shift-Tab the one before",
	"?, h           this text; any key leaves it",
};

static void draw_help(void)
{
	for (int i = 0; i < (int)(sizeof(help) / sizeof(*help)) && i + HEAD_LINES < LINES - 1; i++)
		put(i + HEAD_LINES, 2, help[i], COLS - 2);
}

void live_screen_draw(struct live_screen *s)
{
	int last;

	if (!s->terminal)
		return;
	erase();
	draw_state(s);
	draw_maps(s);
	last = draw_pane(s);
	if (s->is_help)
		draw_help();
	else if (s->current < s->n_tables)
		draw_table(&s->tables[s->current], last);
	else
		put(HEAD_LINES, 1, "the script has no maps", COLS);
	bar(LINES - 1);
	put(LINES - 1, 0,
	    "q end  space freeze  / filter  < > sort  r reverse  Enter unfold  Tab map  ? help",
	    COLS);
	attroff(A_REVERSE);
	refresh();
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void move_by(struct live_table *t, long rows)
{
	long to = (long)t->selected + rows, last = (long)t->order.n - 1;

	t->selected = (uint32_t)(to < 0 || last < 0 ? 0 : to > last ? last : to);
}

static void sort_by(struct live_table *t, int step)
{
	if (t->n_columns)
		t->column = (t->column + t->n_columns + (uint32_t)step) % t->n_columns;
	t->ascends = t->column != 0;
}

static void type_filter(struct live_screen *s, int key)
{
	size_t n = strlen(s->filter);

	if (key == ESCAPE)
		s->filter[0] = '\0';
	if (key == ESCAPE || key == '\r' || key == '\n' || key == KEY_ENTER)
		s->is_typing = false;
	else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && n)
		s->filter[n - 1] = '\0';
	else if (key >= ' ' && key < 256 && key != 127 && n + 1 < sizeof(s->filter)) {
		s->filter[n] = (char)key;
		s->filter[n + 1] = '\0';
	}
}

static void table_key(struct live_table *t, int key)
{
	switch (key) {
	case '<':
	case KEY_LEFT: sort_by(t, -1); break;
	case '>':
	case KEY_RIGHT: sort_by(t, 1); break;
	case 'r': t->ascends = !t->ascends; break;
	case 'k':
	case KEY_UP: move_by(t, -1); break;
	case 'j':
	case KEY_DOWN: move_by(t, 1); break;
	case KEY_PPAGE: move_by(t, -LINES / 2); break;
	case KEY_NPAGE: move_by(t, LINES / 2); break;
	case KEY_HOME: move_by(t, -(long)t->order.n); break;
	case KEY_END: move_by(t, (long)t->order.n); break;
	case '\r':
	case '\n':
	case KEY_ENTER: live_table_toggle(t); break;
	default: break;
	}
}

static void next_map(struct live_screen *s, uint32_t step)
{
	if (s->n_tables)
		s->current = (s->current + step) % s->n_tables;
}

/* True: the user ends the run. */
static bool take_key(struct live_screen *s, int key)
{
	if (key == CTRL_C)
		return true;
	if (s->is_typing) {
		type_filter(s, key);
		return false;
	}
	if (s->is_help && key != KEY_RESIZE) {
		s->is_help = false;
		return key == 'q';
	}
	switch (key) {
	case 'q': return true;
	case ' ': s->is_frozen = !s->is_frozen; break;
	case '/': s->is_typing = true; break;
	case ESCAPE: s->filter[0] = '\0'; break;
	case '?':
	case 'h': s->is_help = true; break;
	case '\t': next_map(s, 1); break;
	case KEY_BTAB: next_map(s, s->n_tables - 1); break;
	default:
		if (s->current < s->n_tables)
			table_key(&s->tables[s->current], key);
	}
	return false;
}

bool live_screen_keys(struct live_screen *s)
{
	int key, err = 0;

	if (!s->terminal)
		return false;
	while ((key = getch()) != ERR)
		if (take_key(s, key))
			return true;
	for (uint32_t i = 0; i < s->n_tables; i++)
		err = err ?: live_table_arrange(&s->tables[i], s->filter);
	live_screen_draw(s);
	return err != 0;
}
