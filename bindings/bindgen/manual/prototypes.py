# SPDX-License-Identifier: BSD-3-Clause
"""The synopsis of a function in each language, from what the generators of the interfaces write."""

import re

from .. import header
from ..fortran import conversions, interfaces, modules

F08 = interfaces.Style(True, interfaces.BY_DESCRIPTOR)
F90 = interfaces.Style(False, interfaces.BY_ADDRESS)


def c_forms(function):
    """The prototypes in C, the large form last."""
    forms = [" ".join(header.prototype(function, large).split()) for large in function.forms()]
    return [form.split(" /* deprecated")[0] for form in forms]


def callbacks(api, function):
    """The types of the functions that it takes, in C."""
    types = " ".join(c_forms(function))
    return [" ".join(typedef.split()) for typedef in api.callbacks
            if re.search(rf"\b{re.search(r'[(](MPI_[A-Za-z_]+)[)]', typedef)[1]}\b", types)]


def f08_forms(api, function):
    """Lists of lines; empty if the module mpi_f08 does not have the function."""
    if not conversions.is_f08(function):
        return []
    forms = [_lines(api, function, False, F08, function.name)]
    if function.has_large:
        if modules.is_callable_as_c(function):
            forms.append(_lines(api, function, True, F08, function.name + "_c"))
        elif modules.are_told_apart(api, function, F08):
            forms.append(_lines(api, function, True, F08, function.name))
    return forms


def f90_lines(api, function):
    """Lines for the module mpi and mpif.h; empty if they do not have the function."""
    return _lines(api, function, False, F90, function.name) if conversions.is_fortran(function) else []


def _lines(api, function, large, style, name):
    text = "\n".join(interfaces.body(api, function, large, style, name=name))
    text = re.sub(r" &\n\s*", " ", text)  # continued lines
    lines = []
    for line in text.splitlines()[:-1]:
        if re.match(r"\s*(import ::|use, intrinsic|!)", line):
            continue
        line = re.sub(r' bind\(C, name="\w+"\)', "", line)
        if not style.f08:
            line = line.replace("type(*)", "<type>").replace("integer, optional :: ierror", "integer :: ierror")
        lines.append(re.sub(r"^(subroutine|function) (\w+\()", _title, line))
    return [continued for line in lines for continued in _wrapped(line)]


def _title(match):
    """The call as a program writes it."""
    return match[2]


def _wrapped(line, columns=76):
    if len(line) <= columns:
        yield line
        return
    words = line.split(" ")
    current = words[0] if words[0] else "  "
    for word in [w for w in words[1:] if w]:
        gap = "" if current.endswith("  ") else " "
        if len(current) + len(word) + 3 > columns:
            yield current + " &"
            current = "      " + word
        else:
            current += gap + word
    yield current
