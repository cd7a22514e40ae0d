# SPDX-License-Identifier: BSD-3-Clause
"""Writes what programs read: the functions as JSON, and llms.txt, a list of all documents with a line on each."""

import json
import re

OPENING = """\
# Bowline

> An MPI library in C++20: MPI-5.0 with the standard ABI, for one machine and for clusters. Programs are compiled with
> mpicc, mpicxx and mpifort, and started with mpiexec or srun. Programs that were built for the ABI of MPICH or Open MPI
> run on it, too.

`docs/api.json` has all functions for programs: prototypes in C and Fortran, parameters with their meanings, errors.
"""


def functions(pages, titles, standard):
    """docs/api.json."""
    described = [{
        "name": p.name, "names": p.names, "purpose": _bare(p.purpose), "chapter": titles[p.chapter],
        "section": p.section, "header": p.header, "c": p.c,
        "fortran_mpi_f08": ["\n".join(form) for form in p.f08], "fortran_mpi": "\n".join(p.f90),
        "parameters": [{"name": q.name, "direction": q.direction,
                        "meaning": _bare(q.meaning + (f"; {q.remark}" if q.remark else ""))} for q in p.parameters],
        "errors": [{"class": error, "reason": _bare(reason)} for error, reason in p.errors],
        "deprecated": p.deprecated, "see": p.see,
    } for p in pages]
    return json.dumps({"standard": f"MPI-{standard}", "functions": described}, indent=1, ensure_ascii=False) + "\n"


def list_of_documents(pages, titles, documents):
    """llms.txt. `documents`: the text of each document by its path."""
    lines = [OPENING, "## Documents", ""]
    lines += [f"- [{_title(text)}]({path}): {_summary(text)}" for path, text in sorted(documents.items())]
    for chapter, title in titles.items():
        lines += ["", f"## {title}", ""]
        lines += [f"- [{p.name}](docs/functions/{p.name}.md): {_bare(p.purpose)}"
                  for p in pages if p.chapter == chapter]
    return "\n".join(lines) + "\n"


def _bare(text):
    return text.replace("`", "")


def _title(text):
    return _bare(next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# "))


def _summary(text):
    """The first sentence of the first paragraph."""
    for paragraph in re.split(r"\n\s*\n", text):
        words = " ".join(paragraph.split())
        if re.match(r"[A-Z`\[]", words) and not words.startswith("```"):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)
            return re.split(r"(?<=[.:])\s", words)[0].rstrip(":")
    return ""
