/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain of calls of C++ functions with long names, three times with an int and twice with a
 * double: main, ns::run<T>, a lambda, ns::box<T>::operator(), ns::operator<<, a function of an
 * anonymous namespace, leaf.
 */
#include <utility>
#include <vector>

#define KEPT __attribute__((noinline, noclone))
#define HERE() __asm__ volatile("" ::: "memory")

extern "C" KEPT void leaf(const void *function)
{
	__asm__ volatile("" ::"r"(function) : "memory");
}

namespace
{
template <class T> KEPT int hidden(const std::vector<T> &v)
{
	leaf((const void *)&hidden<T>);
	HERE();
	return (int)v.size();
}
}

namespace ns
{
template <class T> struct box {
	std::vector<T> values;
	KEPT int operator()(T value) const;
};

template <class T> KEPT int operator<<(const box<T> &b, std::pair<T, int> p)
{
	int n = hidden(b.values) + p.second;

	HERE();
	return n;
}

template <class T> KEPT int box<T>::operator()(T value) const
{
	int n = *this << std::pair<T, int>(value, 1);

	HERE();
	return n;
}

template <class T> KEPT int run(const box<T> &b, T value)
{
	auto call = [&b](T v) __attribute__((noinline))
	{
		int n = b(v);

		HERE();
		return n;
	};
	int n = call(value);

	HERE();
	return n;
}
}

int main()
{
	ns::box<int> i{{1, 2}};
	ns::box<double> d{{3.0}};
	int n = 0;

	for (int k = 0; k < 3; k++)
		n += ns::run(i, 5);
	for (int k = 0; k < 2; k++)
		n += ns::run(d, 5.0);
	return n != 3 * 3 + 2 * 2;
}
