/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ functions with known numbers of calls, for tests/live/ufunc.test.
 *
 *   names N [MS]	waits MS milliseconds or until SIGUSR1, then N times: ns::f(i), ns::f(i, i) twice, ns::f of a
 *			string three times, ns::twice of an int and of a double, ns::box::get();
 *			and every second time throws through ns::middle(); prints at the end how many
 *			were caught
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

#define KEPT __attribute__((noinline, noclone))
#define HERE() __asm__ volatile("" ::: "memory")

namespace ns {
KEPT int f(int a)
{
	HERE();
	return a + 1;
}

KEPT int f(int a, int b)
{
	HERE();
	return a + b;
}

KEPT int f(const std::string &s)
{
	HERE();
	return (int)s.size();
}

template <class T> KEPT T twice(T a)
{
	HERE();
	return a + a;
}

struct box {
	int v;
	KEPT int get() const
	{
		HERE();
		return v;
	}
};

KEPT int inner(int i)
{
	if (i % 2)
		throw std::runtime_error("odd");
	return i;
}

KEPT int middle(int i)
{
	int r = inner(i);

	HERE();
	return r + 1;
}
} /* namespace ns */

static void wake(int)
{
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, ms = argc > 2 ? atoi(argv[2]) : 0, caught = 0;
	struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
	std::string three("abc");
	ns::box box = {3};

	signal(SIGUSR1, wake);
	nanosleep(&pause, NULL);
	for (int i = 0; i < n; i++) {
		ns::f(i);
		for (int j = 0; j < 2; j++)
			ns::f(i, i);
		for (int j = 0; j < 3; j++)
			ns::f(three);
		ns::twice(i);
		ns::twice(1.5);
		box.get();
		try {
			ns::middle(i);
		} catch (const std::exception &) {
			caught++;
		}
	}
	printf("caught %d\n", caught);
	return 0;
}
