#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a manual page from its source, NAME.SECTION.in, and from what the programs declare.

A line of the source that is one of these words alone is replaced: @OPTIONS@ by the options of the commands,
@OTHER_LAUNCHERS@ by those that mpiexec understands of other launchers, @SETTINGS@ by the variables that the library
reads, @OTHER_VARIABLES@ by those that other parts of Bowline read or set. @VERSION@ anywhere is Bowline's version.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "declared"))
sys.dont_write_bytecode = True

import declared  # noqa: E402
import mdoc  # noqa: E402


def sentence(text):
    """Begins with a capital letter and ends with a full stop."""
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def about_option(option):
    lines = mdoc.paragraph(sentence(option.help))
    if option.repeats:
        lines.append("This option may be given several times.")
    if option.excludes:
        lines += mdoc.paragraph(f"Not together with {', '.join(option.excludes)}.")
    return lines


def options(commands):
    """Those of all commands, each once, although its text may differ by the name of the command."""
    by_names = {}
    for command in commands:
        for option in command.options:
            by_names.setdefault(tuple(option.names), option)
    return mdoc.tagged([(mdoc.names(option), about_option(option)) for option in by_names.values()])


def about_foreign(option):
    if option.effect == "always":
        return ["Nothing: this is how", ".Nm", "always behaves."]
    if option.effect == "becomes":
        text = option.text.replace("$1", "VALUE" if option.values == 1 else "NAME").replace("$2", "VALUE")
        return mdoc.paragraph(f"The same as {text}.")
    text = option.text or "a warning names what takes the place of the parameter"
    if option.effect == "parameters":
        text = f"with ft-enable-mpi or ft-mpi the same as --keep-going; of other files: {text}"
    return mdoc.paragraph(f"No effect, with a warning: {text}.")


def other_launchers(commands):
    entries = []
    for option in commands[0].foreign:
        shown = [name for name in option.names if not name.startswith("--")]
        values = {0: "", 1: " Ar VALUE", 2: " Ar NAME VALUE"}[option.values]
        entries.append((" , ".join(mdoc.flag(name) for name in shown) + values, about_foreign(option)))
    return mdoc.tagged(entries)


def about_variable(variable):
    default = f" Default: {variable['default']}." if variable["default"] else ""
    return mdoc.paragraph(sentence(variable["help"])) + mdoc.paragraph(f"Allowed: {variable['allowed']}.{default}")


def settings(variables):
    lines = []
    for category in variables["categories"]:
        controls = [each for each in category["variables"] if each["kind"] == "control"]
        if not controls:
            continue
        title = category["name"].replace("_", " ").capitalize()
        lines += [f".Ss {title}", *mdoc.paragraph(sentence(category["help"]))]
        lines += mdoc.tagged([(f"Ev {each['name']}", about_variable(each)) for each in controls])
    return lines


def other_variables(variables):
    return mdoc.tagged([(f"Ev {each['name']}", mdoc.paragraph(each["help"] + "."))
                        for each in variables["other_variables"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--document", action="append", default=[], help="PROGRAM.json of a command that the page is of")
    parser.add_argument("--variables", help="variables.json, if the source asks for variables")
    parser.add_argument("--version", required=True, help="Bowline's version")
    parser.add_argument("source", help="the page's source")
    parser.add_argument("page", help="the file to write")
    given = parser.parse_args()
    commands = [declared.read_command(path) for path in given.document]
    variables = json.loads(pathlib.Path(given.variables).read_text(encoding="utf-8")) if given.variables else None
    parts = {"@OPTIONS@": lambda: options(commands), "@OTHER_LAUNCHERS@": lambda: other_launchers(commands),
             "@SETTINGS@": lambda: settings(variables), "@OTHER_VARIABLES@": lambda: other_variables(variables)}
    lines = []
    literal = False
    for line in pathlib.Path(given.source).read_text(encoding="utf-8").splitlines():
        literal = line.startswith(".Bd") or (literal and line != ".Ed")
        line = line.replace("@VERSION@", given.version)
        if line in parts:
            lines += parts[line]()
        else:
            lines += [line] if literal or line.startswith(".") else mdoc.filled(line)
    text = "\n".join(lines) + "\n"
    if unknown := re.search(r"@\w+@", text):
        parser.error(f"{given.source}: {unknown[0]} is no part that can be filled in")
    pathlib.Path(given.page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
