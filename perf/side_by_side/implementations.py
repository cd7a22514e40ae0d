# SPDX-License-Identifier: BSD-3-Clause
"""Finds the MPI implementations of this machine, compiles benchmarks and starts bound jobs with each of them."""

import contextlib
import dataclasses
import os
import pathlib
import shlex
import shutil
import signal
import subprocess

BENCHMARKS = ("latency", "bandwidth", "bibw", "message_rate", "match", "ddt", "op", "threads", "coll",
              "exchange", "memory", "idle", "flood", "init")
ON_REQUEST = ("crowd",)  # they take long: measured only where --only names them
COLLECTIVES = ("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall",
               "alltoallv", "reduce", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan")
NAMES = BENCHMARKS + ON_REQUEST + COLLECTIVES  # all that --only takes
BOWLINE = "Bowline"
# Before everything of ordinary priority, but in turns with its equals: under the first-in-first-out policy a rank that
# spins would keep its own launcher from ever ending it.
REALTIME = ("chrt", "--rr", "10")
PATIENCE = 10  # seconds that a job may take to end when it is asked to


class CompareError(Exception):
    """Something the user can act on. The text is one sentence that says what failed, where, and how to fix it."""


@dataclasses.dataclass(frozen=True)
class Implementation:
    """One MPI: its name in tables, its compiler and launcher commands, and whose options the launcher takes."""

    name: str
    mpicc: tuple
    mpiexec: tuple
    family: str  # "openmpi", "mpich" or "bowline"

    def launch(self, ranks, cores, program, bound=True, realtime=False):
        """The command that runs `program` (a list), bound to cores unless there are more ranks than cores.

        Only what has cores of its own may run at real-time priority: ranks that wait for each other without giving up
        the core would hold everything else up.
        """
        oversubscribed = ranks > cores
        where = "core" if bound and not oversubscribed else "none"
        options = {
            "openmpi": ["--oversubscribe"] * oversubscribed + ["--bind-to", where],
            "mpich": ["-bind-to", where],
            "bowline": ["--bind-to", where],
        }[self.family]
        priority = REALTIME if realtime and where == "core" else ()
        return [*priority, *self.mpiexec, *options, "-n", str(ranks), *map(str, program)]

    def environment(self):
        """Open MPI refuses to run as root unless told twice; the others need nothing."""
        allow_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return os.environ | (allow_root if self.family == "openmpi" else {})


def family_of(version_text):
    """Which launcher options apply, from what `mpiexec --version` prints; Bowline's options are the plain ones."""
    text = version_text.lower()
    if "openrte" in text or "open mpi" in text or "prte" in text:
        return "openmpi"
    if "hydra" in text or "mpich" in text or "intel(r) mpi" in text:
        return "mpich"
    return "bowline"


def _family_of_launcher(mpiexec):
    answer = subprocess.run([*mpiexec, "--version"], capture_output=True, text=True, timeout=20, check=False)
    return family_of(answer.stdout + answer.stderr)


def parse_extra(text):
    """NAME=MPICC,MPIEXEC to its three parts; the two commands may carry arguments."""
    name, equals, commands = text.partition("=")
    mpicc, comma, mpiexec = commands.partition(",")
    parts = (name.strip(), tuple(shlex.split(mpicc)), tuple(shlex.split(mpiexec)))
    if not (equals and comma and all(parts)):
        raise CompareError("--mpi takes NAME=MPICC,MPIEXEC, such as new=/opt/new/bin/mpicc,/opt/new/bin/mpiexec, "
                           f"not '{text}'")
    for command in parts[1:]:
        if shutil.which(command[0]) is None:
            raise CompareError(f"--mpi {parts[0]}: there is no program '{command[0]}': give its full path")
    return parts


def find(bowline_prefix, required, extra):
    """Bowline if its prefix holds an installation, Debian's two if present, then the extra ones. Bowline is first."""
    found = []
    bindir = pathlib.Path(bowline_prefix) / "bin"
    if (bindir / "mpicc").exists() and (bindir / "mpiexec").exists():
        found.append(Implementation(BOWLINE, (str(bindir / "mpicc"),), (str(bindir / "mpiexec"),), "bowline"))
    elif required:
        raise CompareError(f"--bowline {bowline_prefix}: there is no bin/mpicc and bin/mpiexec below it: give the "
                           "prefix of an installed Bowline (cmake --install build --prefix PREFIX)")
    for name, family in (("Open MPI", "openmpi"), ("MPICH", "mpich")):
        mpicc, mpiexec = shutil.which(f"mpicc.{family}"), shutil.which(f"mpiexec.{family}")
        if mpicc and mpiexec:
            found.append(Implementation(name, (mpicc,), (mpiexec,), family))
    for text in extra:
        name, mpicc, mpiexec = parse_extra(text)
        if any(name == one.name for one in found):
            raise CompareError(f"--mpi {name}: this name is taken by another MPI of this run: choose another")
        found.append(Implementation(name, mpicc, mpiexec, _family_of_launcher(mpiexec)))
    if not found:
        raise CompareError(f"no MPI found: install Bowline into {bowline_prefix}, or name it with --bowline PREFIX, "
                           "or get its peers: apt-get install libopenmpi-dev openmpi-bin libmpich-dev mpich")
    return found


def last_lines(text, count=6):
    """The end of a program's output, indented, for an error message."""
    lines = [line for line in text.splitlines() if line.strip()]
    return "".join(f"\n    {line}" for line in lines[-count:])


@contextlib.contextmanager
def uninterrupted():
    """Signals that end a program wait until this ends: nothing can be lost between its start and the name for it."""
    waiting = []
    handlers = {number: signal.signal(number, lambda number, _: waiting.append(number))
                for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in waiting:
            signal.raise_signal(number)


def send_to_all(process, number):
    """Sends the signal to a launcher that leads a session, and to its ranks, as far as they have not ended yet."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def end(process):
    """Ends a launcher that leads a session, and its ranks."""
    with process:  # closes its pipes
        send_to_all(process, signal.SIGTERM)
        try:
            process.wait(PATIENCE)  # a launcher ends its ranks first
        except subprocess.TimeoutExpired:
            send_to_all(process, signal.SIGKILL)


def run(command, environment=None, timeout=300, warnings=None):
    """The standard output of `command`, or a CompareError with the command and the end of its output.

    What it says on standard error is appended to the list `warnings`, if there is one.
    """
    shown = shlex.join(map(str, command))
    process = None
    try:
        with uninterrupted():
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        send_to_all(process, signal.SIGTERM)  # srun that is killed would leave its ranks running
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            send_to_all(process, signal.SIGKILL)
            output, errors = process.communicate()
        text = f"'{shown}' was ended after {timeout} s without a result{last_lines(output + errors)}"
        raise CompareError(text) from None
    except BaseException:
        if process is not None:
            end(process)
        raise
    if process.returncode != 0:
        raise CompareError(f"'{shown}' failed with exit status {process.returncode}{last_lines(output + errors)}")
    if warnings is not None:
        warnings += errors.splitlines()
    return output


def system_compiler():
    """The command that compiles programs without MPI."""
    return [os.environ.get("CC", "cc"), "-std=c11", "-O2"]


def build(implementation, sources, directory, benchmarks=BENCHMARKS):
    """Compiles the benchmarks; returns ({benchmark: program}, [what went wrong]). All collectives are one program."""
    directory.mkdir(parents=True)
    programs, problems = {}, []
    for benchmark in dict.fromkeys("coll" if name in COLLECTIVES else name for name in benchmarks):
        program = directory / benchmark
        try:
            source = str(sources / f"{benchmark}.c")
            run([*implementation.mpicc, "-std=c11", "-O2", "-pthread", source, "-o", str(program)])
            programs[benchmark] = program
            if benchmark == "memory":
                programs["memory_plain"] = directory / "memory_plain"
                run([*system_compiler(), "-DBOWLINE_WITHOUT_MPI", source, "-o", str(programs["memory_plain"])])
        except (CompareError, OSError) as error:
            problems.append(f"{implementation.name}: {benchmark} does not compile: {error}")
    return programs, problems


def build_raw(sources, directory):
    """Compiles the program that measures the machine itself with the system's C compiler."""
    program = directory / "raw"
    run([*system_compiler(), str(sources / "raw.c"), "-o", str(program)])
    return program
