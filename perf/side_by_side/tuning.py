# SPDX-License-Identifier: BSD-3-Clause
"""From times of forced algorithms to rules that choose the best: what perf/tune is made of, without running anything.

Times are {(operation, ranks): {variant: {size: microseconds}}}, where a variant is ALGORITHM or ALGORITHM:SEGMENT.
"""

import re
import statistics

KIB, MIB = 1 << 10, 1 << 20
CLOSE = 1.05  # an algorithm that is no more than this much slower than the best one is kept from the size before
NO_LENGTH = ("barrier", "gatherv", "scatterv", "allgatherv", "alltoallv")  # all members know none, so no rule has one
WHOLE_VECTOR = ("reduce_scatter", "reduce_scatter_block")  # rules count all blocks, the benchmark one


def parse_algorithms(text):
    """What `bowline-info --collectives` lists: {operation: [(algorithm, constraints)]}."""
    found, operation = {}, None
    for line in text.splitlines()[1:]:
        if not line.startswith(" "):
            operation = line.strip()
            found[operation] = []
        elif match := re.match(r"  (\w+) +\S.*?(?:\(([^()]*)\))?$", line):
            found[operation].append((match[1], match[2] or ""))
    return found


def variants(algorithms, ranks, sizes, segments):
    """What is worth measuring among so many ranks: every algorithm; where it works in segments, with each short one."""
    chosen = []
    for name, constraints in algorithms:
        if "2, 4, 8... ranks only" in constraints and ranks & (ranks - 1):
            continue
        if "segmented" in constraints:
            chosen += [f"{name}:{size_text(segment)}" for segment in segments if 2 * segment <= max(sizes)]
        else:
            chosen.append(name)
    return chosen


def size_text(size):
    """As rules write it: 64K for 65536."""
    for unit, suffix in ((MIB, "M"), (KIB, "K")):
        if size and size % unit == 0:
            return f"{size // unit}{suffix}"
    return str(size)


def best_by_size(times):
    """The variant to run at each size: the fastest, but that of the size before if it is nearly as fast."""
    chosen = {}
    previous = None
    for size in sorted({size for by_size in times.values() for size in by_size}):
        here = {variant: by_size[size] for variant, by_size in times.items() if size in by_size}
        fastest = min(here, key=here.get)
        if previous not in here or here[previous] > CLOSE * here[fastest]:
            previous = fastest
        chosen[size] = previous
    return chosen


def best_of_all(times):
    """The variant with the least geometric mean over the sizes, of those that were measured at all of them."""
    most = max(len(by_size) for by_size in times.values())
    means = {variant: statistics.geometric_mean(by_size.values())
             for variant, by_size in times.items() if len(by_size) == most}
    return min(means, key=means.get)


def rows(operation, ranks, times):
    """The rules for one number of ranks as [(largest length or None, variant)]."""
    if operation in NO_LENGTH:
        return [(None, best_of_all(times))]
    factor = ranks if operation in WHOLE_VECTOR else 1
    found = []
    for size, variant in best_by_size(times).items():
        if found and found[-1][1] == variant:
            found[-1] = (size * factor, variant)
        else:
            found.append((size * factor, variant))
    return found[:-1] + [(None, found[-1][1])]


def rules(times):
    """The lines of a collectives file; among more ranks than were measured the rules for the most go on."""
    lines = []
    for operation in dict.fromkeys(operation for operation, _ in times):
        measured = sorted(ranks for one, ranks in times if one == operation)
        for ranks in measured:
            limit = f" ranks<={ranks}" if ranks != measured[-1] else ""
            for longest, variant in rows(operation, ranks, times[operation, ranks]):
                length = "" if longest is None else f" bytes<={size_text(longest)}"
                lines.append(f"{operation}{length}{limit} = {variant}")
    return lines


def plot(pyplot, operation, ranks, times, path):
    """Time against size, one line for each variant."""
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for index, (variant, by_size) in enumerate(sorted(times.items())):
        points = sorted(by_size.items())
        axes.plot(*zip(*points), marker="o", markersize=3, color=f"C{index % 10}",
                  linestyle=("-", "--", ":")[index // 10 % 3], label=variant)
    axes.set(yscale="log", xlabel="bytes", ylabel="time [us]", title=f"{operation}, {ranks} ranks")
    axes.set_xscale("symlog", base=2, linthresh=1)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
