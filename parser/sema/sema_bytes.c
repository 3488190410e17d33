/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of functions that read bytes: buf, ntop, pton, macaddr.
 */
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"
#include <arpa/inet.h>

enum { IP4_BYTES = 4, IP6_BYTES = 16, MAC_BYTES = 6 };

static bool is_address(const struct type *t)
{
	return t->kind == TY_INT || t->kind == TY_POINTER;
}

/* Bytes in memory that belong to the script. */
static bool is_in_memory(const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_ARRAY || t->kind == TY_STRUCT;
}

/* The number of bytes that buf reads at most; 0 after an error. */
static uint64_t buffer_size(struct sema *s, const struct expr *e)
{
	const struct expr *data = e->call.args[0], *n = e->call.n_args > 1 ? e->call.args[1] : NULL;
	__int128 size = s->program->config.max_strlen - BUFFER_HEAD;

	if (!n)
		return data->type->size;
	if (!constant_number(n, &size))
		return is_in_memory(data->type) && data->type->size < size ? data->type->size
									   : (uint64_t)size;
	if (size < 1 || size > LIMIT_STR_REQUESTED - BUFFER_HEAD) {
		sema_error(s, n->span, "str-size", "buf reads 1 to %d bytes",
			   LIMIT_STR_REQUESTED - BUFFER_HEAD);
		return 0;
	}
	/* what follows a literal is zero bytes */
	if (is_in_memory(data->type) && size > data->type->size && data->kind != EX_STRING) {
		sema_error(s, n->span, "str-size", "%s has only %u bytes",
			   sema_name_of(s, data->type), data->type->size);
		return 0;
	}
	return (uint64_t)size;
}

const struct type *chk_buf(struct sema *s, struct expr *e)
{
	const struct expr *data = e->call.args[0];
	uint64_t size;

	struct_decay(s, e->call.args[0]);
	if (!is_address(data->type) && !is_in_memory(data->type))
		return sema_wrong_arg(s, e, data, "an address, a string or an array", NULL);
	if (is_address(data->type) && e->call.n_args == 1) {
		sema_error(s, e->span, "arg-count",
			   "buf needs the number of bytes to read at an address");
		return sema_hint(s, "write buf(%s, 16)",
				 advice_text(s, data->span, 40) ?: "address");
	}
	if (is_address(data->type) && !memory_is_clear(s, data, data->type))
		return &type_error;
	if (is_address(data->type) && !memory_is_of_span(s, e, data->type))
		return &type_error;
	size = buffer_size(s, e);
	return size ? type_buffer(s->arena, (uint32_t)size) : &type_error;
}

const struct type *chk_ntop(struct sema *s, struct expr *e)
{
	const struct expr *data = e->call.args[e->call.n_args - 1];
	const struct type *t = data->type;

	if (e->call.n_args > 1 && !type_is_integral(e->call.args[0]->type))
		return sema_wrong_arg(s, e, e->call.args[0], "an integer as address family", NULL);
	if (t->kind == TY_INT ||
	    (is_in_memory(t) && (t->size == IP4_BYTES || t->size == IP6_BYTES)))
		return &type_inet;
	return sema_wrong_arg(
		s, e, data, "an integer or an array of 4 or 16 bytes",
		t->kind == TY_POINTER
			? arena_printf(
				  s->arena,
				  "the address is a member: ((struct sockaddr_in *)%s)->sin_addr.s_addr",
				  advice_text(s, data->span, 0) ?: "p")
			: NULL);
}

/* The array takes its bytes from the literal when code is generated. */
const struct type *chk_pton(struct sema *s, struct expr *e)
{
	const struct expr *text = e->call.args[0];
	bool is_6 = strchr(text->string.text, ':');
	uint8_t bytes[IP6_BYTES];

	if (inet_pton(is_6 ? AF_INET6 : AF_INET, text->string.text, bytes) != 1)
		return sema_error(s, text->span, "bad-ip-address",
				  "'%s' is not an IP address: write 127.0.0.1 or ::1",
				  text->string.text);
	return type_array(s->arena, type_int(1, false), is_6 ? IP6_BYTES : IP4_BYTES);
}

const struct type *chk_macaddr(struct sema *s, struct expr *e)
{
	const struct expr *data = e->call.args[0];
	const struct type *t = data->type;

	if (data->kind == EX_STRING || data->kind == EX_INT)
		return sema_error(s, data->span, "arg-type", "macaddr takes no literal");
	if (is_address(t) || (is_in_memory(t) && t->size >= MAC_BYTES))
		return &type_mac;
	return sema_wrong_arg(s, e, data, "6 bytes or their address", NULL);
}
