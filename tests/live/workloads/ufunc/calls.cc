/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of C++ with known values: methods, overloads, references, strings, a tail call.
 */
#include <string>
#include <string_view>

#define PROBED __attribute__((noipa))

namespace net
{
struct conn {
	int fd;
	PROBED int send(const std::string &what, std::string_view more)
	{
		return (int)(what.size() + more.size()) + fd;
	}
};
PROBED std::string join(std::string a, int n)
{
	return a + std::to_string(n);
}

PROBED int over(int a)
{
	return a;
}

PROBED int over(const char *a)
{
	return *a;
}

PROBED bool ref(const int &r)
{
	return r > 0;
}

PROBED int jumps(int a)
{
	return over(a + 1);
}

} // namespace net
int main()
{
	net::conn c{3};
	std::string s = "hello";
	int n = c.send(s, "view") + net::over(7) + net::over("p") + net::ref(c.fd) + net::jumps(1);
	return (int)net::join("abc", n).size() == 99;
}
