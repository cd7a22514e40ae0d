# SPDX-License-Identifier: BSD-3-Clause
"""The page of a measurement: one file that needs no other, to be shown to others.

What is lost comes before what is won. Each figure has its spread: the median over the rounds with the lowest and the
highest, in plots as a band.
"""

from . import against, behind, chart, page_parts as parts, plots
from .implementations import COLLECTIVES
from .measure import RAW
from .page_style import STYLE
from .spread import Spread
from .summary import (NO_RATIO, SHAPE, collective_of, describe, layout_lines, raw_lines, shape_text, size_text)

GROUPS = (("latency", "Latency"), ("bandwidth", "Bandwidth"), ("bibw", "Bandwidth in both directions"),
          ("message_rate", "Message rate"), ("match", "Matching"), ("pack", "Packing"), ("unpack", "Unpacking"),
          ("pingpong", "Messages of data with holes"), ("op", "Operators"), ("rate", "Threads"), ("thread", "Threads"),
          ("lock", "Threads"), ("exchange", "All-pairs exchange"), ("crowd", "Many ranks of one node"),
          ("memory", "Memory"), ("idle", "Waiting"), ("flood", "Floods"), ("init", "Start-up"))
# On a telephone the first ones are seen without scrolling.
BEHIND_COLUMNS = ["behind at", "size", "times as bad", "difference", "Bowline", "best peer", "unit", "peer",
                  "rounds behind"]


class Page:
    """One measurement: its record, the summary of it, the verdicts on bounds, and the changes since an older one."""

    def __init__(self, record, summary, verdicts, comparison=None, older=""):
        self.record, self.summary, self.verdicts = record, summary, verdicts
        self.comparison, self.older = comparison, older
        self.losses = behind.points(summary, record.metrics)

    def spread(self, metric, size, name):
        """The spread of one point, or None."""
        values = self.summary.rounds.get((metric, size), {}).get(name)
        return Spread.of(values.values()) if values else None

    def compared(self):
        """How many points have a peer beside the subject, and a ratio that says something."""
        return sum(1 for metric in self.record.metrics if self.summary.units.get(metric) not in NO_RATIO
                   for size in self.summary.sizes(metric)
                   if self.summary.ratio(metric, size, self.summary.best_peer(metric, size)) is not None)

    # What is first seen.

    def headline(self):
        """One sentence."""
        points, lost = self.compared(), len(self.losses)
        subject = self.summary.subject
        if not points:
            return f"{subject} has nothing to be compared with in this measurement."
        return (f"{subject} is behind the best other MPI at {lost} of {points} measured points, and ahead or equal at "
                f"{points - lost}.")

    def tiles(self):
        """The first four figures."""
        points, lost = self.compared(), len(self.losses)
        clear = sum(self.difference(one) == "clear" for one in self.losses)
        judged = [one for one in self.verdicts if one.judged]
        held = sum(bool(one.holds) for one in judged)
        tiles = [parts.tile("behind the best peer", f"{lost} of {points}",
                            f"{clear} of them beyond the spread of the rounds", "poor" if lost else "good"),
                 parts.tile("own bounds held", f"{held} of {len(judged)}" if judged else "-",
                            f"{len(self.verdicts) - len(judged)} cannot be judged here" if judged else
                            "none is about what was measured", "good" if held == len(judged) else "poor"),
                 parts.tile("rounds", self.record.rounds, "each begins with another MPI"),
                 parts.tile("not measured", len(self.record.problems), "programs that failed, listed below",
                            "poor" if self.record.problems else "good")]
        if self.comparison is not None:
            slower, faster = len(self.comparison.slower), len(self.comparison.faster)
            tiles[2] = parts.tile("slower than before", slower, f"{faster} faster, {self.comparison.points} compared",
                                  "poor" if slower else "good")
        return f'<div class="figures">{"".join(tiles)}</div>\n'

    def difference(self, loss):
        """What the rounds of both sides of a loss say about it."""
        mine, other = (self.spread(loss.metric, loss.size, name) for name in (self.summary.subject, loss.peer))
        if min(len(mine.values), len(other.values)) < 2:
            return "one round"
        return "within spread" if mine.overlaps(other) else "clear"

    # Tables.

    def behind_table(self):
        """Where a peer is ahead, worst first."""
        rows = []
        for one in self.losses:
            told = {name: parts.text(text) for name, text in zip(behind.HEADER, one.row(self.summary))}
            for column, name in (("Bowline", self.summary.subject), ("best peer", one.peer)):
                told[column] = parts.with_spread(self.spread(one.metric, one.size, name))
            said = self.difference(one)
            told["difference"] = '<b class="poor">clear</b>' if said == "clear" else said
            rows.append([told[name] for name in BEHIND_COLUMNS])
        if not rows:
            return '<p class="good">At no measured point.</p>' if self.compared() else ""
        return parts.table(BEHIND_COLUMNS, rows, "behind")

    def changes_tables(self):
        """What is slower and what is faster than in the older run."""
        if self.comparison is None:
            return ""
        body = f"<p>{parts.text(self.comparison.headline())}.</p>{parts.items(self.comparison.warnings)}"
        for word, changed in (("slower", self.comparison.slower), ("faster", self.comparison.faster)):
            rows = [[parts.text(text) for text in row] for row in self.comparison.rows(changed)]
            body += f"<h3>{word.capitalize()}: {len(rows)}</h3>" + parts.table(against.HEADER, rows, "changes")
        return body

    def bounds_table(self):
        """The bounds that Bowline sets itself, those that fail first."""
        order = {False: 0, None: 1, True: 2}
        words = {True: '<span class="good">holds</span>', False: '<b class="poor">fails</b>',
                 None: '<b class="poor">not measured</b>'}
        rows = [[parts.text(one.bound.text()), parts.text(one.text), words[one.holds] if one.judged else "not judged"]
                for one in sorted(self.verdicts, key=lambda one: (not one.judged, order[one.holds]))]
        return parts.table(["bound", "figure", ""], rows, "bounds")

    def points_tables(self):
        """Every measured point, by what was measured."""
        groups = {}
        for metric in self.record.metrics:
            groups.setdefault(group_of(metric), []).append(metric)
        names = [*([RAW] if any(RAW in by_name for by_name in self.summary.rounds.values()) else []),
                 *self.summary.names]
        with_ratio = self.summary.subject in self.summary.names and len(self.summary.names) > 1
        header = ["what", "size", "unit", *names, *(["to best peer"] if with_ratio else [])]
        body = ""
        for group, metrics in groups.items():
            rows = [row for metric in metrics for row in self.rows_of(metric, names, with_ratio)]
            body += f"<h3>{parts.text(group)}</h3>{parts.table(header, rows, 'points')}" if rows else ""
        return body

    def rows_of(self, metric, names, with_ratio):
        """The rows of one metric: all its sizes."""
        rows = []
        for size in self.summary.sizes(metric):
            unit = parts.text(self.summary.units[metric])
            row = [parts.text(describe(metric)), size_text(size) if size else "", unit,
                   *(parts.with_spread(self.spread(metric, size, name)) for name in names)]
            if with_ratio:
                peer = self.summary.best_peer(metric, size)
                ratio = None if self.summary.units[metric] in NO_RATIO else self.summary.ratio(metric, size, peer)
                worse = ratio is not None and (ratio < 1 if self.summary.higher_is_better(metric) else ratio > 1)
                row.append("-" if ratio is None else f'<b class="poor">{ratio:.2f}</b>' if worse else f"{ratio:.2f}")
            rows.append(row)
        return rows

    # Plots.

    def all_plots(self):
        """Every plot of which something was measured."""
        found = [self.plot(across, title, metrics) for across, title, metrics in plots.PLOTS.values()]
        shaped = {metric for metric in self.record.metrics if SHAPE.fullmatch(metric)}
        found += [self.plot("bytes", describe(metric), (metric,)) for metric in self.record.metrics if metric in shaped]
        found = [one for one in found if one]
        return f'<div class="plots">{"".join(found)}</div>' if found else ""

    def plot(self, across, title, metrics):
        """One plot with its key, or nothing."""
        metrics = [metric for metric in metrics if metric in self.summary.units]
        if not metrics:
            return ""
        drawn = chart.draw(self.summary, self.spread, metrics, self.summary.units[metrics[0]], across)
        if not drawn:
            return ""
        key = parts.legend(self.summary.names, metrics)
        return f"<figure><figcaption>{parts.text(title)}</figcaption>{key}{drawn}</figure>\n"

    # The rest.

    def setting(self):
        """The machine, what was measured with what, and when."""
        rows = list(self.record.machine.items())
        for one in self.record.implementations:
            with_what = f"; compiled by {one['compiler']}" if one.get("compiler") else ""
            rows.append((one["name"], f"{one.get('library') or 'its version is not known'}{with_what}"))
            rows.append((f"{one['name']}, commands", f"{' '.join(one['mpicc'])}; {' '.join(one['mpiexec'])}"))
        rows += [("date", self.record.date), ("rounds", self.record.rounds), ("command", self.record.command)]
        return parts.facts(rows) + parts.items(raw_lines(self.summary))

    def html(self):
        """The whole page."""
        cards = [
            ("behind", "Where a peer is ahead", self.behind_table(),
             "Every measured point, worst first. The small figures are the lowest and the highest round; a difference "
             "is clear if no round of one is like one of the other (of seven and more, one at either end is left "
             "out)."),
            ("changes", f"Against {self.older}", self.changes_tables(), ""),
            ("setting", "Machine and versions", self.setting(), ""),
            ("doubts", "What makes the figures doubtful", parts.items(self.record.notes), ""),
            ("problems", "What could not be measured",
             "".join(f"<pre>{parts.text(problem)}</pre>" for problem in self.record.problems), ""),
            ("bounds", "The bounds that Bowline sets itself", self.bounds_table(), "Those that fail come first."),
            ("plots", "Plots", self.all_plots(), "Medians as lines, all rounds as bands; both axes are logarithmic."),
            ("means", "Geometric means over the sizes",
             parts.items(layout_lines(self.summary, self.record.metrics)), ""),
            ("points", "All figures", self.points_tables(),
             "Medians over the rounds, with the lowest and the highest round. To best peer: Bowline's figure by that "
             "of the best other MPI, the median of the rounds' ratios; above 1 is better for rates, below 1 for all "
             "else.")]
        shown = [(name, title, made) for name, title, body, note in cards
                 if (made := parts.section(name, title, body, note))]
        links = "".join(f'<a href="#{name}">{parts.text(title)}</a>' for name, title, _ in shown)
        return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f"<title>{parts.text(' and '.join(self.summary.names))}, side by side</title>\n<style>{STYLE}</style>"
                f"</head><body><main>\n<header><h1>{parts.text(', '.join(self.summary.names))}: side by side</h1>"
                f"<p>{parts.text(self.record.phrase)}; {parts.text(self.record.date)}</p>"
                f"<p><b>{parts.text(self.headline())}</b></p><nav>{links}</nav></header>\n{self.tiles()}"
                f"{''.join(made for _, _, made in shown)}"
                f"<footer>Made by <code>{parts.text(self.record.command)}</code>. docs/performance.md says what each "
                "benchmark measures.</footer>\n</main></body></html>\n")


def group_of(metric):
    """Under which heading a metric stands."""
    shape = SHAPE.fullmatch(metric)
    if shape:
        kind = "Collectives" if shape["name"] in COLLECTIVES else "Messages"
        return f"{kind}: {shape_text(shape)}"
    if collective_of(metric):
        ranks = metric.rpartition("_")[2]
        return f"Collectives of {ranks if ranks.isdigit() else 2} ranks"
    return next((title for start, title in GROUPS if metric.startswith(start)), "Others")


def write(path, page):
    """Writes the page."""
    path.write_text(page.html(), encoding="utf-8")
