# nested.py: sleeps 20 ms five times in inner(), which middle() calls, which outer() calls by way of C (map).
import time


def inner():
    time.sleep(0.02)


def middle(_):
    inner()


def outer():
    list(map(middle, range(5)))


outer()
