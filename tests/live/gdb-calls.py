# SPDX-License-Identifier: Apache-2.0
"""What gdb says of the calls of a program's functions, in the form of sonde's `call`, in the order of their returns:
gdb -q -batch -x gdb-calls.py PROGRAM. $FUNCTIONS: their names. Strings are cut as sonde cuts them."""
import os

import gdb

gdb.execute("set confirm off")
gdb.execute("set print object off")
TEXT = 30


def quoted(text, length):
    shown = text[:TEXT].replace('"', '\\"').replace("\n", "\\n")
    return '"%s"%s' % (shown, "..." if length > TEXT else "")


def shown(value):
    kind = value.type.strip_typedefs()
    target = kind.target().strip_typedefs() if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF) else None
    if kind.code == gdb.TYPE_CODE_REF and "string" in str(target):
        return shown(value.referenced_value())
    if kind.code == gdb.TYPE_CODE_REF:
        return hex(int(value.address))
    if target is not None and target.unqualified().sizeof == 1 and target.code == gdb.TYPE_CODE_INT and int(value):
        text = value.string("latin-1")
        return quoted(text, len(text))
    if target is not None:
        return hex(int(value))
    name = str(kind.unqualified())
    if "basic_string_view<" in name:
        return quoted(value["_M_str"].string("latin-1", length=int(value["_M_len"])), int(value["_M_len"]))
    if "basic_string<" in name:
        size = int(value["_M_string_length"])
        return quoted(value["_M_dataplus"]["_M_p"].string("latin-1", length=size), size)
    if kind.code == gdb.TYPE_CODE_STRUCT:
        if kind.sizeof > 16:
            return "{...}"
        return "{ %s }" % ", ".join(".%s = %s" % (f.name, shown(value[f])) for f in kind.fields())
    if kind.code == gdb.TYPE_CODE_ENUM:
        return str(value)
    if kind.code == gdb.TYPE_CODE_BOOL:
        return str(bool(value)).lower()
    if kind.code == gdb.TYPE_CODE_FLT:
        return "?"
    return "'%c'" % int(value) if name == "char" else str(int(value))


class End(gdb.FinishBreakpoint):
    def __init__(self, frame, call):
        super().__init__(frame, internal=True)
        self.silent = True
        self.call = call

    def stop(self):
        value = self.return_value
        print("CALL", self.call + ("" if value is None else " = " + shown(value)))
        return False


class Begin(gdb.Breakpoint):
    def __init__(self, function):
        super().__init__(function)
        self.silent = True

    def stop(self):
        frame = gdb.newest_frame()
        function = frame.function()
        args = [shown(frame.read_var(s)) for s in frame.block() if s.is_argument]
        End(frame, "%s(%s)" % (function.name.split("(")[0], ", ".join(args)))
        return False


for name in os.environ["FUNCTIONS"].split(","):
    Begin(name)
gdb.execute("run")
