# SPDX-License-Identifier: BSD-3-Clause
"""Completion for fish: a call of `complete` for each declared option."""

ACTIONS = {"file": "-rF", "directory": "-xa '(__fish_complete_directories)'",
           "program": "-xa '(__fish_complete_command)'", "host": "-xa '(__fish_print_hostnames)'",
           "variable": "-xa '(set --names --export)'",
           "process": "-xa '(__fish_complete_pids)'", "text": "-x"}

# Whether the word under the cursor stands before the program, also of a further program behind a colon. With the
# argument "program": whether it may be the program, and not the value of an option.
BEFORE_PROGRAM = """\
function {name}
    set -l words (commandline -opc)
    set -l values 0
    set -l program no
    for word in $words[2..]
        if test $word = :
            set program no
            set values 0
        else if test $program = yes
            continue
        else if test $values -gt 0
            set values (math $values - 1)
        else
            switch $word
                case {two}
                    set values 2
                case {one}
                    set values 1
                case '-*'
                case '*'
                    set program yes
            end
        end
    end
    test $program = no; and begin
        test "$argv" != program; or test $values = 0
    end
end
"""


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def action(value):
    if value.kind == "words" and value.is_list:
        return f"-xa '(__fish_complete_list , \"printf %s\\\\\\\\n {' '.join(value.words)}\")'"
    if value.kind == "words":
        return f"-xa {quoted(' '.join(value.words))}"
    return ACTIONS[value.kind]


def switch(name):
    """fish tells one letter, a long name, and a long name with one dash apart."""
    if name.startswith("--"):
        return f"-l {quoted(name[2:])}"
    return f"-s {name[1]}" if len(name) == 2 else f"-o {quoted(name[1:])}"


def before_program(command, name):
    """The function that is the condition of a command's options."""
    def patterns(count):
        words = [word for option in command.foreign if option.values == count for word in option.names]
        if count == 1:
            words += [each for option in command.options if option.value
                      for word in option.names for each in {word, word.replace("--", "-", 1)}]
        return " ".join(sorted(quoted(word) for word in words))
    return BEFORE_PROGRAM.format(name=name, one=patterns(1), two=patterns(2))


def calls(command, condition):
    """The lines for the options and arguments."""
    start = f"complete -c {command.name}{' -n ' if condition else ''}{condition}"
    for option in command.options:
        takes = f" {action(option.value)}" if option.value else ""
        switches = " ".join(switch(name.removesuffix("=")) for name in option.names)
        yield f"{start} {switches}{takes} -d {quoted(option.help)}"
    if command.runs_a_program:
        yield f"complete -c {command.name} -n {quoted(condition + ' program')} {ACTIONS['program']}"
    elif command.argument is None:
        yield f"{start} -f"
    elif command.argument.kind not in ("file", "text"):
        yield f"{start} {action(command.argument)}"


def script(command, names):
    function = f"__bowline_before_program_of_{command.name}"
    text = ("# SPDX-License-Identifier: BSD-3-Clause\n"
            f"# Completion of {command.name} for fish, made from the options that it declares.\n")
    condition = ""
    if command.runs_a_program:
        text += before_program(command, function)
        condition = function
    lines = [*calls(command, condition), *(f"complete -c {name} -w {command.name}" for name in names[1:])]
    return text + "\n".join(lines) + "\n"
