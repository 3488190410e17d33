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
        stack.append(f"{f.f_code.co_qualname} ({os.path.basename(f.f_code.co_filename)}:{f.f_lineno})")
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
    select.select([], [], [], 0.5)  # the tracer reads what was mapped
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
    for n in (1, 10, 15 if "perf" in sys._xoptions else 50):  # C frames of trampolines are many
        deeper(n)
    caught()
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
