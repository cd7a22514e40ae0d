# SPDX-License-Identifier: BSD-3-Clause
"""What ELF files need: other libraries, and versions of the C library."""
import re
import subprocess


def _words_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def is_elf(path):
    """Whether this is a program or a shared library; archives and objects of the compiler are none."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(18)
    return start[:4] == b"\x7fELF" and start[16] in (2, 3)


def files_in(tree):
    return [path for path in sorted(tree.rglob("*")) if is_elf(path)]


def needed(path):
    """The names of the libraries with which it is linked."""
    return re.findall(r"NEEDED\s+(\S+)", _words_of("objdump", "-p", path))


def soname(path):
    found = re.search(r"SONAME\s+(\S+)", _words_of("objdump", "-p", path))
    return found[1] if found else path.name


def resolved(path):
    """Where the loader of this machine finds each of its libraries, and theirs."""
    return dict(re.findall(r"(\S+) => (/\S+)", _words_of("ldd", path)))


def set_runpath(path, folder):
    """Where the loader looks for its libraries, from $ORIGIN, the folder of the file."""
    subprocess.run(["patchelf", "--set-rpath", folder, path], check=True)


def version(text):
    return tuple(map(int, text.split(".")))


def glibc_needs(path):
    """The names that it takes from the C library, by the version of it that has brought each."""
    needs = {}
    for name_version, name in re.findall(r"\*UND\*.*\(GLIBC_([0-9.]+)\)\s+(\S+)", _words_of("objdump", "-T", path)):
        needs.setdefault(version(name_version), set()).add(name)
    return needs


def newest_glibc(paths):
    """The oldest version of the C library with which all of them run."""
    return max((max(glibc_needs(path), default=(2, 0)) for path in paths))[:2]
