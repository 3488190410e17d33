/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats values as text. Reads views (view.h) and the pieces of a printf format; appends to a
 * struct text. It uses neither stdio nor allocation, because it runs once per event. Conversions
 * follow C (flags, width, precision), on 64-bit values that `bits` of the piece may narrow; %s
 * takes any value. Unlike C, the zero flag pads strings with spaces, %p always has its 0x, and
 * width and precision do not apply to a stack under %s. out_text.c writes the text.
 */
#include "runtime/view/format.h"
#include "parser/base/limits.h"
#include <sys/param.h>

static char *octal_digits(char *end, uint64_t x)
{
	do
		*--end = (char)('0' + (x & 7));
	while (x >>= 3);
	return end;
}

/* ---- default text -------------------------------------------------------------------- */

/* a, b, (c, d) */
void format_parts(struct text *t, const struct view *v)
{
	struct view part;

	for (uint32_t i = 0; i < v->type->n_members; i++) {
		if (i)
			format_comma(t, v->type->members[i - 1].type, v->type->members[i].type);
		view_part(v, i, &part);
		format_view(t, &part);
	}
}

void format_function(struct text *t, const char *name)
{
	const char *end = strrchr(name, ')'), *at = end;
	int n_open = 0;

	for (; at && at > name; at--) {
		n_open += (*at == ')') - (*at == '(');
		if (!n_open)
			break;
	}
	if (!at || at == name || (end[1] && end[1] != '@' && end[1] != ' ')) {
		text_name(t, name);
		return;
	}
	text_escaped(t, ESCAPE_NAME, name, (size_t)(at - name));
	text_name(t, strchr(end, '@') ? strchr(end, '@') : "");
}

void format_keys(struct text *t, const struct view_row *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		text_string(t, i ? ", " : "");
		format_view(t, &r->keys[i]);
	}
}

/* [1,2,3] */
static void format_array(struct text *t, const struct view *v)
{
	struct view part;

	text_char(t, '[');
	for (uint32_t i = 0; i < type_elements(v->type); i++) {
		text_string(t, i ? "," : "");
		view_part(v, i, &part);
		format_view(t, &part);
	}
	text_char(t, ']');
}

static void format_tuple(struct text *t, const struct view *v)
{
	text_char(t, '(');
	format_parts(t, v);
	text_char(t, ')');
}

/* { .x = 1, .y = a } */
static void format_record(struct text *t, const struct view *v)
{
	struct view part;

	text_char(t, '{');
	for (uint32_t i = 0; i < v->type->n_members; i++) {
		text_string(t, i ? ", ." : " .");
		text_name(t, v->type->members[i].name);
		text_string(t, " = ");
		view_part(v, i, &part);
		if (part.type->kind == TY_VOID)
			text_string(t, "null");
		format_view(t, &part);
	}
	text_string(t, v->type->n_members ? " }" : "}");
}

static void format_compound(struct text *t, const struct view *v)
{
	if (v->type->kind == TY_ARRAY)
		format_array(t, v);
	else if (v->type->kind == TY_TUPLE)
		format_tuple(t, v);
	else
		format_record(t, v);
}

/* The name of an enum's value; NULL: it has none, or this is another type. */
static const char *view_enumerator(const struct view *v)
{
	const struct type_enum *e = v->type->enumeration;

	return e ? enum_name_of(e, (int64_t)v->integer) : NULL;
}

static const char *trailer_of(const struct view *v)
{
	return v->string.trailer ? v->string.trailer : "";
}

void format_view(struct text *t, const struct view *v)
{
	char real[FORMAT_REAL_TEXT];

	switch (type_shape(v->type)) {
	case SHAPE_NONE: break;
	case SHAPE_BOOL: text_string(t, v->integer ? "true" : "false"); break;
	case SHAPE_INT:
		if (view_enumerator(v))
			text_name(t, view_enumerator(v));
		else
			format_number(t, v->integer, v->type->is_signed);
		break;
	case SHAPE_FLOAT: text_string(t, format_real(v, real)); break;
	case SHAPE_ADDRESS: text_hex(t, v->integer); break;
	case SHAPE_AGG: format_agg(t, v); break;
	case SHAPE_DEFERRED:
	case SHAPE_STRING:
		text_escaped(t, ESCAPE_NAME, v->string.text, v->string.len);
		text_name(t, trailer_of(v));
		break;
	case SHAPE_BUFFER: format_bytes(t, v, 0, 0, false); break;
	case SHAPE_STACK: format_stack(t, &v->stack, v->type->form); break;
	case SHAPE_PARTS: format_compound(t, v); break;
	}
}

/* ---- printf -------------------------------------------------------------------------- */

static uint64_t narrow(uint64_t x, uint32_t bits, bool is_signed)
{
	uint32_t drop = bits < 64 ? 64 - bits : 0;

	return is_signed ? (uint64_t)((int64_t)(x << drop) >> drop) : x << drop >> drop;
}

/* A converted number: prefix (sign or base) and digits. */
struct number {
	char prefix[2];
	uint32_t n_prefix;
	char digits[TEXT_DIGITS];
	char *first;
};

static void number_prefix(struct number *n, char a, char b)
{
	n->prefix[0] = a;
	n->prefix[1] = b;
	n->n_prefix = b ? 2 : 1;
}

static void number_signed(struct number *n, const struct format_piece *p, int64_t x)
{
	n->first = text_decimal_digits(n->first, x < 0 ? -(uint64_t)x : (uint64_t)x);
	if (x < 0)
		number_prefix(n, '-', 0);
	else if (p->plus)
		number_prefix(n, '+', 0);
	else if (p->space)
		number_prefix(n, ' ', 0);
}

static void number_unsigned(struct number *n, const struct format_piece *p, uint64_t x)
{
	switch (p->conv) {
	case 'x':
	case 'p':
		n->first = text_hex_digits(n->first, x, "0123456789abcdef");
		if (p->conv == 'p' || (p->alt && x))
			number_prefix(n, '0', 'x');
		break;
	case 'X':
		n->first = text_hex_digits(n->first, x, "0123456789ABCDEF");
		if (p->alt && x)
			number_prefix(n, '0', 'X');
		break;
	case 'o': n->first = octal_digits(n->first, x); break;
	case 'u':
	default: n->first = text_decimal_digits(n->first, x);
	}
}

/* Width, precision, zeros and alignment as in C: the precision is the minimum number of digits and
 * disables the zero flag; 0 with precision 0 has no digits; %#o begins with a zero. */
static void put_number(struct text *t, const struct format_piece *p, struct number *n, bool is_zero)
{
	char *end = n->digits + sizeof(n->digits);
	size_t width = p->width > 0 ? (size_t)p->width : 0;
	size_t precision = p->precision > 0 ? (size_t)p->precision : 0;

	if (is_zero && p->precision == 0 && p->conv != 'p')
		n->first = end;
	size_t n_digits = (size_t)(end - n->first);
	if (p->conv == 'o' && p->alt && (n_digits == 0 || *n->first != '0'))
		precision = MAX(precision, n_digits + 1);
	size_t zeros = precision > n_digits ? precision - n_digits : 0;
	size_t len = n->n_prefix + zeros + n_digits;
	size_t pad = width > len ? width - len : 0;
	if (p->zero && !p->left && p->precision < 0) {
		zeros += pad;
		pad = 0;
	}
	if (!p->left)
		text_fill(t, ' ', pad);
	text_put(t, n->prefix, n->n_prefix);
	text_fill(t, '0', zeros);
	text_put(t, n->first, n_digits);
	if (p->left)
		text_fill(t, ' ', pad);
}

static void put_padded(struct text *t, const struct format_piece *p, const char *s, size_t len)
{
	size_t pad = p->width > 0 && (size_t)p->width > len ? (size_t)p->width - len : 0;

	if (!p->left)
		text_fill(t, ' ', pad);
	text_put(t, s, len);
	if (p->left)
		text_fill(t, ' ', pad);
}

static void count_bytes(void *ctx, const char *bytes, size_t n)
{
	*(size_t *)ctx += n;
}

/* A string, escaped as its origin demands. The width counts the bytes that are shown. */
static void put_string(struct text *t, const struct format_piece *p, const char *s, size_t len,
		       const char *trailer)
{
	enum escape_set set = p->origin == FORMAT_FROM_NAME ? ESCAPE_NAME : ESCAPE_TERMINAL;
	size_t shown = 0, pad;
	bool is_clean = t->is_quoted || p->origin == FORMAT_FROM_SCRIPT ||
			(p->origin == FORMAT_FROM_MEMORY && !t->is_terminal) ||
			escape_clean(set, s, len) == len;

	if (is_clean)
		shown = len;
	else
		escape_text(set, s, len, count_bytes, &shown);
	shown += strlen(trailer);
	pad = p->width > 0 && (size_t)p->width > shown ? (size_t)p->width - shown : 0;
	if (!p->left)
		text_fill(t, ' ', pad);
	if (is_clean)
		text_put(t, s, len);
	else
		escape_text(set, s, len, text_put_to, t);
	text_name(t, trailer);
	if (p->left)
		text_fill(t, ' ', pad);
}

/* Integers under %s are formatted to a buffer first, because the precision may cut them. */
static void convert_string(struct text *t, const struct format_piece *p, const struct view *v)
{
	char digits[TEXT_DIGITS];
	struct text number = {.bytes = digits, .capacity = sizeof(digits)};
	size_t max = p->precision >= 0 ? (size_t)p->precision : SIZE_MAX;
	const char *name;

	switch (type_shape(v->type)) {
	case SHAPE_DEFERRED:
	case SHAPE_STRING:
		put_string(t, p, v->string.text, MIN(max, (size_t)v->string.len),
			   max < v->string.len ? "" : trailer_of(v));
		break;
	case SHAPE_BUFFER: format_bytes(t, v, p->form, p->width, p->left); break;
	case SHAPE_BOOL:
	case SHAPE_INT:
	case SHAPE_FLOAT:
	case SHAPE_ADDRESS:
		name = view_enumerator(v);
		if (name) {
			put_string(t, p, name, MIN(max, strlen(name)), "");
			break;
		}
		format_view(&number, v);
		put_padded(t, p, digits, MIN(max, number.n));
		break;
	case SHAPE_AGG:
	case SHAPE_STACK:
	case SHAPE_PARTS:
	case SHAPE_NONE: format_view(t, v); break;
	}
}

static uint64_t view_integer(const struct view *v)
{
	switch (type_shape(v->type)) {
	case SHAPE_BOOL:
	case SHAPE_INT:
	case SHAPE_ADDRESS:
	case SHAPE_AGG: return v->integer;
	case SHAPE_FLOAT:
	case SHAPE_DEFERRED:
	case SHAPE_STRING:
	case SHAPE_BUFFER:
	case SHAPE_STACK:
	case SHAPE_PARTS:
	case SHAPE_NONE: break; /* rejected by sema */
	}
	return 0;
}

static void convert_integer(struct text *t, const struct format_piece *p, const struct view *v)
{
	struct number n = {.n_prefix = 0};
	bool is_signed = p->conv == 'd' || p->conv == 'i';
	uint64_t x = narrow(view_integer(v), p->bits, is_signed);

	n.first = n.digits + sizeof(n.digits);
	if (is_signed)
		number_signed(&n, p, (int64_t)x);
	else
		number_unsigned(&n, p, x);
	put_number(t, p, &n, x == 0);
}

static void convert(struct text *t, const struct format_piece *p, const struct view *v)
{
	if (strchr(FORMAT_REAL, p->conv)) {
		format_convert_real(t, p, v);
	} else if (p->conv == 's' || p->conv == 'r' || p->conv == FORMAT_GFP) {
		convert_string(t, p, v);
	} else if (p->conv == 'c') {
		char c = (char)view_integer(v);
		put_padded(t, p, &c, 1);
	} else {
		convert_integer(t, p, v);
	}
}

/* '*' has the same maximum as a width in the format. As in C, a negative width aligns to the left,
 * and a negative precision is ignored. */
static struct format_piece with_stars(const struct format_piece *p, const struct view *fields)
{
	struct format_piece q = *p;
	int64_t n;

	if (p->width_arg) {
		n = (int64_t)view_integer(&fields[p->width_arg - 1]);
		q.left |= n < 0;
		q.width = (int32_t)(n > LIMIT_WIDTH || n < -LIMIT_WIDTH ? LIMIT_WIDTH
				    : n < 0				? -n
									: n);
	}
	if (p->precision_arg) {
		n = (int64_t)view_integer(&fields[p->precision_arg - 1]);
		q.precision = (int32_t)(n > LIMIT_WIDTH ? LIMIT_WIDTH : n < 0 ? -1 : n);
	}
	return q;
}

void format_printf(struct text *t, const struct plan_event *e, const struct view *fields)
{
	for (uint32_t i = 0; i < e->n_pieces; i++) {
		const struct format_piece *p = &e->pieces[i];
		struct format_piece q;

		if (p->is_recorded && t->is_terminal)
			text_escaped(t, ESCAPE_TERMINAL, p->text, p->text_len);
		else
			text_put(t, p->text, p->text_len);
		if (p->width_arg || p->precision_arg) {
			q = with_stars(p, fields);
			p = &q;
		}
		if (p->conv)
			convert(t, p, &fields[p->field]);
	}
}

static void put_functions(struct text *t, const struct view_stack *s, uint32_t n)
{
	for (uint32_t i = 0; i < s->n && i < n; i++) {
		text_string(t, i ? " < " : "");
		format_frame_name(t, &s->frames[i]);
	}
}

void format_span_values(struct text *t, const struct view_span *s, uint32_t n_frames)
{
	for (uint32_t i = 0; i < s->n_values; i++) {
		const struct format_piece *p = &s->pieces[i];
		const struct view *v = &s->values[i];
		size_t n = p->text_len - (p->time_unit ? sizeof("_ns") - 1 : 0);

		text_string(t, i ? ", " : "");
		text_escaped(t, ESCAPE_NAME, p->text, n);
		text_string(t, " = ");
		t->time_unit = p->time_unit ? SHOW_OWN_UNIT : SHOW_NUMBER;
		if (type_shape(v->type) == SHAPE_STACK)
			put_functions(t, &v->stack, n_frames);
		else
			format_view(t, v);
		t->time_unit = SHOW_NUMBER;
	}
}
