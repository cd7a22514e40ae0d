# SPDX-License-Identifier: BSD-3-Clause
"""Text and options in mdoc(7), the markup of manual pages."""
import re
import textwrap

WIDTH = 78  # of a line of the source, for which mandoc -T lint allows 80


def escaped(text):
    """Text in which nothing is markup. Dashes of options are those of the keyboard, at which no line breaks."""
    text = text.replace("\\", "\\e")
    return re.sub(r"(?<![\w-])--?\w[\w-]*", lambda option: option[0].replace("-", "\\-"), text)


def filled(line):
    """The line as lines that are not too long."""
    return textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def paragraph(text):
    """Lines of text, each sentence on lines of its own."""
    lines = [line for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z])", escaped(text)) for line in filled(sentence)]
    return [f"\\&{line}" if line[0] in ".'" else line for line in lines]


def value(text):
    """The name of a value: what stands for something in italics, words to be typed in bold."""
    end = text.find("[")
    end = len(text) if end < 0 else end
    parts = []
    for word in text[:end].split("|"):
        # dir=DIR: what is typed, and then what stands for something.
        typed, placeholder = re.fullmatch(r"([^A-Z]*)(.*)", word).groups()
        part = f"Cm {typed}" if typed else ""
        if placeholder:
            part += f"{' Ns ' if part else ''}Ar {placeholder}"
        parts.append(part)
    # [:SLOTS][,...] is text, in which words of capital letters stand for something.
    rest = re.sub(r"[A-Z]+", lambda name: f" Ns Ar {name[0]} Ns ", text[end:])
    rest = re.sub(r" Ns (\]?)$", r" \1", rest).rstrip()  # nothing follows, or ] alone, before which there is no space
    return " | ".join(parts) + (f" Ns {rest}" if rest else "")


def flag(name):
    """The name of an option, with its dashes."""
    return "Fl " + name[1:].replace("-", "\\-")


def names(option):
    """The macros for the names of an option and its value."""
    shown = " , ".join(flag(name) for name in option.names)
    if option.value is None:
        return shown
    shown_value = value(option.value.text)
    if option.names[-1].endswith("="):
        return f"{shown} Ns {shown_value}"
    return f"{shown} Op {shown_value}" if option.value_may_be_missing else f"{shown} {shown_value}"


def tagged(entries, indent="Ds"):
    """A list of pairs: the macros of what is described, and lines about it."""
    lines = [f".Bl -tag -width {indent}"]
    for what, about in entries:
        lines += [f".It {what}", *about]
    return [*lines, ".El"]
