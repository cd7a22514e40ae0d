# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that a tree brings with it, for machines that do not have them.

The loader takes them for Bowline's programs only. The library that programs link needs none of them: it looks for PMIx
when a job starts, and takes the tree's own if the machine has no other.
"""
import pathlib
import shutil
import subprocess

from portable import elf

FOLDER = "lib/bowline/carried"
# What every machine has that runs programs at all. The C library itself loads libgcc_s.so.1.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"}


def is_of_the_system(name):
    return name in OF_THE_SYSTEM or name.startswith("ld-linux") or name.startswith("ld64")


def needs_others(path):
    return any(not is_of_the_system(name) for name in elf.needed(path))


def own_names(tree):
    """The names by which files of the tree find each other."""
    return {path.name for path in (tree / "lib").rglob("*.so*")}


def pmix():
    folder = subprocess.run(["pkg-config", "--variable=libdir", "pmix"], check=True, capture_output=True, text=True)
    return pathlib.Path(folder.stdout.strip()) / "libpmix.so.2"


def wanted(tree):
    """The files to carry, by name."""
    own = own_names(tree)
    found = {"libpmix.so.2": str(pmix())} | elf.resolved(pmix())
    for path in elf.files_in(tree):
        if needs_others(path):
            found |= elf.resolved(path)
    if "libstdc++.so.6" in found:  # programs bring one of their own, so none may be carried beside it
        raise SystemExit("a program of this build needs the machine's C++ library: configure it with "
                         "-DBOWLINE_STATIC_CXX=ON, as the preset portable does")
    return {name: pathlib.Path(path) for name, path in found.items() if not is_of_the_system(name) and name not in own}


def licence_of(path):
    """The file in which Debian says who may do what with a library."""
    for each in (path, path.resolve(), pathlib.Path("/usr") / str(path).lstrip("/")):
        owner = subprocess.run(["dpkg-query", "-S", each], capture_output=True, text=True, check=False)
        if owner.returncode == 0:
            return pathlib.Path("/usr/share/doc") / owner.stdout.split(":")[0] / "copyright"
    return None


def carry(tree):
    """Copies the libraries into the tree, with their licences, and lets the programs find them there."""
    libraries = wanted(tree)
    programs = [path for path in elf.files_in(tree) if any(name in libraries for name in elf.needed(path))]
    folder = tree / FOLDER
    folder.mkdir(parents=True)
    for name, path in sorted(libraries.items()):
        shutil.copyfile(path, folder / name)
        (folder / name).chmod(0o644)
        elf.set_runpath(folder / name, "$ORIGIN")
        licence = licence_of(path)
        if licence is None:
            raise SystemExit(f"the licence of {path} is not known: Debian's package that owns it is not installed")
        shutil.copyfile(licence, folder / f"{name}.copyright")
    for program in programs:
        up = "/".join([".."] * len(program.parent.relative_to(tree).parts))
        elf.set_runpath(program, f"$ORIGIN/{up}/{FOLDER}")
