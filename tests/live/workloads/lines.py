# lines.py: sleeps in two lines of nap(), in this process and in two children. Prints for how long, in all.
import os
import time


def nap(n):
    for _ in range(n):
        time.sleep(0.02)
        time.sleep(0.02)


children = []
for _ in range(2):
    children.append(os.fork())
    if not children[-1]:
        nap(2)
        os._exit(0)
nap(2)
for child in children:
    os.waitpid(child, 0)
print(f"slept {12 * 20} ms")
