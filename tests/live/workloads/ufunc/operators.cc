/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ functions whose names are hard to split, each called a known number of times, for
 * tests/live/ufunc-operators.test.
 *
 *   operators N	N times: ns::F's operator()(), and twice operator()(int), both templates of
 *			operator<< once and the function of that name three times, operator<, operator++,
 *			operator+=, operator bool, operator->, operator new, ns::apply's lambda four
 *			times and a function in an unnamed namespace
 */
#include <cstdlib>
#include <new>

#define KEPT __attribute__((noinline, noclone, used))
#define HERE() __asm__ volatile("" ::: "memory")

namespace ns {
struct F {
	int v;

	KEPT int operator()() const { HERE(); return v; }
	KEPT int operator()(int a) { HERE(); return v + a; }
	template <class T> KEPT F &operator<<(T a) { HERE(); v ^= (int)a; return *this; }
	KEPT bool operator<(const F &o) const { HERE(); return v < o.v; }
	KEPT F &operator++() { HERE(); v++; return *this; }
	KEPT F &operator+=(int a) { HERE(); v += a; return *this; }
	KEPT operator bool() const { HERE(); return v; }
	KEPT F *operator->() { HERE(); return this; }
	static KEPT void *operator new(size_t n) { HERE(); return malloc(n); }
	static KEPT void operator delete(void *p) { HERE(); free(p); }
};

KEPT F &operator<<(F &f, const char *s) { HERE(); f.v += *s; return f; }

template <class T> KEPT int call(const T &t, int a) { HERE(); return t(a); }

KEPT int apply(int a)
{
	auto add = [a](int b) __attribute__((noinline)) { HERE(); return a + b; };

	return call(add, 1) + call(add, 2);
}

namespace {
KEPT int hidden(int a) { HERE(); return a; }
}
} /* namespace ns */

static int once(int i)
{
	ns::F f = {i}, *made = new ns::F{i};
	int sum = f() + f(1) + f(2);

	f << 1.5 << 1;
	for (int j = 0; j < 3; j++)
		ns::operator<<(f, "a");
	sum += f < *made;
	++f;
	f += 1;
	sum += f ? f->v : 0;
	delete made;
	return sum + ns::apply(i) + ns::apply(i) + ns::hidden(i);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, sum = 0;

	for (int i = 0; i < n; i++)
		sum += once(i);
	return sum == -1;
}
