# SPDX-License-Identifier: BSD-3-Clause
"""Writes include/mpi-ext.h."""

import textwrap

from . import header

OPENING = """\
/* SPDX-License-Identifier: BSD-3-Clause */
/* What Bowline adds to MPI-5.0. Written by bindings/bindgen.py from bindings/extensions.json: do not edit. Names begin
   with MPIX_; those with MPI_ are of what the MPI Forum has accepted for a later version of the standard. */
/* clang-format off */
#ifndef MPI_EXT_H_BOWLINE
#define MPI_EXT_H_BOWLINE

#include <mpi.h>

"""

FEATURES = "/* By these, programs that were written for Open MPI find out whether there is fault tolerance. */\n"

EXTERN_C = """
#ifdef __cplusplus
extern "C" {
#endif
"""

PROFILING = "\n/* The same functions under their profiling names */\n\n"

CLOSING = """
#ifdef __cplusplus
}
#endif

#endif
"""


def text(api):
    extensions = api.extensions
    parts = [OPENING]
    parts += [f"{comment(c.text)}{header.define(c)}\n\n" for c in extensions.constants if not c.alias]
    parts += [f"#define {c.name} {c.alias}\n" for c in extensions.constants if c.alias]
    parts += ["\n", FEATURES, *(f"#define {name} 1\n" for name in extensions.features), EXTERN_C]
    parts += [f"\n{comment(f.text)}{_prototypes(f, 'MPI_')}" for f in extensions.functions]
    parts += [PROFILING, *(_prototypes(f, "PMPI_") for f in extensions.functions)]
    return "".join(parts) + CLOSING


def _prototypes(function, prefix):
    return "".join(header.prototype(f, False, prefix) + "\n" for f in function.under_all_names())


def comment(sentences):
    lines = textwrap.wrap(f"/* {sentences} */", header.COLUMNS, subsequent_indent="   ", break_on_hyphens=False,
                          break_long_words=False)
    return "\n".join(lines) + "\n"
