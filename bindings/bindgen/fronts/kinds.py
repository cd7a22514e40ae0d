# SPDX-License-Identifier: BSD-3-Clause
"""Which parameters differ between ABIs, by their kind in api.json, and which constants are values of a kind."""

import re

# The kinds of handles: the noun in the names of the conversion functions.
HANDLES = {
    "COMMUNICATOR": "comm", "DATATYPE": "type", "ERRHANDLER": "errhandler", "FILE": "file", "GROUP": "group",
    "INFO": "info", "MESSAGE": "message", "OPERATION": "op", "REQUEST": "request", "SESSION": "session",
    "WINDOW": "win",
}


def handle_type(noun):
    """The C type of a kind of handle, without "MPI_"."""
    return "Datatype" if noun == "type" else noun.capitalize()


# Kinds of numbers that have special values.
VALUES = {
    "RANK": "rank", "RANK_NNI": "rank", "TAG": "tag", "ERROR_CODE": "error", "ERROR_CLASS": "error",
    "KEYVAL": "keyval", "THREAD_LEVEL": "thread_level", "SPLIT_TYPE": "split_type", "LOCK_TYPE": "lock_type",
    "ASSERT": "assertion", "ACCESS_MODE": "access_mode", "UPDATE_MODE": "whence", "ORDER": "order",
    "TYPECLASS": "typeclass", "COMBINER": "combiner", "COMM_COMPARISON": "comparison",
    "GROUP_COMPARISON": "comparison", "TOPOLOGY_TYPE": "topology", "DISTRIB_ENUM": "distribution",
    "DTYPE_DISTRIBUTION": "distribution_argument", "BIND_TYPE": "tool_object", "VARIABLE_SCOPE": "tool_scope",
    "TOOL_VAR_VERBOSITY": "tool_verbosity", "PVAR_CLASS": "tool_class", "CALLBACK_SAFETY": "tool_safety",
    "SOURCE_ORDERING": "tool_order",
}

# The constants that are values of each of these: a pattern for the name without "MPI_".
CONSTANTS = {
    "rank": r"ANY_SOURCE|PROC_NULL|ROOT",
    "tag": r"ANY_TAG",
    "error": r"SUCCESS|ERR_(?!LASTCODE)\w+|T_ERR_\w+",
    "keyval": r"KEYVAL_INVALID|TAG_UB|IO|HOST|WTIME_IS_GLOBAL|APPNUM|LASTUSEDCODE|UNIVERSE_SIZE"
              r"|WIN_(BASE|DISP_UNIT|SIZE|CREATE_FLAVOR|MODEL)|FT",
    "thread_level": r"THREAD_\w+",
    "split_type": r"COMM_TYPE_\w+",
    "lock_type": r"LOCK_\w+",
    "assertion": r"MODE_NO\w+",
    "access_mode": r"MODE_(?!NO)\w+",
    "whence": r"SEEK_\w+",
    "order": r"ORDER_\w+",
    "typeclass": r"TYPECLASS_\w+",
    "combiner": r"COMBINER_\w+",
    "comparison": r"IDENT|CONGRUENT|SIMILAR|UNEQUAL",
    "topology": r"CART|GRAPH|DIST_GRAPH",
    "distribution": r"DISTRIBUTE_(?!DFLT)\w+",
    "distribution_argument": r"DISTRIBUTE_DFLT_DARG",
    "window_flavor": r"WIN_FLAVOR_\w+",
    "window_model": r"WIN_(UNIFIED|SEPARATE)",
    "tool_object": r"T_BIND_\w+",
    "tool_scope": r"T_SCOPE_\w+",
    "tool_verbosity": r"T_VERBOSITY_\w+",
    "tool_class": r"T_PVAR_CLASS_\w+",
    "tool_safety": r"T_CB_\w+",
    "tool_order": r"T_SOURCE_\w+",
}

# The values of these are sets of bits.
BIT_SETS = {"assertion", "access_mode"}


def constants_of(value, abi):
    """The names of the constants of a kind of value that the other ABI has."""
    pattern = re.compile(rf"MPIX?_({CONSTANTS[value]})")
    return [name for name in abi.constants if pattern.fullmatch(name)]


def foreign_type(text):
    """A C type of the standard as the other ABI's: MPI's handles, statuses and callbacks are in the namespace abi."""
    return re.sub(r"\bMPI_(Comm|Datatype|Errhandler|File|Group|Info|Message|Op|Request|Session|Win|Status"
                  r"|\w+_function(?:_c)?)\b(?!\s*\()", _foreign_name, text)


def _foreign_name(match):
    return match[0] if match[0].startswith("MPI_T_") else f"abi::{match[1]}"
