# noted.py FILE: calls functions of Python in many ways, and notes its own stack before each sleep. Writes FILE, the stacks with
# their numbers as JSON: [["inner (noted.py:9)", …], count]…
import asyncio
import ctypes
import functools
import json
import os
import select
import sys
import threading
import time
from collections import Counter

noted = Counter()


def note(f):
    stack = []
    while f:
        name = getattr(f.f_code, "co_qualname", f.f_code.co_name)  # before 3.11, code has a short name only
        stack.append(f"{name} ({os.path.basename(f.f_code.co_filename)}:{f.f_lineno})")
        f = f.f_back
    noted[tuple(stack)] += 1


def nap():
    note(sys._getframe()); time.sleep(0.002)


class Shop:
    def __init__(self):
        nap()

    def sell(self, n):
        for _ in range(n):
            nap()

    @property
    def price(self):
        nap()
        return 1

    @staticmethod
    def close():
        nap()

    def __getattr__(self, name):
        nap()
        return name

    def __enter__(self):
        nap()
        return self

    def __exit__(self, *what):
        nap()


def numbers(n):
    for i in range(n):
        nap()
        yield i


def deeper(n):
    if n:
        return deeper(n - 1)
    return nap()


def caught():
    try:
        nap()
        raise ValueError
    except ValueError:
        nap()
    finally:
        nap()


def by_c(_):
    nap()
    return 0


async def task(n):
    for _ in range(n):
        nap()
        await asyncio.sleep(0)


async def tasks():
    await asyncio.gather(task(2), task(3))


def catching():
    try:
        yield 1
    except ValueError:
        nap()
        yield 2


def delegating(n):
    yield from delegating(n - 1) if n else catching()


def thrown():
    """generators between the caller and the one that runs have no C frame while an exception is thrown into it"""
    g = delegating(3)
    next(g)
    g.throw(ValueError)


def ünïcode():
    nap()


def thread():
    for _ in range(5):
        nap()


def made():
    """functions that are made and freed: each has a name of its own"""
    for i in range(60):
        names = {"nap": nap}
        exec(compile(f"def made_{i}():\n    nap()\nmade_{i}()", f"made{i}.py", "exec"), names)


def main():
    select.poll().poll(500)  # the tracer reads what was mapped
    for _ in range(3):
        nap()
    shop = Shop()
    shop.sell(4)
    shop.price, shop.close(), shop.missing
    with shop:
        nap()
    list(numbers(3))
    [nap() for _ in range(3)]
    {i: nap() for i in range(2)}
    list(map(lambda _: nap(), range(3)))
    sorted([3, 1, 2], key=by_c)
    functools.partial(by_c, 1)()
    for n in (1, 10, 15 if "perf" in sys._xoptions or sys.version_info < (3, 9) else 50):  # C frames are many
        deeper(n)
    caught()
    if sys.version_info >= (3, 10) and sys.version_info[:2] != (3, 11):  # older ones lose the caller themselves
        thrown()
    ünïcode()
    ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(by_c)(1)
    asyncio.run(tasks())
    made()
    threads = [threading.Thread(target=thread) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


main()
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump([[stack, n] for stack, n in noted.items()], file)
