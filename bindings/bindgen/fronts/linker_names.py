# SPDX-License-Identifier: BSD-3-Clause
"""The linker names under which programs in Fortran call the procedures of another MPI, by its name in abi.json."""

import dataclasses
import re

from ..fortran.abi import Abi

# Callbacks that MPI provides, and those that a module of mpi_f08 defines too.
CALLBACKS = re.compile(r"MPI_(\w+_FN|CONVERSION_FN_NULL(_C)?)$")
MODULE_CALLBACKS = re.compile(r"MPI_((COMM|TYPE|WIN)_\w+_FN|CONVERSION_FN_NULL(_C)?)$")
# fortran/predefined.py has it in the forms of Bowline's own modules.
SIZEOF = re.compile(r"P?MPI_Sizeof_")


def _spellings(name):
    """As mpif.h's users call it: Fortran compilers have written names in these ways."""
    if SIZEOF.match(name):
        return ()
    lower = name.lower()
    spelled = (lower + "_", lower, lower + "__", name.upper())
    if MODULE_CALLBACKS.match(name):
        spelled = (f"__mpi_f08_callbacks_MOD_{lower}", *spelled)
    if CALLBACKS.match(name):
        spelled += _spellings("P" + name)
    return spelled


def _mpich_f08(form):
    """mpi_send_f08ts_, mpi_send_f08ts_large_; with the prefix pmpir_ for profiling tools."""
    def name_of(name):
        large = "large_" if name.endswith("_c") else ""
        plain = re.sub("^(pmpix?)_", r"\1r_", name.removesuffix("_c").lower())
        return f"{plain}_{form}_{large}"
    return name_of


def _openmpi_names(name):
    if SIZEOF.match(name):
        return ()
    own = () if name.startswith("P") else (f"o{name.lower()}_f",)  # the name within Open MPI
    return (*_spellings(name), name + "_f", name + "_f08", *own)


ABIS = {
    "MPICH": Abi(
        name="mpich",
        names=_spellings,
        f08_names=lambda name: (_mpich_f08("f08")(name),),
        descriptor_name=_mpich_f08("f08ts"),
        describes_strings=False,
    ),
    "Open MPI": Abi(
        name="openmpi",
        names=_openmpi_names,
        f08_names=lambda name: (f"{name.lower()}_f08_",),
        descriptor_name=None,
        large_counts=False,
    ),
}


def of(abi):
    """The names of a described ABI."""
    return dataclasses.replace(ABIS[abi.name], synonyms=abi.synonyms)
