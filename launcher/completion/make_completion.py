#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the completion of a command for a shell from what the command declares."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "declared"))
sys.dont_write_bytecode = True

import declared  # noqa: E402
import for_bash  # noqa: E402
import for_fish  # noqa: E402
import for_zsh  # noqa: E402

SHELLS = {"bash": for_bash.script, "fish": for_fish.script, "zsh": for_zsh.script}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shell", required=True, choices=SHELLS)
    parser.add_argument("--document", required=True, help="what the command prints for --help=json")
    parser.add_argument("--name", action="append", default=[], help="another name of the command")
    parser.add_argument("script", help="the file to write")
    given = parser.parse_args()
    command = declared.read_command(given.document)
    text = SHELLS[given.shell](command, [command.name, *given.name])
    pathlib.Path(given.script).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
