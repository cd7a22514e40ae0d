# SPDX-License-Identifier: BSD-3-Clause
"""The installed tree that runs wherever it is put, with what it needs inside."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess

from portable import carried, elf

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESET = "portable"
USUAL_PREFIX = "opt/bowline"  # what files name that have to name some prefix


def version():
    return re.search(r"project\(bowline VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def arguments(purpose):
    """The command line of both builders: OUT, and a build that is there already."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER",
                        help="take what is built in this folder, in place of building with the preset portable")
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=ROOT, metavar="OUT",
                        help="the folder of the result; without it the source tree")
    return parser.parse_args()


def build():
    """Builds with the preset. Returns the folder of the build."""
    for command in (["cmake", "--preset", PRESET], ["cmake", "--build", f"build-{PRESET}"]):
        subprocess.run(command, cwd=ROOT, check=True)
    return ROOT / f"build-{PRESET}"


def make(build_folder, where):
    """Installs a build into the new folder `where`, and makes that independent of this machine."""
    staging = where.parent / (where.name + ".staging")
    install = ["cmake", "--install", build_folder, "--prefix", "/" + USUAL_PREFIX]
    subprocess.run(install, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"DESTDIR": str(staging)})
    (staging / USUAL_PREFIX).rename(where)
    shutil.rmtree(staging)
    carried.carry(where)
    return where


def glibc_report(tree):
    """What keeps the tree from running with the C library of manylinux_2_28, as text."""
    late = {}
    for path in elf.files_in(tree):
        for number, names in elf.glibc_needs(path).items():
            if number > (2, 28):
                late.setdefault(number, {}).setdefault(str(path.relative_to(tree)), set()).update(names)
    lines = [f"needs glibc {'.'.join(map(str, elf.newest_glibc(elf.files_in(tree))))}"]
    for number, files in sorted(late.items(), reverse=True):
        names = ", ".join(sorted(set.union(*files.values())))
        where = ", ".join(files) if len(files) < 3 else f"{len(files)} files"
        lines.append(f"  {'.'.join(map(str, number))}: {names} ({where})")
    return "\n".join(lines)
