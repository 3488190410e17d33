# busy.py: computes for a second in many ways: C that calls Python, exceptions, generators, functions that are made and freed.
import json
import time


def keyed(x):
    return -x


def raises(n):
    try:
        return raises(n - 1) if n else 1 // 0
    except ZeroDivisionError:
        return n


def numbers(n):
    for i in range(n):
        yield i


def made(n):
    names = {}
    exec(f"def made_{n}():\n    return sum(range(200))", names)
    return names[f"made_{n}"]()


def work(n):
    sorted(range(50), key=keyed), raises(5), sum(numbers(50)), json.loads(json.dumps({"a": list(range(20))})), made(n)


def main():
    end, n = time.process_time() + 1, 0
    while time.process_time() < end:
        work(n)
        n += 1


main()
