# SPDX-License-Identifier: BSD-3-Clause
"""Writes the part of mpi.h that C programs use to exchange handles and statuses with Fortran.

The ABI has MPI_Comm_toint and its kin only; programs written for other MPIs call MPI_Comm_f2c. So mpi.h defines these
in terms of those, and the library needs no symbols for them.
"""

import re

OPENING = """\
/* Exchange with Fortran, where a handle is an INTEGER and a status an array of them */

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define BOWLINE_INLINE static inline
#elif defined(__GNUC__)
#define BOWLINE_INLINE static __inline__
#else
#define BOWLINE_INLINE static
#endif

typedef MPI_Status MPI_F08_status; /* TYPE(MPI_Status) of the module mpi_f08 */

#define MPI_F_STATUS_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status *)0)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)0)
"""

CLOSING = "#undef BOWLINE_INLINE\n"

# A status that is to be ignored cannot be converted (MPI-5.0, section 19.3.5). There are no casts, because programs may
# be compiled with -Wold-style-cast.
STATUSES = """\
BOWLINE_INLINE int {p}Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status) {{
  int i;
  if (!f_status || !c_status) return MPI_ERR_ARG;
  c_status->MPI_SOURCE = f_status[MPI_F_SOURCE];
  c_status->MPI_TAG = f_status[MPI_F_TAG];
  c_status->MPI_ERROR = f_status[MPI_F_ERROR];
  for (i = 3; i < MPI_F_STATUS_SIZE; ++i) c_status->MPI_internal[i - 3] = f_status[i];
  return MPI_SUCCESS;
}}
BOWLINE_INLINE int {p}Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status) {{
  int i;
  if (!f_status || !c_status) return MPI_ERR_ARG;
  f_status[MPI_F_SOURCE] = c_status->MPI_SOURCE;
  f_status[MPI_F_TAG] = c_status->MPI_TAG;
  f_status[MPI_F_ERROR] = c_status->MPI_ERROR;
  for (i = 3; i < MPI_F_STATUS_SIZE; ++i) f_status[i] = c_status->MPI_internal[i - 3];
  return MPI_SUCCESS;
}}
BOWLINE_INLINE int {p}Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status) {{
  if (!f08_status || !c_status) return MPI_ERR_ARG;
  *c_status = *f08_status;
  return MPI_SUCCESS;
}}
BOWLINE_INLINE int {p}Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status) {{
  return {p}Status_f082c(c_status, f08_status);
}}
BOWLINE_INLINE int {p}Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status) {{
  return {p}Status_f2c(f_status, f08_status);
}}
BOWLINE_INLINE int {p}Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status) {{
  return {p}Status_c2f(f08_status, f_status);
}}
"""


def lines(api):
    """The parts of the header, each ends with a line end."""
    yield OPENING
    for prefix in ("MPI_", "PMPI_"):
        for function in api.functions:
            made = re.fullmatch(r"MPI_(\w+)_fromint", function.name)
            if made:
                yield _conversions(prefix, made[1], function.returns)
        yield STATUSES.format(p=prefix)
    yield CLOSING


def _conversions(prefix, kind, handle):
    name = kind.lower()
    return (f"BOWLINE_INLINE {handle} {prefix}{kind}_f2c(MPI_Fint {name}) {{\n"
            f"  return {prefix}{kind}_fromint({name});\n}}\n"
            f"BOWLINE_INLINE MPI_Fint {prefix}{kind}_c2f({handle} {name}) {{\n"
            f"  return {prefix}{kind}_toint({name});\n}}\n")
