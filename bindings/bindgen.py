#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates Bowline's interfaces for C and Fortran from bindings/api.json and bindings/extensions.json.

  bindgen.py header FILE                      writes mpi.h
  bindgen.py extension-header FILE            writes mpi-ext.h
  bindgen.py sources DIRECTORY --bodies FILE...   writes the C entry points and what goes with them
  bindgen.py front DIRECTORY --abi FILE       writes the library with the ABI of another MPI, which FILE describes
  bindgen.py front-fortran DIRECTORY --abi FILE   writes its procedures for Fortran
  bindgen.py fortran DIRECTORY                writes the external procedures for Fortran, in C++
  bindgen.py modules DIRECTORY                writes mpif.h, mpif-ext.h and the sources of the Fortran modules

`--bodies` names the C++ files that may hold hand-written bodies; a function is implemented if one of them defines it.
"""

import argparse
import pathlib
import sys

from bindgen import extension_header, header, model, sources
from bindgen.fortran import abi, include_file, interfaces, modules, procedures
from bindgen.fronts import abi as other_abi
from bindgen.fronts import files as fronts

HERE = pathlib.Path(__file__).resolve().parent
PRIVATE_INTERFACE = HERE.parent / "src/api/entry/private_interface.hpp"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--api", type=pathlib.Path, default=HERE / "api.json", help="the facts of the MPI standard")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("header", "extension-header"):
        commands.add_parser(name).add_argument("file", type=pathlib.Path)
    generate = commands.add_parser("sources")
    generate.add_argument("directory", type=pathlib.Path)
    generate.add_argument("--bodies", type=pathlib.Path, nargs="*", default=[])
    generate.add_argument("--parts", type=int, default=4, help="number of files for the entry points")
    for name in ("front", "front-fortran"):
        front = commands.add_parser(name)
        front.add_argument("directory", type=pathlib.Path)
        front.add_argument("--abi", dest="description", type=pathlib.Path, required=True)
        front.add_argument("--parts", type=int, default=4, help="number of files for the entry points")
    fortran = commands.add_parser("fortran")
    fortran.add_argument("directory", type=pathlib.Path)
    fortran.add_argument("--parts", type=int, default=4, help="number of files for the procedures")
    commands.add_parser("modules").add_argument("directory", type=pathlib.Path)
    return parser.parse_args()


def write_if_changed(path, text):
    """Leaves an unchanged file alone, so that nothing that includes it is compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main():
    arguments = parse_arguments()
    api = model.load(arguments.api)
    if arguments.command in ("header", "extension-header"):
        written = header if arguments.command == "header" else extension_header
        write_if_changed(arguments.file, written.text(api))
        return
    if arguments.command in ("front", "front-fortran"):
        description = other_abi.load(arguments.description, api)
        if arguments.command == "front":
            texts = fronts.files(api, description, PRIVATE_INTERFACE.read_text(encoding="utf-8"), arguments.parts)
        else:
            texts = fronts.fortran_files(api, description, arguments.parts)
        for name, text in texts.items():
            write_if_changed(arguments.directory / name, text)
        return
    if arguments.command == "fortran":
        for name, text in procedures.files(api, abi.STANDARD, arguments.parts).items():
            write_if_changed(arguments.directory / name, text)
        return
    if arguments.command == "modules":
        write_if_changed(arguments.directory / "mpif.h", include_file.text(api))
        write_if_changed(arguments.directory / "mpif-ext.h", include_file.extensions(api))
        for choice in (interfaces.BY_DESCRIPTOR, interfaces.BY_ADDRESS, interfaces.WITHOUT_INTERFACE):
            for name, text in modules.files(api, choice).items():
                write_if_changed(arguments.directory / choice / name, text)
        return
    bodies = {path: path.read_text(encoding="utf-8") for path in arguments.bodies}
    for name, text in sources.files(api, bodies, arguments.parts).items():
        write_if_changed(arguments.directory / name, text)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"bindgen: {error}")
