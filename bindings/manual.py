#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual of MPI's functions, from bindings/api.json, bindings/extensions.json and docs/manual.

  manual.py --roff DIRECTORY       pages for man, section 3, with links from further names
  manual.py --markdown DIRECTORY   a page for each function in Markdown, and index.md
  manual.py --machines DIRECTORY   docs/api.json and llms.txt, for programs
  manual.py --check                only whether every function has a purpose and every parameter a meaning

Several of them may be given at a time. Files that would not change are left alone; others in a directory of pages are
removed.
"""

import argparse
import pathlib
import sys

from bindgen import model
from bindgen.manual import machines, markdown, pages, roff, sentences

HERE = pathlib.Path(__file__).resolve().parent
# The documents of which llms.txt has a line.
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *sorted(
    str(path.relative_to(HERE.parent)) for path in HERE.parent.glob("docs/*.md"))]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--roff", "--markdown", "--machines"):
        parser.add_argument(option, type=pathlib.Path, metavar="DIRECTORY")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not any(vars(arguments).values()):
        parser.error("nothing to do: give at least one of --roff, --markdown, --machines and --check")
    return arguments


def write(directory, files, pattern):
    """Writes the files by name, and removes others that match the pattern."""
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob(pattern):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        path = directory / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def names_of(all_pages):
    return {name: page.name for page in all_pages for name in page.names}


def roff_files(all_pages):
    known = names_of(all_pages)
    files = {roff.file_name(page.name): roff.text(page, known) for page in all_pages}
    for page in all_pages:
        files |= {roff.file_name(name): roff.link(page) for name in page.names[1:]}
    return files


def markdown_files(all_pages, titles):
    known = names_of(all_pages)
    files = {f"{page.name}.md": markdown.page(page, known) for page in all_pages}
    return files | {"index.md": markdown.index(all_pages, titles)}


def main():
    arguments = parse_arguments()
    api = model.load(HERE / "api.json")
    known = sentences.load()
    all_pages = pages.make(api, known)
    titles = {chapter.name: chapter.title for chapter in known.chapters}
    if arguments.roff:
        write(arguments.roff, roff_files(all_pages), "MPI*.3")
    if arguments.markdown:
        write(arguments.markdown, markdown_files(all_pages, titles), "*.md")
    if arguments.machines:
        documents = {name: (HERE.parent / name).read_text(encoding="utf-8") for name in DOCUMENTS}
        write(arguments.machines, {"docs/api.json": machines.functions(all_pages, titles, api.standard),
                                   "llms.txt": machines.list_of_documents(all_pages, titles, documents)}, "llms.txt")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"manual: {error}")
