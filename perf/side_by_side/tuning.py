# SPDX-License-Identifier: BSD-3-Clause
"""Derives rules that beat the defaults from the times of forced algorithms. perf/tune runs the measurements.

Times of one operation with one number of ranks are {variant: {size: [microseconds by batch]}}. A variant is ALGORITHM,
ALGORITHM:SEGMENT, or DEFAULT for the choice without rules. The n-th batches of all variants were timed one after the
other.
"""

import dataclasses
import math
import re
import statistics

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
DEFAULT = "default"
# A rule is worth its risk only where it gains more than the noise of a machine that does nothing else, each time.
GAIN = 0.9  # a variant replaces the default where it takes at most this part of the default's time
HOLDS = 0.9  # and when it is measured again, at most this part each time
NOWHERE_SLOWER = 1.0  # one for all sizes: at none more than this part, at first and each time
SLOWER = 1.05  # with rules a call is slower if it takes more than this part of the time without
CLOSE = 1.05  # one that is no more than this much slower than the best one is kept from the size before
MOST_BATCHES = 0.75  # and it must have been faster in this part of the batches
ELEMENT = 8  # operands of reductions are as long
SHORT = 64  # sizes below the smallest that was measured count as measured if that is no longer than this
NO_LENGTH = ("barrier", "gatherv", "scatterv", "alltoallv")  # all members know none, so no rule has one
WHOLE_VECTOR = ("reduce_scatter", "reduce_scatter_block")  # rules count all blocks, the benchmark one
WITH_BLOCKS = ("gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
               *WHOLE_VECTOR)  # a size is that of one rank's block
ROWS_OF_COLOURS = 3


def parse_algorithms(text):
    """What `bowline-info --collectives` lists: {operation: {algorithm: constraints}}."""
    found, operation = {}, None
    for line in text.splitlines()[1:]:
        if not line.startswith(" "):
            operation = line.strip()
            found[operation] = {}
        elif match := re.match(r"  (\w+) +\S.*?(?:\(([^()]*)\))?$", line):
            found[operation][match[1]] = match[2] or ""
    return found


def parse_what_runs(text):
    """What `bowline-info --collectives --op OP --ranks N` says: [(longest length, variant)], ascending."""
    found = []
    for line in text.splitlines():
        if match := re.fullmatch(r"  (?:any length|\d+ and more|\d+ to (\d+)): +(\S+)", line):
            found.append((int(match[1]) if match[1] else math.inf, match[2]))
    return found


def rules_length(operation, ranks, size):
    """The length that rules see of a size."""
    return 0 if operation in NO_LENGTH else size * ranks if operation in WHOLE_VECTOR else size


def without_defaults(operation, ranks, chosen, what_runs):
    """A choice without what runs anyway."""
    def runs(size):
        return next((name for longest, name in what_runs if rules_length(operation, ranks, size) <= longest), None)
    return {size: DEFAULT if variant == runs(size) else variant for size, variant in chosen.items()}


def variants(algorithms, ranks, sizes, segments):
    """What is worth measuring among so many ranks: every algorithm; where it works in segments, with each short one."""
    chosen = []
    for name, constraints in algorithms.items():
        if needs_power_of_two(constraints) and ranks & (ranks - 1):
            continue
        if "segmented" in constraints:
            chosen += [f"{name}:{size_text(segment)}" for segment in segments if 2 * segment <= max(sizes)]
        else:
            chosen.append(name)
    return chosen


def needs_power_of_two(constraints):
    """Whether an algorithm serves 2, 4, 8... ranks only."""
    return "2, 4, 8... ranks only" in constraints


def needs_shared_memory(constraints):
    """Whether an algorithm works in memory that all ranks share."""
    return "shared memory only" in constraints


def size_text(size):
    """As rules write it: 64K for 65536."""
    for unit, suffix in ((GIB, "G"), (MIB, "M"), (KIB, "K")):
        if size and size % unit == 0:
            return f"{size // unit}{suffix}"
    return str(size)


def typical(values):
    """The time of one call where others disturb it: the median of the faster half of its batches."""
    return statistics.median(sorted(values)[:(len(values) + 1) // 2])


def ratio(times, variant, size):
    """The time of a variant by that of the default: the larger of two estimates, so that noise seldom looks like gain.

    One is the median over the batches, each compared with its neighbour in time; the other compares undisturbed times.
    """
    ours, others = times[variant][size], times[DEFAULT][size]
    paired = statistics.median(one / other for one, other in zip(ours, others))
    return max(paired, typical(ours) / typical(others))


def beats_default(times, variant, size):
    """Whether a variant is faster than the default beyond noise."""
    pairs = list(zip(times[variant][size], times[DEFAULT][size]))
    faster = sum(one < other for one, other in pairs)
    return ratio(times, variant, size) <= GAIN and faster >= MOST_BATCHES * len(pairs)


def is_slower(times, variant, size):
    """Whether a variant is slower than the default beyond noise: of the two estimates the smaller one says so."""
    ours, others = times[variant][size], times[DEFAULT][size]
    slower = sum(one > other for one, other in zip(ours, others))
    paired = statistics.median(one / other for one, other in zip(ours, others))
    return min(paired, typical(ours) / typical(others)) >= SLOWER and slower >= MOST_BATCHES * len(ours)


def sizes_of(times):
    """All sizes at which the default was measured, ascending."""
    return sorted(times.get(DEFAULT, {}))


def best_by_size(times):
    """{size: variant}: the fastest that beats the default, or that of the size before if it is nearly as fast."""
    chosen, previous = {}, None
    for size in sizes_of(times):
        better = {variant: typical(by_size[size]) for variant, by_size in times.items()
                  if variant != DEFAULT and size in by_size and beats_default(times, variant, size)}
        if not better:
            previous = None
        elif previous not in better or better[previous] > CLOSE * min(better.values()):
            previous = min(better, key=better.get)
        chosen[size] = previous or DEFAULT
    return chosen


def best_of_all(times):
    """One variant for all sizes, by the geometric mean; it may be slower than the default at none."""
    means = {DEFAULT: 1.0}
    for variant, by_size in times.items():
        if variant == DEFAULT or sorted(by_size) != sizes_of(times):
            continue
        ratios = [ratio(times, variant, size) for size in by_size]
        mean = statistics.geometric_mean(ratios)
        if mean <= GAIN and max(ratios) <= NOWHERE_SLOWER:
            means[variant] = mean
    return min(means, key=means.get)


def choose(operation, times):
    """{size: variant} as rules can say it: one for all sizes where members do not know the length."""
    if operation in NO_LENGTH:
        return dict.fromkeys(sizes_of(times), best_of_all(times))
    return best_by_size(times)


def with_middles(operation, chosen):
    """A choice with the lengths half way (as ratios go) between two that both leave the default, which take the choice
    of the shorter: rules serve what lies between too, so it is measured before they are written."""
    found = dict(chosen)
    sizes = sorted(chosen) if operation not in NO_LENGTH else []
    for shorter, longer in zip(sizes, sizes[1:]):
        middle = math.isqrt(shorter * longer) // ELEMENT * ELEMENT
        if DEFAULT not in (chosen[shorter], chosen[longer]) and shorter < middle < longer:
            found[middle] = chosen[shorter]
    return found


def worst_again(again, size):
    """The largest ratio of the variant "tuned" to the default in any of the jobs that measured again."""
    return max(ratio(times, "tuned", size) for times in again)


def confirm(operation, chosen, again):
    """What is left of a choice after it was measured again in jobs of their own, `again`: what held in all of them.

    Where one rule serves all sizes it stays or goes as a whole.
    """
    if operation in NO_LENGTH:
        mean = max(statistics.geometric_mean(ratio(times, "tuned", size) for size in chosen) for times in again)
        worst = max(worst_again(again, size) for size in chosen)
        return chosen if mean <= HOLDS and worst <= NOWHERE_SLOWER else dict.fromkeys(chosen, DEFAULT)
    return {size: variant if variant != DEFAULT and worst_again(again, size) <= HOLDS else DEFAULT
            for size, variant in chosen.items()}


@dataclasses.dataclass(frozen=True)
class Points:
    """What one job measures, and how long about it takes."""

    operation: str
    ranks: int
    sizes: list
    seconds: float


@dataclasses.dataclass(frozen=True)
class Situation:
    """Where something was measured, which its rules are for: `placement` is a condition of rules, such as
    shared-memory or several-nodes; more ranks than cores matter on one node only."""

    ranks: int
    placement: str
    oversubscribed: bool

    def conditions(self, fewest, most):
        """As rules write it, for `fewest` to `most` ranks."""
        crowd = "oversubscribed" if self.oversubscribed else "not-oversubscribed"
        crowd = "" if self.placement == "several-nodes" else f" {crowd}"
        return f"ranks>={fewest} ranks<={most} {self.placement}{crowd}"


def ranges(operation, ranks, chosen):
    """[(least bytes or None, most bytes or None, variant)] of the sizes that do not keep the default.

    Between two sizes that were measured one choice gives way to another half way (as ratios go), but to the default at
    once: nothing is known of what lies between.
    """
    factor = ranks if operation in WHOLE_VECTOR else 1
    if operation in NO_LENGTH:
        return [(None, None, variant) for variant in set(chosen.values()) if variant != DEFAULT]
    found, sizes = [], sorted(chosen)
    for index, size in enumerate(sizes):
        if chosen[size] == DEFAULT:
            continue
        before = sizes[index - 1] if index > 0 else None
        if before is not None and chosen[before] == chosen[size]:
            found[-1] = (found[-1][0], size * factor, chosen[size])
            continue
        least = 0 if before is None and size <= SHORT else size
        if before is not None and chosen[before] != DEFAULT:
            middle = math.isqrt(before * size)
            found[-1] = (found[-1][0], middle * factor, chosen[before])
            least = middle + 1
        found.append((least * factor, size * factor, chosen[size]))
    return [(least or None, most, variant) for least, most, variant in found]


def rules(operation, situation, chosen, below, fewest):
    """The lines of a collectives file: `chosen` is for as many ranks as were measured, `below` for fewer."""
    if fewest == situation.ranks or chosen == below:
        return _lines(operation, situation, chosen, fewest, situation.ranks)
    return (_lines(operation, situation, chosen, situation.ranks, situation.ranks)
            + _lines(operation, situation, below, fewest, situation.ranks - 1))


def _lines(operation, situation, chosen, fewest, most):
    lines = []
    for least, longest, variant in ranges(operation, situation.ranks, chosen):
        length = "" if least is None else f" bytes>={size_text(least)}"
        length += "" if longest is None else f" bytes<={size_text(longest)}"
        lines.append(f"{operation}{length} {situation.conditions(fewest, most)} = {variant}")
    return lines


def fewest_ranks(operation, ranks, measured, cores):
    """From how many ranks on the rules of `ranks` are used: above the next smaller number that is measured, or half as
    many; all with a core each, or none. A scattered reduction of fewer ranks has other blocks for the same length."""
    if operation in WHOLE_VECTOR:
        return ranks
    smaller = max((one for one in measured if one < ranks), default=1)
    return max(smaller + 1, ranks // 2 + 1, cores + 1 if ranks > cores else 0)


def hint(operation, ranks, chosen):
    """The same choice as a communicator's hint."""
    parts = []
    for least, most, variant in ranges(operation, ranks, chosen):
        length = "" if least is None else f" bytes>={least}"
        length += "" if most is None else f" bytes<={most}"
        parts.append(f"{operation}{length} = {variant}")
    return ", ".join(parts)


def plot(pyplot, operation, ranks, times, path):
    """Time against size, one line for each variant; what runs without rules is black."""
    figure, axes = pyplot.subplots(figsize=(10, 6))
    index = 0
    for variant, by_size in sorted(times.items(), key=lambda item: item[0] == DEFAULT):
        points = sorted((size, typical(values)) for size, values in by_size.items())
        look = {"color": "black", "linewidth": 2.5} if variant == DEFAULT else {
            "color": f"C{index % 10}", "linestyle": ("-", "--", ":")[index // 10 % ROWS_OF_COLOURS]}
        index += variant != DEFAULT
        axes.plot(*zip(*points), marker="o", markersize=3, label=variant, **look)
    axes.set(yscale="log", ylabel="time of one call (us)", title=f"{operation}, {ranks} ranks",
             xlabel="length of a rank's block (bytes)" if operation in WITH_BLOCKS else "length of the data (bytes)")
    axes.set_xscale("symlog", base=2, linthresh=1)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
