# SPDX-License-Identifier: BSD-3-Clause
"""Checks whether a collectives file makes any call slower: the measurement and report of `perf/tune --check FILE`."""

import pathlib
import re
import statistics

from . import implementations, tuning

AGAIN = 2  # later jobs in which what looks slower is measured again


def read_rules(path):
    """{operation: [its rules]} of a collectives file."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise implementations.CompareError(f"--check {path} cannot be read ({error}): name a collectives "
                                           "file") from None
    found = {}
    for rule in re.split(r"[,;\n]", re.sub(r"#[^\n]*", "", text)):
        if operation := re.match(r"\s*(\w+)", rule):
            found.setdefault(operation[1], []).append(rule.strip())
    if not found:
        raise implementations.CompareError(f"--check {path}: there are no rules in it, so that nothing can be slower")
    return found


def for_ranks(rules, ranks):
    """Those that may serve so many ranks: a communicator's hint has little room."""
    def serves(rule):
        fewest, most = re.search(r"\branks>=(\d+)", rule), re.search(r"\branks<=(\d+)", rule)
        return (fewest is None or int(fewest[1]) <= ranks) and (most is None or ranks <= int(most[1]))
    return [rule for rule in rules if serves(rule)]


def with_lengths_between(sizes):
    """Also those half way (as ratios go): rules were made from some lengths, and serve all."""
    return sorted({*sizes, *tuning.with_middles("bcast", dict.fromkeys(sizes, "tuned"))})


def points(options, algorithms):
    """What is to be measured: [(points, hint)] for every operation and number of ranks that the file has rules for."""
    rules, found = read_rules(options.check), []
    for operation in options.op or rules:
        if operation not in algorithms:
            raise implementations.CompareError(f"'{operation}' is no operation; there are {', '.join(algorithms)}")
        for ranks in sorted(options.ranks):
            hint = ", ".join(for_ranks(rules.get(operation, []), ranks))
            sizes = [0] if operation == "barrier" else with_lengths_between(options.sizes)
            if hint:
                seconds = options.batch_ms * 1e-3 * 3 * options.batches * len(sizes)
                found.append((tuning.Points(operation, ranks, sizes, seconds), hint))
    if not found:
        raise implementations.CompareError(
            f"--check {options.check}: it has no rules for such operations and numbers of ranks (--op, --ranks)")
    return found


def check(options, tools, progress):
    """Prints what is slower with the rules in every job that measured it; returns whether anything is."""
    count, ratios, slow = 0, [], 0
    for now, hint in points(options, tools.algorithms()):
        progress(f"{now.operation} of {now.ranks} ranks")
        hints = {tuning.DEFAULT: "", "tuned": hint}
        times = [tools.times(now, hints, options.batches, options.batch_ms)[0]]
        suspects = [size for size in now.sizes if tuning.is_slower(times[0], "tuned", size)]
        for _ in range(AGAIN):
            if suspects:
                again = tuning.Points(now.operation, now.ranks, suspects, now.seconds)
                times.append(tools.times(again, hints, options.batches, options.batch_ms)[0])
                suspects = [size for size in suspects if tuning.is_slower(times[-1], "tuned", size)]
        count += len(now.sizes)
        ratios += [tuning.ratio(times[0], "tuned", size) for size in now.sizes]
        slow += len(suspects)
        for size in suspects:
            shown = ", ".join(f"{tuning.ratio(one, 'tuned', size):.2f}" for one in times)
            print(f"{now.operation} of {now.ranks} ranks, {tuning.size_text(size)} bytes: {shown} x the default's time",
                  flush=True)
    print(f"{slow} of {count} points are slower with these rules in each of {1 + AGAIN} jobs; on average a call takes "
          f"{statistics.geometric_mean(ratios):.2f} x the default's time")
    return slow > 0
