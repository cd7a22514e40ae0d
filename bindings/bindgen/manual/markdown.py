# SPDX-License-Identifier: BSD-3-Clause
"""Writes the pages as Markdown, for the site, with an index by chapter."""

import textwrap

from . import markup

COLUMNS = 120
# Where the documents are, seen from the folder of the pages.
DOCUMENTS = "../"


def page(page, functions):
    """`functions`: the pages by all names of functions."""
    def prose(sentence):
        return "".join(_piece(piece, functions) for piece in markup.pieces(sentence, functions, page))
    parts = [f"# {page.name}", prose(_capital(page.purpose) + "."), "```c\n" + "\n".join(_c(page)) + "\n```"]
    if page.f08 or page.f90:
        parts.append("## Fortran")
    if page.f08:
        parts += [f"`use {page.modules[0]}`", _code("fortran", "\n\n".join("\n".join(form) for form in page.f08))]
    if page.f90:
        include = "mpif-ext.h" if page.header == "mpi-ext.h" else "mpif.h"
        parts += [f"`use {page.modules[1]}` or `include '{include}'`", _code("fortran", "\n".join(page.f90))]
    if page.parameters:
        rows = [f"| `{p.name or '...'}` | {p.direction} | {_cell(p, prose)} |" for p in page.parameters]
        parts += ["## Parameters", "\n".join(["| name | | meaning |", "| --- | --- | --- |", *rows])]
    parts += ["## Description", *(prose(each) for each in page.description)]
    if page.notes:
        parts += ["## Notes", *(prose(each) for each in page.notes)]
    parts += ["## Return value", *(prose(each) for each in page.returns)]
    if page.errors:
        rows = [f"| {prose(error)} | {prose(reason)} |" for error, reason in page.errors]
        parts += ["## Errors", "\n".join(["| class | reason |", "| --- | --- |", *rows])]
    if page.example:
        parts += ["## Example", _code("c", page.example)]
    return "\n\n".join([*parts, *_end(page)]) + "\n"


def index(pages, titles):
    """The names by chapter, with their purposes. `titles`: of the chapters by name."""
    parts = ["# Functions of MPI",
             "Every function has a page of the manual, too: `man MPI_Send`. The forms for large counts (`MPI_Send_c`) "
             "and those for tools (`PMPI_Send`) are on the page of the function."]
    for chapter, title in titles.items():
        rows = [f"| [{p.name}]({p.name}.md) | {p.purpose.replace('`', '')} |" for p in pages if p.chapter == chapter]
        parts += [f"## {title}", "\n".join(["| function | what it does |", "| --- | --- |", *rows])]
    return "\n\n".join(parts) + "\n"


def _c(page):
    yield f"#include <{page.header}>"
    yield ""
    for prototype in [*page.c, *page.callbacks]:
        yield from textwrap.wrap(prototype, 100, subsequent_indent="    ", break_on_hyphens=False)


def _code(language, text):
    return f"```{language}\n{text.rstrip()}\n```"


def _cell(p, prose):
    return prose(p.meaning) + (f" ({prose(p.remark)})" if p.remark else "")


def _end(page):
    if page.see:
        yield "## See also"
        yield ", ".join(f"[{name}]({name}.md)" for name in sorted(page.see))
    links = ", ".join(f"[{name}]({DOCUMENTS}{name})" for name in page.documents)
    standard = (f"MPI-5.0, {'section' if '.' in page.section else 'chapter'} {page.section}." if page.section
                else "An extension of Bowline.")
    yield standard + (f" Bowline's own pages: {links}." if links else "")


def _piece(piece, functions):
    if piece.kind == "text":
        # What Markdown would take for emphasis, a table's border, or HTML.
        return piece.text.replace("_", "\\_").replace("*", "\\*").replace("|", "\\|").replace("<", "&lt;")
    if piece.kind == "function":
        return f"[{piece.text}]({functions[piece.text]}.md)"
    return f"`{piece.text}`"


def _capital(text):
    return text[:1].upper() + text[1:]
