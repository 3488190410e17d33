/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings and containers of C++, passed and returned once with known values. Usage: holders
 */
#include <string>
#include <string_view>
#include <vector>

#define PROBED __attribute__((noipa))

struct person {
	std::string name;
	int age;
	std::vector<int> marks;
};

volatile long sink;

PROBED void meets(const person &who, const std::string *text, std::string_view view,
		  const std::vector<double> &list, std::string copy)
{
	sink = sink + who.age + (long)(text->size() + view.size() + list.size() + copy.size());
}

PROBED std::string greets(int n)
{
	return std::string(n, 'h') + "i";
}

int main()
{
	person who{"Ann", 30, {1, 2, 3}};
	std::string text = "a text that is too long for the buffer inside";
	std::vector<double> list{1.5, 2.5};

	meets(who, &text, "view", list, "copy");
	sink = sink + (long)greets(3).size();
	return 0;
}
