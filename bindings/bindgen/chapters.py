# SPDX-License-Identifier: BSD-3-Clause
"""Where a function or a constant stands in mpi.h: by chapter of the standard, found from its name."""

import re

# The first pattern that matches the name without "MPI_" decides.
FUNCTION_CHAPTERS = [
    ("Tool interface", r"T_"),
    ("Handle conversion", r"\w+_(from|to)int$"),
    ("Environment and errors", r"Init$|Init_thread|Initialized|Finalized?$|Abort|Get_version|Get_library|Get_processor"
                               r"|Get_hw|Wti|Query_thread|Is_thread|Pcontrol|Abi_|Error_|Add_error|Remove_error"
                               r"|Errhandler_|Alloc_mem|Free_mem|\w+_errhandler$"),
    ("Files", r"File_|Register_datarep"),
    ("One-sided communication", r"Win_|Put|Get$|Accumulate|Get_accumulate|Fetch_and|Compare_and|R(put|get|acc)"),
    ("Sessions", r"Session_"),
    ("Datatypes", r"Type_|Pack|Unpack|Get_address|Aint_|Get_count|Get_elements"),
    ("Topologies", r"Cart|Graph|Dist_graph|Dims_|Topo_"),
    ("Neighbourhood collectives", r"I?neighbor_"),
    ("Attributes and info", r"Info_|Attr_|Keyval_|Comm_\w*(attr|keyval)$"),
    ("Dynamic processes", r"Comm_(spawn|accept|connect|join|disconnect|get_parent)"
                          r"|(Open|Close)_port|\w*ublish_name|Lookup|Rendezvous"),
    ("Buffered sends", r"\w*[Bb]uffer_?"),
    ("Groups and communicators", r"Comm_|Group_|Intercomm_"),
    ("Collective communication and reduction operators",
     r"I?(barrier|bcast|gather|scatter|allgather|alltoall|reduce|allreduce|scan|exscan)|Op_"),
    ("Partitioned communication", r"P(send|recv)_|Pready|Parrived"),
    ("Point-to-point communication and requests",
     r"I?[bsr]?send|I?recv|I?m?probe|I?mrecv|I?sendrecv|Wait|Test|Start|Cancel|Request_|Grequest_|Status_"),
]

CONSTANT_SECTIONS = [
    ("Versions", r"(ABI_)?(SUB)?VERSION"),
    ("Sizes of strings and buffers", r"MAX_|BSEND_OVERHEAD"),
    ("Fortran's view of a status", r"F_"),
    ("Error classes", r"SUCCESS|ERR_|T_ERR_"),
    ("Ranks, tags and the undefined value", r"ANY_|PROC_NULL|ROOT|UNDEFINED"),
    ("Thread levels", r"THREAD_"),
    ("Results of comparisons", r"IDENT|CONGRUENT|SIMILAR|UNEQUAL"),
    ("Topologies and kinds of split", r"CART|GRAPH|DIST_GRAPH|COMM_TYPE"),
    ("Attribute keys", r"KEYVAL|TAG_UB|IO$|HOST|WTIME|APPNUM|LASTUSED|UNIVERSE|WIN_(BASE|DISP|SIZE|CREATE|MODEL)"),
    ("Datatype constructors", r"COMBINER|ORDER|DISTRIBUTE|TYPECLASS"),
    ("Windows", r"WIN_|LOCK_"),
    ("Files and assertions", r"MODE_|SEEK_|DISPLACEMENT"),
    ("Tool interface", r"T_"),
]


# The order in which the chapters stand in mpi.h.
CHAPTER_ORDER = [
    "Environment and errors",
    "Point-to-point communication and requests",
    "Buffered sends",
    "Partitioned communication",
    "Datatypes",
    "Collective communication and reduction operators",
    "Groups and communicators",
    "Attributes and info",
    "Topologies",
    "Neighbourhood collectives",
    "One-sided communication",
    "Files",
    "Sessions",
    "Dynamic processes",
    "Handle conversion",
    "Tool interface",
]


def function_chapter(name):
    return _first_match(FUNCTION_CHAPTERS, name)


def constant_section(name):
    return _first_match(CONSTANT_SECTIONS, name)


def _first_match(table, name):
    short = re.sub(r"^MPIX?_", "", name)
    for title, pattern in table:
        if re.match(pattern, short, re.IGNORECASE):
            return title
    raise ValueError(f"{name} fits no section of mpi.h: add it to bindings/bindgen/chapters.py")
