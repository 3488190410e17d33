"""bpf_maps: the BPF maps of a running tracer, by the bpf() system call and /proc/PID/fdinfo."""

import ctypes
import os
import re
import struct

SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
MAP_GET_NEXT_KEY, MAP_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD = 4, 14, 15
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, layout, *values):
    attr = ctypes.create_string_buffer(struct.pack(layout, *values), 128)
    return libc.syscall(SYS_BPF, command, attr, 128)


def address(buffer):
    return ctypes.addressof(buffer)


class Map:
    def __init__(self, number):
        self.fd = bpf(MAP_GET_FD_BY_ID, "I", number)
        info = ctypes.create_string_buffer(128)
        bpf(OBJ_GET_INFO_BY_FD, "IIQ", self.fd, 128, address(info))
        self.key_size, = struct.unpack_from("I", info.raw, 8)
        self.name = info.raw[24:40].split(b"\0")[0].decode()
        self.most = 0

    def count(self):
        """Entries come and go meanwhile, so keys are counted once."""
        keys, key, following = set(), None, ctypes.create_string_buffer(self.key_size)
        while len(keys) < 1 << 20:
            if bpf(MAP_GET_NEXT_KEY, "IIQQ", self.fd, 0, address(key) if key else 0, address(following)) < 0:
                break
            if following.raw in keys:
                break
            keys.add(following.raw)
            key, following = following, ctypes.create_string_buffer(self.key_size)
        self.most = max(self.most, len(keys))
        return len(keys)


def fdinfo(pid):
    """The texts of /proc/PID/fdinfo."""
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as file:
                yield file.read()
        except OSError:
            pass


def maps_of(pid):
    """The maps of sonde's own that have an entry for each thing that is traced."""
    ids = {int(n) for text in fdinfo(pid) for n in re.findall(r"^map_id:\s+(\d+)", text, re.M)}
    maps = [Map(n) for n in sorted(ids)]
    return [m for m in maps if m.name in ("sonde_stacks", "sonde_unwind_sp", "sonde_unwind_fi")]


def map_bytes(pid):
    """What the kernel counts for all maps that the process holds open."""
    sizes = {}
    for text in fdinfo(pid):
        number, size = re.search(r"^map_id:\s+(\d+)", text, re.M), re.search(r"^memlock:\s+(\d+)", text, re.M)
        if number and size:
            sizes[number[1]] = int(size[1])
    return sum(sizes.values())


def memory(pid):
    """Resident KiB, and those of them that are not of files."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        text = file.read()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]), int(re.search(r"RssAnon:\s+(\d+)", text)[1])
