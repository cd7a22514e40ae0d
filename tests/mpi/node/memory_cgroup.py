# SPDX-License-Identifier: BSD-3-Clause
"""A memory cgroup of either version with a limit, for the processes of one test."""
import os
import pathlib
import time


def own_group():
    """Version and directory of the memory cgroup that this process is in, and whether that is the topmost one."""
    paths = {}
    for line in pathlib.Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        paths[2 if controllers == "" else 1 if "memory" in controllers.split(",") else 0] = path
    mounts = {}
    for line in pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
            mounts[2 if kind == "cgroup2" else 1] = before.split(" ")[3:5]
    for version in (1, 2):
        if version in paths and version in mounts:
            root, point = mounts[version]
            inside = paths[version].removeprefix(root.rstrip("/")).strip("/")
            directory = pathlib.Path(point, inside)
            if version == 1 or "memory" in (directory / "cgroup.controllers").read_text(encoding="utf-8").split():
                return version, directory, not inside
    raise OSError("no memory cgroups are mounted")


class MemoryGroup:
    """Throws OSError where this process may not make one."""

    def __init__(self, limit):
        version, own, topmost = own_group()
        # Groups of version 2 have either processes or groups in them: the new one stands beside ours.
        parent = own if version == 1 or topmost else own.parent
        self.directory = parent / f"bowline-test-{os.getpid()}"
        self.directory.mkdir()
        try:
            names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control") if version == 1 \
                else ("memory.max", "memory.swap.max", "memory.events")
            (self.directory / names[0]).write_text(str(limit), encoding="utf-8")
            if (self.directory / names[1]).exists():  # no swap
                (self.directory / names[1]).write_text(str(limit if version == 1 else 0), encoding="utf-8")
            self.kills_file = self.directory / names[2]
            self.used_file = self.directory / ("memory.usage_in_bytes" if version == 1 else "memory.current")
        except OSError:
            self.close()
            raise

    def enter(self):
        """Moves the calling process in."""
        (self.directory / "cgroup.procs").write_text(str(os.getpid()), encoding="utf-8")

    def kills(self):
        """How many processes the kernel has killed here."""
        words = self.kills_file.read_text(encoding="utf-8").split()
        return int(words[words.index("oom_kill") + 1])

    def close(self):
        """Removes the group as soon as its processes are gone."""
        deadline = time.monotonic() + 10
        while True:
            try:
                self.directory.rmdir()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
