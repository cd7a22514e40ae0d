# SPDX-License-Identifier: BSD-3-Clause
"""The command line of perf/compare, and what can be said of it before the long measurement."""

import argparse
import pathlib
import subprocess

from . import implementations, plots, records, summary
from .implementations import CompareError


def positive(text):
    """An argparse type: a whole number of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is too small, at least 1 is needed")
    return value


def benchmark_list(text):
    """An argparse type: names of benchmarks, or of collectives alone, with commas between."""
    names = text.split(",")
    for name in names:
        if name not in implementations.NAMES:
            known = ", ".join(implementations.NAMES)
            raise argparse.ArgumentTypeError(f"'{name}' is no benchmark, there are {known}")
    return names


def parse(words, description):
    """The options."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_argument_group("what is measured")
    what.add_argument("--bowline", metavar="PREFIX", type=pathlib.Path,
                      help="where Bowline is installed (default build/prefix)")
    what.add_argument("--mpi", metavar="NAME=MPICC,MPIEXEC", action="append", default=[],
                      help="one more MPI; may be repeated")
    what.add_argument("--quick", action="store_true", help="fewer sizes of some benchmarks, shorter runs, no flood")
    what.add_argument("--rounds", metavar="N", type=positive, help="rounds of all benchmarks (default 7, quick 3)")
    what.add_argument("--only", metavar="LIST", type=benchmark_list,
                      help="only these benchmarks, such as latency,bandwidth")
    what.add_argument("--realtime", action="store_true",
                      help="run what has cores of its own before all other programs (as root; needs chrt)")
    what.add_argument("--nodes", metavar="N", type=positive,
                      help="measure between N nodes of this Slurm allocation instead of on one node: srun starts the "
                      "ranks")
    what.add_argument("--ranks-per-node", metavar="N", type=positive,
                      help="with --nodes: ranks of collectives on each node, besides one (default: its cores)")
    what.add_argument("--from", metavar="FILE", type=pathlib.Path, dest="record",
                      help="measure nothing: show what --json has written")
    shown = parser.add_argument_group("what becomes of it")
    shown.add_argument("--html", metavar="FILE", type=pathlib.Path,
                       help="write everything as one page that needs no other file")
    shown.add_argument("--against", metavar="FILE", type=pathlib.Path,
                       help="list what is slower, beyond noise, than in the run whose --json has written FILE; "
                       "exit with status 4 if anything is")
    shown.add_argument("--json", metavar="FILE", type=pathlib.Path,
                       help="write every sample and the verdicts, for --against and --from")
    shown.add_argument("--svg", metavar="DIR", type=pathlib.Path,
                       help="write plots against size (needs matplotlib)")
    shown.add_argument("--markdown", metavar="FILE", type=pathlib.Path,
                       help=f"replace what stands between {summary.BEGIN_MARK} and {summary.END_MARK} in FILE")
    shown.add_argument("--enforce", action="store_true",
                       help="exit with status 3 unless every bound holds that can be judged")
    return parser.parse_args(words)


def check_outputs(options):
    """Finds out before the long measurement, not after it, whether its results can be written."""
    if options.markdown is not None:
        if not options.markdown.exists() or summary.replace_between_marks(options.markdown.read_text(), "") is None:
            raise CompareError(f"--markdown {options.markdown}: the file must exist and hold the lines "
                               f"{summary.BEGIN_MARK} and {summary.END_MARK}, which enclose the table")
    for option, path in (("--json", options.json), ("--html", options.html)):
        if path is not None and not path.resolve().parent.is_dir():
            raise CompareError(f"{option} {path}: its directory does not exist: make it first")
        if path is not None and path.is_dir():
            raise CompareError(f"{option} {path}: this is a directory: give the name of a file")


def check_together(options):
    """Options that exclude or need each other."""
    measuring = {"--only": options.only, "--rounds": options.rounds, "--nodes": options.nodes, "--mpi": options.mpi,
                 "--bowline": options.bowline, "--quick": options.quick, "--realtime": options.realtime}
    if options.record is not None:
        for option, value in measuring.items():
            if value:
                raise CompareError(f"{option} says how to measure, and --from measures nothing: leave one of them away")
    if options.nodes is None and options.ranks_per_node is not None:
        raise CompareError("--ranks-per-node says nothing without --nodes N: give both")
    if options.nodes is not None and options.realtime:
        raise CompareError("--realtime cannot reach the ranks that srun starts: leave it away beside --nodes")
    if options.realtime and subprocess.run([*implementations.REALTIME, "true"], capture_output=True,
                                           check=False).returncode != 0:
        raise CompareError("--realtime: chrt may not set a real-time priority here: be root, or leave --realtime away")


def prepare(options):
    """Checks the options; returns (matplotlib if plots are wanted, the older record, the record to be shown)."""
    check_together(options)
    check_outputs(options)
    older = records.read("--against", options.against) if options.against is not None else None
    record = records.read("--from", options.record) if options.record is not None else None
    return plots.load_matplotlib() if options.svg is not None else None, older, record
