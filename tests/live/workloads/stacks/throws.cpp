/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in C++: in destructors while an exception passes, in handlers, below virtual functions,
 * callbacks of algorithms and threads of the C++ library. record.h explains what is printed.
 *
 *	throws [ROUNDS [MS]]
 */
#include "record.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static long wait_ms = 4;

STAYS void k_nanosleep()
{
	struct timespec pause = known_ms(wait_ms);

	AT_SITE(nanosleep(&pause, nullptr));
}

STAYS void k_sleep_for()
{
	AT_SITE(std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms)));
}

STAYS void k_wait_for()
{
	static std::mutex mutex;
	static std::condition_variable never;
	std::unique_lock<std::mutex> held(mutex);

	AT_SITE(never.wait_for(held, std::chrono::milliseconds(wait_ms)));
}

/* ---- exceptions -------------------------------------------------------------------------------- */

struct waits_at_end {
	std::string text;

	explicit waits_at_end(const char *with) : text(with)
	{
	}
	STAYS ~waits_at_end();
};

STAYS void k_in_destructor()
{
	k_nanosleep();
	NOT_LAST();
}

waits_at_end::~waits_at_end()
{
	k_in_destructor();
	NOT_LAST();
}

STAYS int k_throw(int depth)
{
	if (depth == 0)
		throw std::runtime_error("thrown");
	int more = k_throw(depth - 1);

	NOT_LAST();
	return more + depth;
}

/* The destructor runs from this function's landing pad, called by it. */
STAYS int k_cleanup(int depth)
{
	waits_at_end at_end("some text that is too long for the string itself");

	return k_throw(depth) + (int)at_end.text.size();
}

STAYS int k_catch(int depth)
{
	try {
		return k_cleanup(depth);
	} catch (const std::exception &e) {
		expect("handler", "k_sleep_for k_catch main");
		k_sleep_for();
		NOT_LAST();
		return (int)e.what()[0];
	}
}

STAYS int k_rethrow(int depth)
{
	try {
		try {
			return k_throw(depth);
		} catch (...) {
			expect("inner handler", "k_wait_for k_rethrow main");
			k_wait_for();
			NOT_LAST();
			throw;
		}
	} catch (const std::exception &) {
		expect("outer handler", "k_nanosleep k_rethrow main");
		k_nanosleep();
		NOT_LAST();
	}
	return depth;
}

/* ---- calls of many kinds ---------------------------------------------------------------------- */

struct shape {
	virtual ~shape() = default;
	virtual int k_area(int n) = 0;
};

struct square final : shape {
	int side = 3;

	STAYS int k_area(int n) override
	{
		k_wait_for();
		NOT_LAST();
		return side * n;
	}
};

/* Volatile, so that the compiler does not know what is called. */
STAYS int k_virtual(shape *volatile some)
{
	int area = some->k_area(7);

	NOT_LAST();
	return area;
}

STAYS bool k_less(int a, int b)
{
	static thread_local int calls;

	if (calls++ % 100 == 0)
		k_nanosleep();
	NOT_LAST();
	return a < b;
}

STAYS int k_search(const std::vector<int> &numbers)
{
	bool is_there = std::binary_search(numbers.begin(), numbers.end(), 3, k_less);

	NOT_LAST();
	return is_there;
}

STAYS int k_function(const std::function<int(int)> &function)
{
	int result = function(5);

	NOT_LAST();
	return result;
}

namespace far::away
{
template <typename T> STAYS T k_template(T n)
{
	k_sleep_for();
	NOT_LAST();
	return n + 1;
}
} // namespace far::away

STAYS void k_thread(int n)
{
	expect("std::thread", "k_wait_for k_thread");
	for (int i = 0; i < n; i++)
		k_wait_for();
	NOT_LAST();
}

STAYS void k_in_function()
{
	k_nanosleep();
	NOT_LAST();
}

static void all_of_them()
{
	std::unique_ptr<shape> some = std::make_unique<square>();

	expect("destructor, while an exception passes",
	       "k_nanosleep k_in_destructor k_cleanup k_catch main");
	k_catch(5);
	k_rethrow(3);
	expect("virtual function", "k_wait_for k_area k_virtual main");
	k_virtual(some.get());
	expect("std::function", "k_nanosleep k_in_function k_function main");
	k_function([](int n) { return k_in_function(), n; });
	expect("template", "k_sleep_for k_template main");
	far::away::k_template(5L);
	std::thread thread(k_thread, 2);
	thread.join();
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], nullptr, 10) : 5;
	void *warm_up[4];

	wait_ms = argc > 2 ? strtol(argv[2], nullptr, 10) : 4;
	backtrace(warm_up, 4);
	START_SITE("", "main");
	for (long i = 0; i < rounds; i++)
		all_of_them();
	expect("binary_search", "k_nanosleep k_less k_search main");
	k_search(std::vector<int>{1, 2, 3, 5, 8});
	printf("path k_throw*6 k_cleanup k_catch main\npath k_throw*4 k_rethrow main\n");
	print_record();
	return 0;
}
