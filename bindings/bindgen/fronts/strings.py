# SPDX-License-Identifier: BSD-3-Clause
"""Strings that MPI writes into a buffer of a length that is a constant."""

STANDARD = {
    "MPI_MAX_OBJECT_NAME": 128, "MPI_MAX_ERROR_STRING": 512, "MPI_MAX_LIBRARY_VERSION_STRING": 8192,
    "MPI_MAX_PROCESSOR_NAME": 256, "MPI_MAX_INFO_KEY": 256, "MPI_MAX_PORT_NAME": 1024, "MPI_MAX_DATAREP_STRING": 128,
}

LIMITS = {
    "MPI_Comm_get_name": "MPI_MAX_OBJECT_NAME", "MPI_Type_get_name": "MPI_MAX_OBJECT_NAME",
    "MPI_Win_get_name": "MPI_MAX_OBJECT_NAME", "MPI_Error_string": "MPI_MAX_ERROR_STRING",
    "MPI_Get_library_version": "MPI_MAX_LIBRARY_VERSION_STRING", "MPI_Get_processor_name": "MPI_MAX_PROCESSOR_NAME",
    "MPI_Info_get_nthkey": "MPI_MAX_INFO_KEY", "MPI_Open_port": "MPI_MAX_PORT_NAME",
    "MPI_File_get_view": "MPI_MAX_DATAREP_STRING",
}


def limit(function, parameter):
    """The constant that says how long the buffer is; None if another argument does."""
    return LIMITS.get(function.name)


def fits(constant, abi):
    """Whether a string of the standard's greatest length fits into the other ABI's buffer."""
    return abi.constants[constant] >= STANDARD[constant]
