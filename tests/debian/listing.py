# SPDX-License-Identifier: BSD-3-Clause
"""What a system consists of, so that two looks at it can be compared."""
import hashlib
import os
import pathlib
import stat

# What a package manager writes for itself; /var/lib/dpkg/info and /var/lib/dpkg/alternatives are looked at.
ITS_OWN = {"proc", "sys", "dev", "run", "tmp", "home", "root", "etc/ld.so.cache", "var/cache", "var/log", "var/lib/apt",
           "var/lib/dpkg/status", "var/lib/dpkg/status-old", "var/lib/dpkg/lock", "var/lib/dpkg/lock-frontend",
           "var/lib/dpkg/available", "var/lib/dpkg/triggers", "var/lib/dpkg/updates"}


def fact(path):
    """What must not change: the kind and permissions, and where a link leads or what a file has in it."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link to " + os.readlink(path)
    content = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""
    return f"{stat.filemode(mode)} {content}"


def listing(root):
    root = pathlib.Path(root)
    found = {}
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root).removeprefix(".").removeprefix("/")
        names = [os.path.join(below, name) for name in folders + files]
        found |= {name: fact(root / name) for name in names if name not in ITS_OWN}
        folders[:] = [name for name in folders if os.path.join(below, name) not in ITS_OWN]
    return found


def difference(before, after):
    """A line for each path that came, went or changed."""
    return [f"{path}: {before.get(path, 'nothing')} -> {after.get(path, 'nothing')}"
            for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
