# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of HTML: text, tables, lists, and the keys of plots."""

import html

from .chart import DASHES
from .summary import describe, figure

LEFT_ALIGNED = {"what", "unit", "peer", "behind at", "bound", "figure", "difference", ""}


def text(value):
    """For text and for values of attributes."""
    return html.escape(str(value))


def section(name, title, body, note=""):
    """One card of the page; nothing without a body."""
    if not body:
        return ""
    said = f"<p>{text(note)}</p>" if note else ""
    return f'<section id="{name}"><h2>{text(title)}</h2>{said}{body}</section>\n'


def cell(heading, content, tag="td"):
    """One cell. Numbers stand on the right."""
    kind = "" if heading in LEFT_ALIGNED else ' class="number"'
    return f"<{tag}{kind}>{content}</{tag}>"


def table(header, rows, kind):
    """A table that scrolls by itself where the screen is narrow. The cells of `rows` are HTML already."""
    if not rows:
        return ""
    head = "".join(cell(name, text(name), "th") for name in header)
    body = "".join(f"<tr>{''.join(cell(name, one) for name, one in zip(header, row))}</tr>\n" for row in rows)
    return (f'<div class="wide"><table class="{kind}"><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>'
            "</div>")


def facts(pairs):
    """What is called what."""
    rows = "".join(f"<tr><th>{text(what)}</th><td>{text(value)}</td></tr>\n" for what, value in pairs)
    return f'<table class="facts"><tbody>{rows}</tbody></table>' if rows else ""


def items(sentences):
    """A list."""
    return f"<ul>{''.join(f'<li>{text(one)}</li>' for one in sentences)}</ul>" if sentences else ""


def tile(label, value, note="", kind=""):
    """One of the figures at the top."""
    return (f'<div><p class="label">{text(label)}</p><p class="value {kind}">{text(value)}</p>'
            f'<p class="note">{text(note)}</p></div>')


def with_spread(spread):
    """The median, and below it the middle half of the rounds and all of them; '-' for None."""
    if spread is None:
        return "-"
    if len(spread.values) == 1:
        return figure(spread.median)
    low, high = spread.quartiles()
    return (f'{figure(spread.median)}<small title="quartiles {figure(low)} to {figure(high)}">'
            f"{figure(spread.lowest)} to {figure(spread.highest)}</small>")


def legend(names, metrics):
    """Which colour is which MPI; which dashes which metric, if there are several."""
    def key(classes, dash, label):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        return (f'<span><svg viewBox="0 0 26 8" aria-hidden="true"><line class="line {classes}"{dashes} x1="0" y1="4" '
                f'x2="26" y2="4"/></svg>{text(label)}</span>')
    keys = [key(f"m{index % 6}", "", name) for index, name in enumerate(names)]
    if len(metrics) > 1:
        keys += [key("m5", dash, describe(metric)) for dash, metric in zip(DASHES, metrics)]
    return f'<div class="legend">{"".join(keys)}</div>'
