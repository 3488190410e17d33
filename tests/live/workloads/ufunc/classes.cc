/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods, classes by value and by reference, constructors: each called once with known values.
 * Usage: classes
 */
#include "probed.h"

/* Constructors without a copy for each kind of caller. */
#define KEPT __attribute__((noinline))

namespace shop {

volatile long sink;

/* Copied as bytes, in two registers. */
struct price {
	long amount;
	int currency;
	long in_cents() const;
};

/* Not copied: passed by address. */
struct ticket {
	long number;
	explicit ticket(long n);
	ticket(const ticket &other);
	~ticket();
};

struct nothing {
};

enum class size : short { small = -1, large = 9 };

class till {
      public:
	till(int first, int second);
	PROBED long add(const price &what, int count, bool is_paid);
	PROBED static long check(short a, price p, int b, ticket t, nothing, int c, size s);
	PROBED ticket print(int copies);
	PROBED virtual int number(int id, unsigned char kind);
	virtual ~till() = default;
	long sum;
};

struct base {
	base(int id);
	virtual ~base() = default;
	long id;
};
struct inner : virtual base {
	inner(int id, int more);
};

PROBED long price::in_cents() const
{
	return amount;
}

KEPT ticket::ticket(long n) : number(n)
{
}

KEPT ticket::ticket(const ticket &other) : number(other.number)
{
}

KEPT ticket::~ticket()
{
	sink += number;
}

KEPT till::till(int first, int second) : sum(first + second)
{
}

long till::add(const price &what, int count, bool is_paid)
{
	sum += what.amount * count + is_paid;
	return sum;
}

long till::check(short a, price p, int b, ticket t, nothing, int c, size s)
{
	return a + p.amount + b + t.number + c + (long)s;
}

ticket till::print(int copies)
{
	return ticket(copies);
}

int till::number(int id, unsigned char kind)
{
	return id + kind;
}

KEPT base::base(int i) : id(i)
{
}

KEPT inner::inner(int i, int more) : base(i)
{
	sink += more;
}

template <typename T> PROBED T twice(T value, int times)
{
	return value * (T)times;
}

}

int main()
{
	shop::till till(3, 4);
	shop::price p = {20, 978};
	shop::ticket t(77);
	shop::till *volatile any = &till;

	shop::sink += p.in_cents() + till.add(p, -2, true);
	shop::sink += shop::till::check(-5, p, 6, t, {}, 7, shop::size::large);
	shop::sink += till.print(8).number + any->number(-9, 200);
	shop::inner in(10, 11);
	shop::sink += shop::twice<long>(12, 13) + (long)shop::twice<double>(1.5, 14);
	return 0;
}
