# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command on a node of a rig, from outside, as if it had been typed there."""
import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
NAMESPACES = ("uts", "ipc", "net", "pid", "mnt")  # mnt last: after it, /proc is the node's
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def enter(pid):
    """Moves this process into the namespaces of another, all but the PID namespace, which its children will be in."""
    opened = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in NAMESPACES]
    for descriptor in opened:
        checked(LIBC.setns(descriptor, 0), "setns")
        os.close(descriptor)


def run(pid, command, environment):
    """Runs the command where process `pid` is; returns its exit status, 128+N for signal N.

    Signals to this process go to the command, and the command does not outlive it.
    """
    directory = os.getcwd()
    enter(pid)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)  # they wait until there is a command to go to
    child = os.fork()
    if child == 0:
        try:
            checked(LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "prctl")
            os.chdir(directory if os.path.isdir(directory) else "/")
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own handler would lose one that comes before exec
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.execvpe(command[0], command, environment)
        except OSError as error:
            print(f"run: {command[0]}: {error.strerror or error}", file=sys.stderr, flush=True)
        os._exit(127)
    for number in FORWARDED:
        signal.signal(number, lambda received, _: os.kill(child, received))
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
