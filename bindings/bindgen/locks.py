# SPDX-License-Identifier: BSD-3-Clause
"""When a function may be called, and which lock its entry point takes: the library's, that of a lane, or none."""

from . import chapters

# What may be called before MPI_Init and after MPI_Finalize (MPI-5.0, section 11.4), besides the tool interface, the
# handle conversions and everything on info objects.
ANY_TIME = {
    "MPI_Init", "MPI_Init_thread", "MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version",
    "MPI_Abi_get_version", "MPI_Abi_get_info", "MPI_Abi_get_fortran_info", "MPI_Abi_set_fortran_info",
    "MPI_Abi_get_fortran_booleans", "MPI_Abi_set_fortran_booleans", "MPI_Error_class", "MPI_Error_string",
    "MPI_Add_error_class", "MPI_Add_error_code", "MPI_Add_error_string", "MPI_Remove_error_class",
    "MPI_Remove_error_code", "MPI_Remove_error_string", "MPI_Session_init", "MPI_Session_finalize",
    "MPI_Session_create_errhandler", "MPI_Session_call_errhandler", "MPI_Errhandler_free", "MPIX_Rendezvous",
}
ANY_TIME_PREFIXES = ("MPI_T_", "MPI_Info_", "MPI_Status_")

# Functions of these chapters move messages: they hold the lock of the lane that they use, and not the library's. Which
# lane that is, is said by the communicator; a body without one finds it out by itself.
COMMUNICATING_CHAPTERS = {
    "Point-to-point communication and requests", "Buffered sends", "Partitioned communication",
    "Collective communication and reduction operators", "Neighbourhood collectives", "One-sided communication", "Files",
}
# But not these of them, which only look at a window, or call the user.
OF_WINDOW_OBJECTS = {
    "MPI_Win_create_keyval", "MPI_Win_free_keyval", "MPI_Win_set_attr", "MPI_Win_get_attr", "MPI_Win_delete_attr",
    "MPI_Win_set_name", "MPI_Win_get_name", "MPI_Win_get_group", "MPI_Win_set_info", "MPI_Win_get_info",
    "MPI_Win_shared_query",
}
# So do these, which first agree on something and then make it, or find out what they would make; the body takes the
# lane's lock, for it also calls the user.
MAKING = {
    "MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup", "MPI_Comm_idup_with_info", "MPI_Comm_create",
    "MPI_Comm_create_group", "MPI_Comm_create_from_group", "MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_free",
    "MPI_Comm_disconnect", "MPI_Intercomm_create", "MPI_Intercomm_create_from_groups", "MPI_Intercomm_merge",
    "MPI_Cart_create", "MPI_Cart_map", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Graph_map", "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent", "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic", "MPI_Win_free", "MPI_File_open", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join",
    "MPI_Comm_spawn", "MPI_Comm_spawn_multiple",
}
# And so do these, which talk to the living members of a communicator, or look at what its lane knows of the others.
FAULT_TOLERANCE = "MPIX_Comm_"
# These use files or wait for other processes, and hold no lock meanwhile.
NAMES = {"MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name"}


def is_any_time(function):
    return (function.name in ANY_TIME or function.name.startswith(ANY_TIME_PREFIXES)
            or not function.returns_code)


def is_communicating(function):
    if function.name in OF_WINDOW_OBJECTS:
        return False
    return (takes_lock_itself(function) or function.name in NAMES
            or function.name.startswith("MPI_Session_") and "buffer" in function.name
            or chapters.function_chapter(function.name) in COMMUNICATING_CHAPTERS)


def takes_lock_itself(function):
    """Whether the body takes the lock of the lane."""
    return function.name in MAKING or function.name.startswith(FAULT_TOLERANCE)
