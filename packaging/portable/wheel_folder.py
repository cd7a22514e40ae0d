# SPDX-License-Identifier: BSD-3-Clause
"""The contents of the wheel: the tree as files of the environment, so that an MPI program of a wheel, such as mpi4py,
finds the libraries in the environment's lib, where it looks for them."""
import platform
import shutil

from portable import elf, tree, wheel_aliases

NAME = "bowline_mpi"
METADATA = """\
Metadata-Version: 2.1
Name: bowline-mpi
Version: {version}
Summary: An MPI library (MPI-5.0) with the standard ABI, and with those of MPICH and Open MPI
License: BSD-3-Clause
License-File: LICENSE
Requires-Python: >=3.8
Classifier: License :: OSI Approved :: BSD License
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

`mpiexec`, `mpicc`, `mpicxx` and `mpifort`, and the libraries for programs that were built for the standard ABI
(`libmpi_abi.so.1`), for MPICH (`libmpi.so.12`) or for Open MPI (`libmpi.so.40`).

    mpiexec -n 4 python -c "from mpi4py import MPI; print(MPI.COMM_WORLD.rank)"

`python -m bowline` prints where everything is.
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: bowline packaging/build-wheel
Root-Is-Purelib: false
Tag: {tag}
"""


def tag(folder):
    """For which systems it is: those with this processor, and a C library that is new enough."""
    major, minor = elf.newest_glibc(elf.files_in(folder))
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def add_other_abis(folder):
    """Programs of wheels look for the libraries of MPICH and Open MPI in the environment's lib, too."""
    lib = folder / "lib"
    # Both files have this soname, so a process never has both.
    shutil.copy2(lib / "bowline/openmpi/libmpi.so.40", lib)
    elf.set_runpath(lib / "libmpi.so.40", "$ORIGIN")
    wheel_aliases.stub("libmpi.so.12", lib / "bowline/mpich/libmpich.so.12", lib)


def fill(folder, made):
    """Moves the tree `made` into the new folder, and adds what describes a wheel. Returns the name of the wheel."""
    wheel_aliases.flatten(made)
    add_other_abis(made)
    name = f"{NAME}-{tree.version()}"
    about = folder / f"{name}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(METADATA.format(version=tree.version()), encoding="utf-8")
    (about / "WHEEL").write_text(WHEEL.format(tag=tag(made)), encoding="utf-8")
    shutil.copy2(tree.ROOT / "LICENSE", about)
    shutil.copytree(tree.ROOT / "packaging/portable/bowline", folder / "bowline",
                    ignore=shutil.ignore_patterns("__pycache__"))
    data = folder / f"{name}.data"
    full_name = f"{name}-{tag(made)}.whl"
    data.mkdir()
    (made / "bin").rename(data / "scripts")
    made.rename(data / "data")
    return full_name
