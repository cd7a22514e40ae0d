# SPDX-License-Identifier: BSD-3-Clause
"""Writes a page as mdoc, for man: section 3."""

import re
import textwrap

from . import markup

# When the sentences were last looked through.
DATE = "November 30, 2026"
COLUMNS = 78
# What groff's man prints above and below, in place of "BSD Library Functions Manual" and "BSD"; mandoc takes no notice.
BANNER = [".ds doc-volume Functions of MPI", ".ds doc-operating-system Bowline"]
CLOSING = ".,:;)]?!"
MACROS = {"code": "Ql", "parameter": "Fa", "function": "Xr", "constant": "Dv", "type": "Vt",
          "setting": "Ev", "self": "Nm"}
SENTENCE_END = re.compile(r"[.!?:;][\")]*$")


def file_name(name):
    return f"{name}.3"


def text(page, functions):
    """The page. `functions`: the pages by all names of functions."""
    def prose(sentences, paragraph=".Pp"):
        lines = []
        for i, sentence in enumerate(sentences):
            lines += ([paragraph] if i else []) + _prose(sentence, functions, page)
        return lines
    lines = [".\\\" SPDX-License-Identifier: BSD-3-Clause",
             f".\\\" Written by bindings/manual.py from docs/manual/{page.chapter}.toml: do not edit.",
             f".Dd {DATE}", f".Dt {page.name.upper()} 3", ".Os", *BANNER, ".Sh NAME"]
    lines += [f".Nm {name}{' ,' if name != page.names[-1] else ''}" for name in page.names]
    lines += [f".Nd {_plain(page.purpose)}", ".Sh SYNOPSIS", *_synopsis(page)]
    if page.parameters:
        lines += [".Sh PARAMETERS", *_parameters(page, functions)]
    lines += [".Sh DESCRIPTION", *prose(page.description)]
    if page.notes:
        lines += [".Sh NOTES", *prose(page.notes)]
    lines += [".Sh RETURN VALUES", *prose(page.returns)]
    if page.example:
        lines += [".Sh EXAMPLES", ".Bd -literal", *_literal(page.example.splitlines()), ".Ed"]
    if page.errors:
        lines += [".Sh ERRORS", *_errors(page, functions)]
    if page.see:
        lines += [".Sh SEE ALSO", *_see(page.see)]
    lines += [".Sh STANDARDS", *_standards(page)]
    return "\n".join(lines) + "\n"


def link(page):
    """What a page under a further name holds."""
    return f".so man3/{file_name(page.name)}\n"


# ---- sections

def _synopsis(page):
    yield ".Ss C"
    yield f".In {page.header}"
    for prototype in page.c:
        returns, name, arguments = re.fullmatch(r"(.*?[\s*])(\w+)\((.*)\);", prototype).groups()
        yield f".Ft {_argument(returns.strip())}"
        yield f".Fo {name}"
        for argument in re.split(r",\s*(?![^(]*\))", arguments):
            yield f'.Fa "{_quoted(argument)}"'
        yield ".Fc"
    if page.callbacks:
        yield ".Bd -literal"
        yield from _literal(line for typedef in page.callbacks
                            for line in textwrap.wrap(typedef, COLUMNS - 6, subsequent_indent="    "))
        yield ".Ed"
    if page.f08:
        yield f".Ss Fortran, use {page.modules[0]}"
        yield ".Bd -literal"
        for i, form in enumerate(page.f08):
            yield from _literal(([""] if i else []) + form)
        yield ".Ed"
    if page.f90:
        include = "mpif-ext.h" if page.header == "mpi-ext.h" else "mpif.h"
        yield f".Ss Fortran, use {page.modules[1]} or {include}"
        yield ".Bd -literal"
        yield from _literal(page.f90)
        yield ".Ed"


def _parameters(page, functions):
    yield ".Bl -tag -width Ds"
    for p in page.parameters:
        yield f".It Fa {p.name} Pq {p.direction}"
        remark = f" ({p.remark})" if p.remark else ""
        yield from _prose(_capital(p.meaning) + remark + ".", functions, page)
    yield ".El"


def _errors(page, functions):
    yield ".Bl -tag -width Ds"
    for error, reason in page.errors:
        yield f".It {_error_names(error)}"
        yield from _prose(_capital(reason) + ".", functions, page)
    yield ".El"


def _error_names(error):
    """Names as constants, words as they are."""
    parts = []
    for word in error.split():
        bare = word.rstrip(",")
        known = bare.startswith("MPI")
        parts.append((f"Er {bare}" if known else f"No {bare}") + (" ," if word != bare else ""))
    return " ".join(parts)


def _see(names):
    names = sorted(names, key=str.lower)
    return [f".Xr {name} 3{' ,' if name != names[-1] else ''}" for name in names]


def _standards(page):
    if page.section:
        yield f"MPI-5.0, {'section' if '.' in page.section else 'chapter'} {page.section}."
    else:
        yield "An extension of Bowline."
    names = [f"P{name}" for name in page.names]
    yield f"Tools that replace {'these functions call' if len(names) > 1 else 'this function call'}"
    yield from (f".Fn {name}{' ,' if name != names[-1] else ' .'}" for name in names)


# ---- text

def _prose(text, functions, page):
    """Text in lines, a new one for each sentence and each macro."""
    lines, current = [], ""
    def flush():
        nonlocal current
        if current:
            lines.append(_guarded(current))
        current = ""
    for word in markup.words(text, functions, page):
        if all(piece.kind == "text" for piece in word):
            plain = _escaped("".join(piece.text for piece in word))
            if len(current) + len(plain) + 1 > COLUMNS:
                flush()
            current += (" " if current else "") + plain
            if SENTENCE_END.search(plain) and plain[-1] not in ":;":
                flush()
        else:
            flush()
            lines.append("." + _macro_line(word))
    flush()
    return lines


def _macro_line(word):
    """A word with a name in it: the macro, and what touches it before and behind."""
    parts, closing = [], ""
    for i, piece in enumerate(word):
        if piece.kind != "text":
            section = " 3" if piece.kind == "function" else ""
            parts.append(f"{MACROS[piece.kind]} {_argument(piece.text)}{section}")
            continue
        bare = piece.text
        if i and i == len(word) - 1:
            bare = piece.text.rstrip(CLOSING)
            closing = "".join(" " + each for each in piece.text[len(bare):])
        if bare:
            parts.append("No " + _argument(bare))
    return " Ns ".join(parts) + closing


def _argument(text):
    escaped = _quoted(text) + ("\\&" if text[-1] in CLOSING else "")
    if " " in escaped:
        return f'"{escaped}"'
    # A delimiter or the name of a macro would be taken for one.
    special = escaped in CLOSING + "([|" or re.fullmatch(r"[A-Z][a-z]", escaped)
    return "\\&" + escaped if special else escaped


def _quoted(text):
    return _escaped(text).replace('"', "\\(dq")


def _escaped(text):
    return text.replace("\\", "\\e")


def _plain(text):
    return _escaped(text.replace("`", ""))


def _guarded(line):
    return "\\&" + line if line.startswith((".", "'")) else line


def _literal(lines):
    return [_guarded(_escaped(line).replace("-", "\\-")) for line in lines]


def _capital(text):
    return text[:1].upper() + text[1:] if not text.startswith("`") else text
