# short.py: 40 children that live less than 10 ms: each calls born() and sleeps 1 ms. Then the process executes this program
# again, which sleeps 1 ms in again().
import os
import sys
import time


def born(n):
    time.sleep(0.001)


def again():
    time.sleep(0.001)


if len(sys.argv) > 1:
    again()
else:
    for i in range(40):
        if not (child := os.fork()):
            born(i)
            os._exit(0)
        os.waitpid(child, 0)
    os.execv(sys.executable, [sys.executable, __file__, "again"])
