/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of the standard library and others by value, between ints that are -1, -2, -3. Some are
 * copied into registers or to the stack; others are passed by address. Usage: by_value
 */
#include <array>
#include <chrono>
#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#define PROBED __attribute__((noinline))

volatile long sink;

struct defaulted {
	int a;
	defaulted() = default;
	defaulted(const defaulted &) = default;
	~defaulted() = default;
};

struct defaulted_later {
	int a;
	defaulted_later();
	defaulted_later(const defaulted_later &);
};
defaulted_later::defaulted_later() : a(1)
{
}
defaulted_later::defaulted_later(const defaulted_later &) = default;

struct with_table {
	long x = 0;
	virtual int f()
	{
		return 1;
	}
};

struct base {
	int x;
};
struct derived : base {
	int y;
};

struct only_moved {
	int a;
	explicit only_moved(int x) : a(x)
	{
	}
	only_moved(const only_moved &) = delete;
	only_moved(only_moved &&) = default;
};

struct with_text {
	int number;
	std::string text;
};

/* Its constructor is not a copy constructor, whatever it takes. */
template <typename T> struct from_any {
	T v;
	template <typename U> from_any(const U &u) : v(u)
	{
	}
};

/* An assignment operator does not matter. */
struct assigned {
	long v;
	explicit assigned(long x) : v(x)
	{
	}
	assigned(const assigned &) = default;
	assigned &operator=(const assigned &o)
	{
		v = o.v;
		return *this;
	}
};

PROBED void texts(std::string s, int a, std::vector<int> v, int b, std::unique_ptr<int> p, int c)
{
	sink += (long)s.size() + a + (long)v.size() + b + *p + c;
}

PROBED void pointers(std::shared_ptr<int> s, int a, std::optional<int> o, int b, std::string_view v, int c)
{
	sink += *s + a + *o + b + (long)v.size() + c;
}

PROBED void containers(std::function<int()> f, int a, std::map<int, int> m, int b, std::tuple<int, long> t,
		       int c)
{
	sink += f() + a + (long)m.size() + b + std::get<0>(t) + c;
}

PROBED void values(std::variant<int, float> v, int a, std::array<char, 3> r, int b,
		   std::complex<double> z, int c)
{
	sink += (long)v.index() + a + r[0] + b + (long)z.real() + c;
}

PROBED void pairs(std::chrono::nanoseconds n, int a, std::pair<int, int> p, int b,
		  std::pair<int, std::string> q, int c)
{
	sink += n.count() + a + p.first + b + q.first + c;
}

PROBED void copied(defaulted d, int a, defaulted_later l, int b, with_table t, int c)
{
	sink += d.a + a + l.a + b + t.f() + c;
}

PROBED void moved(derived d, int a, only_moved m, int b, with_text t, int c)
{
	sink += d.y + a + m.a + b + t.number + c;
}

PROBED void made(from_any<int> f, int a, assigned v, int b, std::optional<std::string> o, int c)
{
	sink += f.v + a + v.v + b + (long)o->size() + c;
}

PROBED std::unique_ptr<int> returns_address(int a, int b)
{
	return std::make_unique<int>(a + b);
}

PROBED std::pair<int, int> returns_words(int a, int b)
{
	return {a, b};
}

int main()
{
	texts("x", -1, {1, 2}, -2, std::make_unique<int>(3), -3);
	pointers(std::make_shared<int>(1), -1, 2, -2, "abc", -3);
	containers([] { return 1; }, -1, {}, -2, {1, 2}, -3);
	values(1, -1, {'a'}, -2, {1.0, 2.0}, -3);
	pairs(std::chrono::nanoseconds(5), -1, {1, 2}, -2, {1, "x"}, -3);
	copied(defaulted(), -1, defaulted_later(), -2, with_table(), -3);
	moved(derived{{1}, 2}, -1, only_moved(1), -2, with_text{1, "x"}, -3);
	made(from_any<int>(1), -1, assigned(2), -2, "s", -3);
	sink += *returns_address(-1, -2) + returns_words(-1, -2).first;
	return 0;
}
