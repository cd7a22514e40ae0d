# SPDX-License-Identifier: BSD-3-Clause
"""Measurements between nodes, inside an allocation of Slurm: srun starts every MPI, each by the way that it knows."""

import dataclasses
import os
import re
import shutil
import subprocess

from .implementations import COLLECTIVES, CompareError, run
from .jobs import Job, sizes

PLUGINS = {"bowline": "pmix", "openmpi": "pmix", "mpich": "pmi2"}  # srun's --mpi of each family
PROBE = 25  # seconds that a job of two ranks may take to show that it works
LIMIT = ("--time", "5")  # minutes after which Slurm ends a step


@dataclasses.dataclass(frozen=True)
class Shape:
    """Where the ranks of a job are."""

    nodes: int
    ranks_per_node: int
    ends: tuple = ()  # the names of two nodes, if not just any will do

    @property
    def text(self):
        """How names of metrics end."""
        return f"{self.nodes}x{self.ranks_per_node}"

    def command(self, family, program):
        """The srun that runs `program` (a list) as one rank of an MPI of this family."""
        where = ["--nodelist", ",".join(self.ends)] if self.ends else []
        return ["srun", f"--mpi={PLUGINS[family]}", *LIMIT, "--kill-on-bad-exit=1", "--overcommit", *where,
                "-N", str(self.nodes), "-n", str(self.nodes * self.ranks_per_node),
                f"--ntasks-per-node={self.ranks_per_node}", *map(str, program)]


@dataclasses.dataclass(frozen=True)
class Allocation:
    """The nodes that Slurm has given."""

    names: tuple
    cpus_per_node: int

    @classmethod
    def find(cls, wanted, environment=None):
        """The first `wanted` nodes of this allocation, or a CompareError: there is none, or it is too small."""
        environment = os.environ if environment is None else environment
        option = f"--nodes {wanted}"
        if "SLURM_JOB_ID" not in environment or "SLURM_JOB_NODELIST" not in environment:
            raise CompareError(f"{option}: this is no Slurm allocation (SLURM_JOB_ID is not set): start it as 'salloc "
                               f"-N {wanted} perf/compare {option}', or from an sbatch script")
        if shutil.which("srun", path=environment.get("PATH")) is None:
            raise CompareError(f"{option}: srun is not found in PATH: Slurm's clients are needed on this node")
        answer = subprocess.run(["scontrol", "show", "hostnames", environment["SLURM_JOB_NODELIST"]],
                                capture_output=True, text=True, timeout=60, check=False)
        names = answer.stdout.split()
        if len(names) < wanted:
            raise CompareError(f"{option}: this allocation has {len(names)} node{'s' * (len(names) != 1)} "
                               f"({environment['SLURM_JOB_NODELIST']}): ask for as many with salloc -N {wanted}")
        cpus = re.match(r"\d+", environment.get("SLURM_JOB_CPUS_PER_NODE", "1"))
        return cls(tuple(names[:wanted]), int(cpus[0]) if cpus else 1)

    def check_sees(self, path, remedy):
        """Throws CompareError unless all nodes see `path`."""
        nodes = str(len(self.names))
        done = subprocess.run(["srun", *LIMIT, "--overcommit", "--nodelist", ",".join(self.names), "-N", nodes, "-n",
                               nodes, "--ntasks-per-node=1", "test", "-e", str(path)], capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode != 0:
            said = f" ({done.stderr.splitlines()[0]})" if done.stderr.strip() else ""
            raise CompareError(f"--nodes {nodes}: not all nodes see {path}{said}: {remedy}")

    def starts_at_ends(self, family, program):
        """Whether a program of MPI starts on the first and the last node alone. Some versions of Slurm (22.05 among
        them) cannot wire up a step that leaves out nodes between its own."""
        shape = Shape(2, 1, (self.names[0], self.names[-1]))
        try:
            run(shape.command(family, [program, "--batches", "1", "--batch-ms", "1", "--size", "8"]), timeout=PROBE)
        except CompareError:
            return False
        return True


@dataclasses.dataclass(frozen=True)
class NodesJob(Job):
    """A job on several nodes."""

    shape: Shape = Shape(2, 1)
    prefix: str = ""  # of the names of its metrics

    @property
    def suffix(self):
        """Where its ranks are."""
        return f"{self.prefix}_{self.shape.text}"

    @property
    def title(self):
        """A collective is named by what it does."""
        return (self.names or (self.benchmark,))[0] + self.suffix

    def points(self, run):
        """Runs it once."""
        found = run(self.benchmark, self.ranks, self.arguments, self.bound, shape=self.shape)
        return {(name + self.suffix, size): point for (name, size), point in found.items()}


def pair_jobs(batches, quick, shape, prefix=""):
    """What one rank on each of two nodes says to the other."""
    powers = [1 << power for power in (range(0, 21, 2) if quick else range(23))]

    def job(benchmark, chosen):
        return NodesJob(benchmark, 2, batches + sizes(chosen), timed=False, shape=shape, prefix=prefix)
    return [job("latency", sorted({8, *powers})), job("bandwidth", powers), job("bibw", powers),
            job("message_rate", (1, 8, 64))]


def collective_jobs(batches, quick, shape):
    """Every collective of all these ranks. Blocks get shorter where many ranks would need much memory."""
    ranks = shape.nodes * shape.ranks_per_node
    largest = 20 if ranks <= 64 else 16
    powers = (2, 10, 16, 20) if quick else range(2, 23, 2)
    chosen = sizes(1 << power for power in powers if power <= largest)
    return [NodesJob("coll", ranks, ("--mode", name, *batches) + chosen, names=(name,), timed=False, shape=shape)
            for name in COLLECTIVES]


def plan(quick, only, allocation, ranks_per_node):
    """The jobs of one round: between neighbours, between the first and the last node, and collectives of all nodes,
    with one rank on each and with as many as were asked for, or as there are cores."""
    nodes = len(allocation.names)
    batches = ("--batches", "3" if quick else "5", "--batch-ms", "3" if quick else "10")
    found = []
    if nodes > 1:
        found += pair_jobs(batches, quick, Shape(2, 1, allocation.names[:2]))
    if nodes > 2:
        found += pair_jobs(batches, quick, Shape(2, 1, (allocation.names[0], allocation.names[-1])), "_far")
    for ranks in dict.fromkeys((1, ranks_per_node or allocation.cpus_per_node)):
        if nodes * ranks > 1:
            found += collective_jobs(batches, quick, Shape(nodes, ranks, allocation.names))
    return [job for job in found if {job.benchmark, *job.names} & set(only)]
