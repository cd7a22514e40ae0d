# SPDX-License-Identifier: BSD-3-Clause
"""Completion for zsh: a function that calls _arguments with the declared options."""
import re

ACTIONS = {"file": "_files", "directory": "_files -/", "program": "_command_names -e", "host": "_hosts",
           "variable": '_parameters -g "*export*"', "process": "_pids", "text": " "}

# Only what stands behind the last : of the line counts: there another program begins.
NEXT_PROGRAM = """\
  local -a before=("${(@)words[1,CURRENT-1]}")
  local -i colon=${before[(I):]}
  if ((colon > 0)); then
    words=("$words[1]" "${(@)words[colon+1,-1]}")
    ((CURRENT -= colon - 1))
  fi
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def action(value):
    if value.kind == "words" and value.is_list:
        return f"_values -s , value {' '.join(value.words)}"
    if value.kind == "words":
        return f"({' '.join(value.words)})"
    return ACTIONS[value.kind]


def escaped(text):
    """Text in which nothing ends the description of an option or a value."""
    return re.sub(r"([\\:\[\]])", r"\\\1", text)


def message(value):
    """What stands over the values: their name, without the values themselves."""
    names = [word for word in value.alternatives if re.search("[A-Z]", word)]
    return escaped(names[0].lower() if names else "value")


def specifications(option):
    """One for each name of an option. The other names are not offered after one of them, unless it may be repeated."""
    others = " ".join(name.removesuffix("=") for name in option.names)
    for name in option.names:
        text = "*" if option.repeats else f"({others})" if len(option.names) > 1 else ""
        text += escaped(name.removesuffix("="))
        if option.value:
            text += "=-" if name.endswith("=") else "=" if name.startswith("--") else ""
        text += f"[{escaped(option.help)}]"
        if option.value:
            colon = "::" if option.value_may_be_missing else ":"
            text += f"{colon}{message(option.value)}:{action(option.value)}"
        yield quoted(text)


def silent(command):
    """Options that are not offered: those of other launchers, and mpiexec's own with one dash."""
    for option in command.foreign:
        for name in option.names:
            yield quoted(f"!{escaped(name)}" + ": : " * option.values)
    if command.foreign:
        for option in command.options:
            for name in option.names:
                if name.startswith("--"):
                    value = f":{message(option.value)}:{action(option.value)}" if option.value else ""
                    yield quoted(f"!{escaped(name[1:])}{value}")


def script(command, names):
    rows = [row for option in command.options for row in specifications(option)] + list(silent(command))
    if command.runs_a_program:
        rows += [quoted("(-)1:program:_command_names -e"), quoted("*::argument:_files")]
    elif command.argument:
        rows.append(quoted(f"*:{message(command.argument)}:{action(command.argument)}"))
    body = " \\\n".join(f"    {row}" for row in rows)
    function = "_" + command.name.replace("-", "_")
    return (f"#compdef {' '.join(names)}\n# SPDX-License-Identifier: BSD-3-Clause\n"
            f"# Completion of {command.name} for zsh, made from the options that it declares.\n\n"
            f"{function}() {{\n{NEXT_PROGRAM if command.runs_a_program else ''}"
            f"  _arguments -S : \\\n{body}\n}}\n\n{function} \"$@\"\n")
