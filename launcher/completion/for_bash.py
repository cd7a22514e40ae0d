# SPDX-License-Identifier: BSD-3-Clause
"""Completion for bash: the declarations as arrays, and the functions of complete.bash, which read them."""
import pathlib
import shlex

FUNCTIONS = pathlib.Path(__file__).with_name("complete.bash")


def array(name, items, flag=""):
    """The declaration of an array; items are its words, or a dictionary."""
    if isinstance(items, dict):
        words = [f"[{shlex.quote(key)}]={shlex.quote(str(value))}" for key, value in items.items()]
        flag = "-gA"
    else:
        words = [shlex.quote(item) for item in items]
        flag = "-ga"
    body = "".join(f"  {word}\n" for word in words)
    return f"declare {flag} {name}=(\n{body})\n"


def described(value):
    """What complete.bash completes: the kind, "list" if commas may separate several, the words."""
    return " ".join([value.kind, "list" if value.is_list else "one", *value.words])


def script(command, names):
    prefix = "_bowline_" + command.name.removeprefix("bowline-")
    values = {name.removesuffix("="): described(option.value) for option in command.options if option.value
              for name in option.names}
    skipped = {name: option.values for option in command.foreign for name in option.names if option.values}
    text = FUNCTIONS.read_text(encoding="utf-8")
    text += f"\n# {command.name}: what may be written, and what values are.\n"
    text += array(f"{prefix}_options", [name for option in command.options for name in option.names])
    text += array(f"{prefix}_values", values)
    text += array(f"{prefix}_skipped", skipped)
    argument = "program one" if command.runs_a_program else described(command.argument) if command.argument else ""
    text += f"{prefix}_argument={shlex.quote(argument)}\n"
    text += f"{prefix}_runs={'yes' if command.runs_a_program else ''}\n"
    text += f"{prefix}() {{ _bowline_complete {prefix}; }}\n"
    return text + f"complete -F {prefix} {' '.join(shlex.quote(name) for name in names)}\n"
