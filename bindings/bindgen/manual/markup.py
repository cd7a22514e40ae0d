# SPDX-License-Identifier: BSD-3-Clause
"""The light markup of the sentences: `code`, and names of MPI, which are recognized. Yields pieces that the writers of
roff and of Markdown turn into their own."""

import re
from dataclasses import dataclass

PIECE = re.compile(r"`(?P<code>[^`]+)`"
                   r"|(?P<stem>\bMPI_\w*_\.\.\.)"
                   r"|(?P<name>\bP?MPIX?_[A-Za-z0-9_]*[A-Za-z0-9])(?P<call>\(\))?"
                   r"|(?P<setting>\bBOWLINE_[A-Z_]+(=\w+)?)")
TYPES = {"MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint", "MPI_Status", "MPI_Comm", "MPI_Group", "MPI_Request",
         "MPI_Datatype", "MPI_Info", "MPI_Win", "MPI_File", "MPI_Op", "MPI_Session", "MPI_Message", "MPI_Errhandler"}


@dataclass(frozen=True)
class Piece:
    kind: str  # "text", "code", "parameter", "function", "self", "constant", "type" or "setting"
    text: str


def pieces(text, functions, page):
    """`functions`: the pages by all names of functions. `page`: the one on which the text stands."""
    parameters = {p.name for p in page.parameters}
    place = 0
    for match in PIECE.finditer(text):
        if match.start() > place:
            yield Piece("text", text[place:match.start()])
        yield _piece(match, functions, page, parameters)
        place = match.end()
    if place < len(text):
        yield Piece("text", text[place:])


def _piece(match, functions, page, parameters):
    if match["code"]:
        return Piece("parameter" if match["code"] in parameters else "code", match["code"])
    if match["setting"]:
        return Piece("setting", match["setting"])
    if match["stem"]:
        return Piece("code", match["stem"])
    name = match["name"]
    if name == "MPI_T":
        return Piece("text", name)
    if name in functions:
        return Piece("self" if functions[name] == page.name else "function", name)
    return Piece("type" if name in TYPES else "constant", name + (match["call"] or ""))


def words(text, functions, page):
    """Lists of pieces between white space; code may contain blanks."""
    current = []
    for piece in pieces(text, functions, page):
        if piece.kind != "text":
            current.append(piece)
            continue
        for i, part in enumerate(re.split(r"(\s+)", piece.text)):
            if i % 2:
                if current:
                    yield current
                current = []
            elif part:
                current.append(Piece("text", part))
    if current:
        yield current
