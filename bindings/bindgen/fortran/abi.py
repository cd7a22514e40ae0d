# SPDX-License-Identifier: BSD-3-Clause
"""What differs between the Fortran libraries of the ABIs that Bowline serves: their functions and linker names.

Everything else that differs is C++: the procedures are compiled with the mpi.h of the ABI and with a header
`fortran_abi.hpp` (fortran/abi/standard/fortran_abi.hpp is that of the standard ABI and says what it has to define).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..model import Function


@dataclass(frozen=True)
class Abi:
    name: str
    # The linker names of an MPI procedure, e.g. of "MPI_Send" or "PMPI_Send_c", as mpif.h and the module mpi call it.
    names: Callable[[str], tuple[str, ...]]
    # The linker names by which the module mpi_f08 calls it; choice buffers are passed by address.
    f08_names: Callable[[str], tuple[str, ...]]
    # The linker name by which mpi_f08 calls it if it passes descriptors of choice buffers, or None.
    descriptor_name: Callable[[str], str] | None
    # Whether those procedures get a descriptor of a string too, and not its length behind all other arguments.
    describes_strings: bool = True
    # Whether the library has the function.
    has: Callable[[Function], bool] = lambda function: True
    # Whether the procedures with large counts exist.
    large_counts: bool = True
    # Further names of functions, under which C has them, too: name -> that of the standard.
    synonyms: dict[str, str] = field(default_factory=dict)
    # Whether the modules that modules.py writes use the library: they need the comparisons of handles.
    own_modules: bool = False

    def synonyms_of(self, name):
        return [synonym for synonym, of in self.synonyms.items() if of == name]


def lower(name):
    """The linker name of a Fortran procedure: today's compilers write it in lower case with one underscore."""
    return name.lower() + "_"


STANDARD = Abi(
    name="standard",
    names=lambda name: (lower(name),),
    f08_names=lambda name: (lower(name + "_f08"),),
    descriptor_name=lambda name: lower(name + "_f08ts"),
    own_modules=True,
)
