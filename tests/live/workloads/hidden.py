# hidden.py: sleeps 2 ms in a function whose name is in memory that cannot be read, then in one where it can be.
import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
PAGE = 4096


def nap():
    time.sleep(0.002)


def seen():
    nap()


unseen = seen.__code__.replace(co_name="x" * 300000, co_qualname="x" * 300001)
page = ctypes.c_void_p(id(unseen.co_qualname) & -PAGE)
namespace = {"nap": nap}
hidden = type(seen)(unseen, namespace)
for protection in (0, 3):
    assert libc.mprotect(page, PAGE, protection) == 0
    hidden()
libc.mprotect(page, PAGE, 3)
seen()
