/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inlined methods of compiled code of Java, which this program has in its own memory: read in both
 * encodings, refused if something is not what it should be, and read without harm if it has random
 * words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/unwind_hotspot.h"
#include "runtime/events/java.h"

struct symbol {
	uint16_t unused[2], length;
	char body[250];
};

struct class
{
	const struct symbol *name;
	struct pool *constants;
};

struct pool {
	struct class *holder;
	const struct symbol *entries[4];
};

struct const_method {
	struct pool *constants;
	uint16_t unused[3], name;
};

struct method {
	struct const_method *constant;
};

struct code_place {
	int32_t pc, scope;
};

static struct {
	uint64_t length, used;
	uint8_t blob[16];
	uint64_t pointers[4]; /* to the code, and to what is below */
	uint32_t add[2];
	struct method *method;
	uint32_t compile_id;
	uint8_t rest[HOTSPOT_BLOCK];
} block;

static const struct symbol names[] = {
	{.length = 4, .body = "main"},	   {.length = 4, .body = "sell"},
	{.length = 3, .body = "nap"},	   {.length = 9, .body = "shop/Shop"},
	{.length = 200, .body = "long/X"},
};
static struct class class;
static struct pool pool;
static struct const_method const_methods[4];
static struct method methods[4];
static struct method *metadata[4];
static uint8_t scopes[1024];
static size_t n_scopes;
static struct code_place places[8];

enum { CODE = 100 }; /* where the instructions begin */

/* JDK 17 and 21 differ in what a byte counts. */
static void put(uint32_t least, uint32_t value)
{
	uint32_t low = 192 - least;

	for (; value >= low; value = (value - low) >> 6)
		scopes[n_scopes++] = (uint8_t)(low + ((value - low) & 63) + least);
	scopes[n_scopes++] = (uint8_t)(value + least);
}

static uint32_t put_scope(uint32_t least, uint32_t caller, uint32_t method)
{
	uint32_t at = (uint32_t)n_scopes;

	put(least, caller);
	put(least, method);
	put(least, 7); /* the bytecode */
	put(least, 300);
	return at;
}

static struct sonde_code_event event;

static void set_up(uint32_t least)
{
	uint32_t outer, middle, inner;
	struct unwind_hotspot o = {
		.used = 8,
		.method = offsetof(typeof(block), method),
		.compile_id = offsetof(typeof(block), compile_id),
		.constants = offsetof(struct const_method, constants),
		.name_index = offsetof(struct const_method, name),
		.pool_bytes = offsetof(struct pool, entries),
		.class_constants = offsetof(struct class, constants),
		.symbol_length = offsetof(struct symbol, length),
		.symbol_body = offsetof(struct symbol, body),
		.blob = 16,
		.place_bytes = sizeof(struct code_place),
		.place_scope = offsetof(struct code_place, scope),
	};

	for (uint16_t i = 0; i < HOTSPOT_PARTS; i++)
		o.parts[i].pointer = (uint16_t)offsetof(typeof(block), pointers);
	o.parts[HOTSPOT_METADATA].pointer += 8;
	o.parts[HOTSPOT_SCOPES].pointer += 16;
	o.parts[HOTSPOT_SCOPES_END].pointer += 16;
	o.parts[HOTSPOT_SCOPES_END].add = (uint16_t)offsetof(typeof(block), add);
	o.parts[HOTSPOT_PLACES].pointer += 24;
	o.parts[HOTSPOT_PLACES_END].pointer += 24;
	o.parts[HOTSPOT_PLACES_END].add = (uint16_t)(offsetof(typeof(block), add) + 4);
	class = (struct class){&names[3], &pool};
	pool = (struct pool){&class, {&names[0], &names[1], &names[2], &names[4]}};
	for (uint16_t i = 0; i < 4; i++) {
		const_methods[i] = (struct const_method){.constants = &pool, .name = i};
		methods[i].constant = &const_methods[i];
		metadata[i] = &methods[i];
	}
	n_scopes = 0;
	put(least, 250); /* what is before the first scope */
	outer = put_scope(least, 0, 1);
	middle = put_scope(least, outer, 2);
	inner = put_scope(least, middle, 3);
	memcpy(places,
	       ((struct code_place[]){{-1, 0},
				      {10, (int32_t)outer},
				      {20, (int32_t)inner},
				      {30, (int32_t)put_scope(least, middle, 3)},
				      {40, (int32_t)middle},
				      {50, (int32_t)put_scope(least, middle, 4)},
				      {INT32_MAX, 0},
				      {0}}),
	       sizeof(places));
	memset(&block, 0, sizeof(block));
	block.used = 1;
	block.method = &methods[0];
	block.compile_id = 77;
	block.pointers[0] = (uint64_t)&block + CODE;
	block.pointers[1] = (uint64_t)metadata;
	block.pointers[2] = (uint64_t)scopes;
	block.pointers[3] = (uint64_t)places;
	block.add[0] = (uint32_t)n_scopes;
	block.add[1] = 7 * sizeof(places[0]);
	event = (struct sonde_code_event){
		.tgid = (uint32_t)getpid(),
		.at = (uint64_t)&methods[0],
		.lines_at = (uint64_t)&block,
		.line = 77,
	};
	memcpy(event.lines, &o, sizeof(o));
}

static void check(const struct java_code *c, uint32_t at, const char *want)
{
	const char *found[JAVA_DEEP];
	uint32_t numbers[JAVA_DEEP];
	uint32_t n = java_code_inlined(c, at, found, numbers);
	char text[512] = "";

	for (uint32_t i = 0; i < n; i++) {
		strcat(text, i ? " " : "");
		strncat(text, found[i] ?: "?", 160);
	}
	assert_string_equal(text, want);
}

static void inlined_methods_are_found(void **state)
{
	for (uint32_t least = 0; least < 2; least++) {
		struct java_code *c;

		set_up(least);
		c = java_code_read(&event);
		assert_non_null(c);
		check(c, CODE + 10, "");
		check(c, CODE + 20, "shop.Shop.nap shop.Shop.sell");
		check(c, CODE + 40, "shop.Shop.sell");
		/* between two places: what both are in */
		check(c, CODE + 5, "");
		check(c, CODE + 15, "");
		check(c, CODE + 25, "shop.Shop.nap shop.Shop.sell");
		check(c, CODE + 35, "shop.Shop.sell");
		check(c, CODE + 45, "shop.Shop.sell");
		check(c, CODE + 60, "");
		check(c, SONDE_RUN_AT_NONE, "");
		check(c, 0, "");
		assert_in_range(java_code_bytes(c), 100, 2000);
		java_code_free(c);
	}
}

static void assert_refused(void)
{
	struct java_code *c = java_code_read(&event);

	assert_null(c);
}

static void other_code_is_refused(void **state)
{
	set_up(1);
	block.compile_id++;
	assert_refused();
	set_up(1);
	block.used = 0;
	assert_refused();
	set_up(1);
	block.method = &methods[1];
	assert_refused();
	set_up(1);
	metadata[0] = &methods[1]; /* the outermost scope is another method's */
	assert_refused();
	set_up(1);
	places[3].pc = 5; /* not in order */
	assert_refused();
	set_up(1);
	places[3].scope = 255;
	assert_refused();
	set_up(0);
	scopes[places[2].scope] = 100; /* the caller's scope is not before it */
	assert_refused();
	set_up(1);
	scopes[places[1].scope + 2] = 0; /* in neither encoding */
	assert_refused();
	set_up(1);
	event.lines_at = 0; /* interpreted */
	assert_refused();
}

static void names_that_cannot_be_read_are_not_guessed(void **state)
{
	struct java_code *c;

	set_up(1);
	const_methods[2].constants = NULL;
	c = java_code_read(&event);
	assert_non_null(c);
	check(c, CODE + 20, "? shop.Shop.sell");
	java_code_free(c);
}

/* 100 methods, each inlined into the one before: their place has the outer method only, and other
 * places keep theirs. */
static void chains_that_are_too_long_are_left_out(void **state)
{
	struct java_code *c;
	uint32_t at = 0;

	set_up(1);
	n_scopes = 0;
	put(1, 250);
	for (uint32_t i = 0; i < 100; i++) {
		at = put_scope(1, at, i ? 2 : 1);
		if (i == 1)
			places[1].scope = places[2].scope = (int32_t)at;
	}
	places[3].scope = places[4].scope = (int32_t)at;
	places[5].scope = 0;
	block.add[0] = (uint32_t)n_scopes;
	c = java_code_read(&event);
	assert_non_null(c);
	check(c, CODE + 15, "shop.Shop.sell");
	check(c, CODE + 30, "");
	check(c, CODE + 25, "");
	java_code_free(c);
}

/* Between two calls of one method that is inlined at both, the code is the caller's. */
static void two_calls_of_one_method_are_two(void **state)
{
	struct java_code *c;

	for (uint16_t name = 1; name < 5; name += 3) {
		set_up(1);
		pool.entries[3] = NULL;
		const_methods[1].name = name == 1 ? 1 : 3; /* there is none */
		n_scopes = 0;
		put(1, 250);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t outer = (uint32_t)n_scopes;

			put(1, 0);
			put(1, 1);
			put(1, 10 + i); /* the bytecode of the call */
			places[1 + i].scope = (int32_t)put_scope(1, outer, 2);
		}
		for (uint32_t i = 3; i < 6; i++)
			places[i].scope = 0;
		block.add[0] = (uint32_t)n_scopes;
		c = java_code_read(&event);
		assert_non_null(c);
		check(c, CODE + 10, name == 1 ? "shop.Shop.sell" : "?");
		check(c, CODE + 15, "");
		check(c, CODE + 20, name == 1 ? "shop.Shop.sell" : "?");
		java_code_free(c);
	}
}

static void random_words_do_no_harm(void **state)
{
	static const uint64_t words[] = {0, 1, 8, 255, 4096, 1ull << 40, ~0ull};
	uint32_t n_read = 0;

	srand(7);
	for (uint32_t i = 0; i < 20000; i++) {
		struct {
			void *at;
			size_t n;
		} parts[] = {{&block, sizeof(block)},
			     {scopes, sizeof(scopes)},
			     {places, sizeof(places)},
			     {metadata, sizeof(metadata)},
			     {const_methods, sizeof(const_methods)},
			     {&pool, sizeof(pool)}};
		uint32_t part = (uint32_t)rand() % 6, step = part == 1 ? 1 : 8;
		size_t at = (size_t)rand() % (parts[part].n / step) * step;
		struct java_code *c;
		const char *found[JAVA_DEEP];
		uint32_t numbers[JAVA_DEEP];

		set_up((uint32_t)rand() & 1);
		memcpy((char *)parts[part].at + at, &words[rand() % 7], step);
		c = java_code_read(&event);
		n_read += c != NULL;
		for (uint32_t k = 0; c && k < 60; k++)
			assert_in_range(java_code_inlined(c, CODE + k, found, numbers), 0,
					JAVA_DEEP - 1);
		java_code_free(c);
	}
	assert_in_range(n_read, 1, 19999);
}

static void names_of_classes(void **state)
{
	static const char *const texts[][3] = {
		{"java/lang/Thread", "sleep", "java.lang.Thread.sleep"},
		{"a/B$$Lambda+0x00007f01", "get", "a.B$$Lambda/0x00007f01.get"},
		{"a/B+C", "get", "a.B+C.get"},
		{"a/0x+0xyz", "get", "a.0x+0xyz.get"},
		{"a/B+0x", "get", "a.B+0x.get"},
		{"a/B+0x1+0x2", "get", "a.B+0x1/0x2.get"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sonde_code_event ev = {
			.file = {.n = (uint32_t)strlen(texts[i][0]), .bytes = 1},
			.name = {.n = (uint32_t)strlen(texts[i][1]), .bytes = 1},
		};
		char *name;

		memcpy(ev.file_bytes, texts[i][0], ev.file.n);
		memcpy(ev.name_bytes, texts[i][1], ev.name.n);
		name = java_name(&ev);
		assert_string_equal(name, texts[i][2]);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_methods_are_found),
		cmocka_unit_test(other_code_is_refused),
		cmocka_unit_test(names_that_cannot_be_read_are_not_guessed),
		cmocka_unit_test(chains_that_are_too_long_are_left_out),
		cmocka_unit_test(two_calls_of_one_method_are_two),
		cmocka_unit_test(random_words_do_no_harm),
		cmocka_unit_test(names_of_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
