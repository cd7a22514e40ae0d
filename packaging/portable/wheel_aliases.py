# SPDX-License-Identifier: BSD-3-Clause
"""A wheel has no symbolic links: what stands in their place."""
import os
import shutil
import subprocess

from portable import elf

PROGRAM = """#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
exec "$(dirname -- "$(readlink -f -- "$0")")/{target}" "$@"
"""


def stub(name, target, folder):
    """A library that is nothing but another name of `target`: the loader loads that, too, so there is only one."""
    where = os.path.relpath(target.parent, folder)
    subprocess.run(["cc", "-shared", "-nostdlib", "-o", folder / name, f"-Wl,-soname,{name}", "-Wl,--no-as-needed",
                    "-Wl,--build-id=none", target, f"-Wl,--enable-new-dtags,-rpath,$ORIGIN/{where}"], check=True)


def replace(link):
    target = link.resolve()
    name = link.name
    folder = link.parent
    link.unlink()
    if not elf.is_elf(target):
        shutil.copy2(target, link)
    elif folder.name == "bin":
        link.write_text(PROGRAM.format(target=target.name), encoding="utf-8")
        link.chmod(0o755)
    elif name == elf.soname(target):
        target.rename(link)
    elif name.endswith(".so"):  # compilers read this
        link.write_text(f"INPUT({elf.soname(target)})\n", encoding="utf-8")
    else:
        stub(name, target, folder)


def flatten(tree):
    """Replaces all links in the tree. The name that the loader knows of a library becomes the file itself."""
    links = [path for path in tree.rglob("*") if path.is_symlink()]
    is_soname = {link: elf.is_elf(link.resolve()) and link.name == elf.soname(link.resolve()) for link in links}
    for link in sorted(links, key=lambda link: (not is_soname[link], str(link))):
        replace(link)
    for script in (tree / "lib").glob("*-gdb.py"):  # gdb loads it by the name of the file
        library = next(path for path in (tree / "lib").glob("*.so.*") if script.name.startswith(path.name + "."))
        script.rename(script.with_name(f"{library.name}-gdb.py"))
