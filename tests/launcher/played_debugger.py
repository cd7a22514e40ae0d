# SPDX-License-Identifier: BSD-3-Clause
"""Plays the debugger of libbowline_dbg.so: its declarations of the interface (Cownie, Gropp 1999) are its own."""
import ctypes
import os
import re
import subprocess

OK, END_OF_LIST, FIRST_OWN = 0, 2, 100
SENDS, RECEIVES, UNEXPECTED = range(3)
PENDING, MATCHED = range(2)

POINTER, INT, ADDRESS, WORD = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong, ctypes.c_long


class Communicator(ctypes.Structure):
    _fields_ = [("unique_id", ADDRESS), ("local_rank", WORD), ("size", WORD), ("name", ctypes.c_char * 64)]


class Operation(ctypes.Structure):
    _fields_ = [("status", INT), ("desired_local_rank", WORD), ("desired_global_rank", WORD), ("tag_wild", INT),
                ("desired_tag", WORD), ("desired_length", WORD), ("system_buffer", INT), ("buffer", ADDRESS),
                ("actual_local_rank", WORD), ("actual_global_rank", WORD), ("actual_tag", WORD),
                ("actual_length", WORD), ("extra_text", (ctypes.c_char * 64) * 5)]

    def lines(self):
        return [line for text in self.extra_text if (line := text.value.decode())]


class Sizes(ctypes.Structure):
    _fields_ = [(kind, INT) for kind in ("short", "int", "long", "long_long", "pointer", "bool", "size_t")]


def table(*functions):
    """A table of callbacks: pairs of a type and a function; None where the library must not call."""
    fields = [(f"f{i}", kind) for i, (kind, _) in enumerate(functions)]
    kind = type("Table", (ctypes.Structure,), {"_fields_": fields})
    return kind(*(make(function) if function else make() for make, function in functions))


class Debugger:
    """Shows one process, which may be stopped. Images and processes are numbers of the debugger."""
    IMAGE, PROCESS = 4711, 4712

    def __init__(self, library, process):
        self.library, self.process = ctypes.CDLL(library), process
        self.library.mqs_dll_error_string.restype = ctypes.c_char_p
        self.infos = {}
        f = ctypes.CFUNCTYPE
        put, get, unused = f(None, POINTER, POINTER), f(POINTER, POINTER), f(INT)
        self.basic = table((unused, None), (unused, None), (unused, None), (unused, None),
                           (put, self.infos.__setitem__), (get, self.infos.get),
                           (put, self.infos.__setitem__), (get, self.infos.get))
        self.image = table((f(None, POINTER, ctypes.POINTER(Sizes)), self.sizes), (unused, None),
                           (f(INT, POINTER, ctypes.c_char_p, ctypes.POINTER(ADDRESS)), self.symbol),
                           (unused, None), (unused, None), (unused, None))
        self.callbacks = table((unused, None), (f(POINTER, POINTER), lambda process: self.IMAGE),
                               (f(INT, POINTER, ADDRESS, INT, POINTER), self.fetch),
                               (f(None, POINTER, POINTER, POINTER, INT),
                                lambda process, there, here, size: ctypes.memmove(here, there, size)))
        self.memory = os.open(f"/proc/{process}/mem", os.O_RDONLY)
        self.library.mqs_setup_basic_callbacks(ctypes.byref(self.basic))
        self.call("mqs_setup_image", POINTER(self.IMAGE), ctypes.byref(self.image))
        self.call("mqs_setup_process", self.id(), ctypes.byref(self.callbacks))

    def close(self):
        self.library.mqs_destroy_process_info(POINTER(self.infos.pop(self.PROCESS)))
        self.library.mqs_destroy_image_info(POINTER(self.infos.pop(self.IMAGE)))
        os.close(self.memory)

    def id(self):
        return POINTER(self.PROCESS)

    def call(self, name, *arguments, end=False):
        """Whether there is something; `end`: whether the list may be at its end."""
        result = getattr(self.library, name)(*arguments)
        if result == OK or end and result == END_OF_LIST:
            return result == OK
        raise RuntimeError(f"{name}: {self.library.mqs_dll_error_string(result).decode()}")

    @staticmethod
    def sizes(_, sizes):
        for i, (kind, _) in enumerate(Sizes._fields_):
            setattr(sizes.contents, kind, (2, 4, 8, 8, 8, 1, 8)[i])

    def symbol(self, _, name, address):
        found = symbol_of(self.process, name.decode())
        if found:
            address[0] = found
        return OK if found else FIRST_OWN

    def fetch(self, _, address, count, into):
        try:
            data = os.pread(self.memory, count, address)
        except OSError:
            return FIRST_OWN
        if len(data) == count:
            ctypes.memmove(into, data, count)
        return OK if len(data) == count else FIRST_OWN

    def complaint(self):
        """What the library says of a process that it refuses."""
        message = ctypes.c_char_p()
        result = self.library.mqs_process_has_queues(self.id(), ctypes.byref(message))
        return "" if result == OK else message.value.decode()

    def communicators(self):
        """Yields each with its members; operations() tells those of the last one."""
        self.call("mqs_update_communicator_list", self.id())
        there = self.call("mqs_setup_communicator_iterator", self.id(), end=True)
        while there:
            communicator = Communicator()
            self.call("mqs_get_communicator", self.id(), ctypes.byref(communicator))
            members = (INT * communicator.size)()
            self.call("mqs_get_comm_group", self.id(), members)
            yield communicator, list(members)
            there = self.call("mqs_next_communicator", self.id(), end=True)

    def operations(self, kind):
        self.call("mqs_setup_operation_iterator", self.id(), kind)
        operation = Operation()
        while self.call("mqs_next_operation", self.id(), ctypes.byref(operation), end=True):
            yield operation
            operation = Operation()


def symbol_of(process, name):
    """The address of an exported variable in a library of the process; 0 if there is none."""
    with open(f"/proc/{process}/maps", encoding="utf-8") as maps:
        first = {}
        for line in maps:
            words = line.split(None, 5)
            if len(words) == 6 and (path := words[5].strip()).startswith("/"):
                first.setdefault(path, int(words[0].partition("-")[0], 16))
    for path, begin in first.items():
        if "libmpi_abi" not in path:
            continue
        symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", path], capture_output=True, text=True, check=True)
        if found := re.search(rf":\s+([0-9a-f]+)\s.*\s{name}(@|$)", symbols.stdout, re.MULTILINE):
            return begin + int(found[1], 16)
    return 0
