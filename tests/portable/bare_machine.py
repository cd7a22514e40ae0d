# SPDX-License-Identifier: BSD-3-Clause
"""A machine with a C library and nothing else: a folder into which a process changes its root."""
import os
import pathlib
import re
import shutil
import subprocess

# What Debian's libc6 brings and what it depends on. A shell is not among it.
LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1")
MOUNTED = ("/proc", "/sys", "/dev")


def why_not():
    """Why this process cannot make such a machine; empty if it can."""
    if os.geteuid() != 0:
        return "only root can change the root"
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip()


def libraries_here():
    """Where this machine has the files, by name."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    here = {}
    for name in LIBRARIES:
        # The loader's cache names the libraries of all processors; this interpreter's is the first one.
        here[name] = re.search(rf"{re.escape(name)} \([^)]*\) => (\S+)", known)[1]
    return here


def loader_of(program):
    return re.search(r"interpreter: (\S+?)\]", subprocess.run(["readelf", "-l", program], check=True,
                                                             capture_output=True, text=True).stdout)[1]


class BareMachine:
    def __init__(self, root, program):
        """`program`: one whose loader the machine gets."""
        self.root = pathlib.Path(root)
        loader = loader_of(program)
        here = libraries_here()
        for path in (loader, *here.values()):
            self.add(path, path)
        # Where Debian has it; the other name is a link.
        self.add(loader, str(pathlib.Path(here["libc.so.6"]).parent / pathlib.Path(loader).name))
        for folder in (*MOUNTED, "/tmp", "/opt"):
            (self.root / folder[1:]).mkdir(parents=True, exist_ok=True)

    def add(self, path, name):
        """Copies a file; the machine has it under this name."""
        there = self.root / name.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, there)

    def run(self, *command, **environment):
        """Runs a program with these variables and no others, not even HOME; nobody is in /etc/passwd there."""
        mounts = "; ".join(f"mount --rbind {folder} '{self.root}{folder}'" for folder in MOUNTED)
        script = f"set -e; {mounts}; exec chroot '{self.root}' \"$@\""
        return subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *command],
                              env={"PATH": os.environ["PATH"]} | environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100, check=False)
