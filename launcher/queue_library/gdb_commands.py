# SPDX-License-Identifier: BSD-3-Clause
"""Commands for gdb: bowline queues, bowline comms and bowline requests, for a process and for a core file.

gdb runs this file by itself when it loads Bowline's library, if its auto-load safe-path has the library's folder; by
hand: source .../lib/bowline/gdb_commands.py. libbowline_dbg.so, in the same folder, understands the process's memory.
"""
import ctypes
import os

import gdb

LIBRARY = os.path.join(os.path.dirname(os.path.realpath(__file__)), "libbowline_dbg.so")
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)


@READ
def read(address, count, into):
    """Copies memory of the process; returns whether that was possible."""
    try:
        data = gdb.selected_inferior().read_memory(address, count)
    except (gdb.error, MemoryError, OverflowError):
        return 0
    ctypes.memmove(into, bytes(data), count)
    return 1


def record():
    """The address of the record of queues, which the library exports; 0 if no library of the process has one."""
    language = gdb.parameter("language")
    gdb.execute("set language c", to_string=True)  # an address is written in another way in Fortran
    try:
        return int(gdb.parse_and_eval("(unsigned long) &bowline_queue_record"))
    except gdb.error:
        return 0
    finally:
        gdb.execute(f"set language {language}", to_string=True)


def page(what):
    """What the library says about the selected process. Raises gdb.GdbError with a sentence."""
    process = gdb.selected_inferior().pid
    if process == 0:
        raise gdb.GdbError("there is no process: run the program, attach to a rank, or give gdb the program and its "
                           "core file")
    thread = gdb.selected_thread()
    if thread is not None and thread.is_running():
        raise gdb.GdbError(f"process {process} is running: interrupt it before")
    try:
        tell = ctypes.CDLL(LIBRARY).bowline_queue_page_1
    except (OSError, AttributeError) as error:
        raise gdb.GdbError(f"the library that reads message queues cannot be loaded: {error}") from error
    tell.restype = ctypes.c_char_p
    tell.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int64, READ, ctypes.POINTER(ctypes.c_int)]
    status = ctypes.c_int(1)
    text = tell(what.encode(), record(), process, read, ctypes.byref(status)).decode(errors="replace")
    if status.value != 0:
        raise gdb.GdbError(text)
    return text


class Bowline(gdb.Command):
    """Message queues, communicators and requests of an MPI rank."""

    def __init__(self):
        super().__init__("bowline", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class Page(gdb.Command):
    """A command that prints a page of the library."""

    def __init__(self, what):
        super().__init__(f"bowline {what}", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)
        self.what = what

    def invoke(self, argument, from_tty):
        del from_tty
        self.dont_repeat()
        if argument:
            raise gdb.GdbError(f"bowline {self.what}: it takes no argument, but there is {argument!r}")
        gdb.write(page(self.what))


class Queues(Page):
    """Print receives and messages that match nothing, and sends that have not ended, as bowline-ps --queues does."""


class Comms(Page):
    """Print all communicators with their members, as ranks of MPI_COMM_WORLD."""


class Requests(Page):
    """Print the program's requests, with the values of their handles."""


Bowline()
Queues("queues")
Comms("comms")
Requests("requests")
