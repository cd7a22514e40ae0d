# SPDX-License-Identifier: BSD-3-Clause
"""Lines of Fortran."""

import textwrap

COLUMNS = 120


def wrapped(line):
    """A statement in free form, continued where it is too long."""
    if len(line) <= COLUMNS:
        yield line
        return
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    parts = textwrap.wrap(line, COLUMNS - 2, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    for i, part in enumerate(parts):
        yield part + (" &" if i < len(parts) - 1 else "")


def indented(lines, depth=1):
    return ["  " * depth + line if line and not line.startswith("!") else line for line in lines]
