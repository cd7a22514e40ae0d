// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI whose arguments need more than conversion one by one: the generated entry points call these with
// the program's arguments, and return what they return.
#pragma once

#include <mpi.h>

#include "abi.hpp"

namespace front {

// operators.cpp
int op_create(abi::User_function* function, int commute, abi::Op* op);
int op_create(abi::User_function_c* function, int commute, abi::Op* op);

// error_handlers.cpp
int comm_create_errhandler(abi::Comm_errhandler_function* function, abi::Errhandler* errhandler);
int file_create_errhandler(abi::File_errhandler_function* function, abi::Errhandler* errhandler);
int session_create_errhandler(abi::Session_errhandler_function* function, abi::Errhandler* errhandler);
int win_create_errhandler(abi::Win_errhandler_function* function, abi::Errhandler* errhandler);

// attributes.cpp
int comm_create_keyval(abi::Comm_copy_attr_function* copy, abi::Comm_delete_attr_function* remove, int* keyval,
                       void* extra_state);
int type_create_keyval(abi::Type_copy_attr_function* copy, abi::Type_delete_attr_function* remove, int* keyval,
                       void* extra_state);
int win_create_keyval(abi::Win_copy_attr_function* copy, abi::Win_delete_attr_function* remove, int* keyval,
                      void* extra_state);
int keyval_create(abi::Copy_function* copy, abi::Delete_function* remove, int* keyval, void* extra_state);
int comm_get_attr(abi::Comm comm, int keyval, void* value, int* flag);
int type_get_attr(abi::Datatype type, int keyval, void* value, int* flag);
int win_get_attr(abi::Win win, int keyval, void* value, int* flag);
int attr_get(abi::Comm comm, int keyval, void* value, int* flag);

// requests.cpp
int grequest_start(abi::Grequest_query_function* query, abi::Grequest_free_function* free,
                   abi::Grequest_cancel_function* cancel, void* extra_state, abi::Request* request);
int waitall(int count, abi::Request* requests, abi::Status* statuses);
int testall(int count, abi::Request* requests, int* flag, abi::Status* statuses);
int waitsome(int count, abi::Request* requests, int* completed, int* indices, abi::Status* statuses);
int testsome(int count, abi::Request* requests, int* completed, int* indices, abi::Status* statuses);
int request_get_status_all(int count, const abi::Request* requests, int* flag, abi::Status* statuses);
int request_get_status_some(int count, const abi::Request* requests, int* completed, int* indices,
                            abi::Status* statuses);

// communicators.cpp
int comm_idup(abi::Comm comm, abi::Comm* newcomm, abi::Request* request);
int comm_idup_with_info(abi::Comm comm, abi::Info info, abi::Comm* newcomm, abi::Request* request);
int comm_ishrink(abi::Comm comm, abi::Comm* newcomm, abi::Request* request);
int group_translate_ranks(abi::Group group1, int n, const int* ranks1, abi::Group group2, int* ranks2);
/// How many processes an operation sends to, or receives from: of MPI_Alltoallw, and of MPI_Neighbor_alltoallw.
int members_to_send(MPI_Comm comm) noexcept;
int members_to_receive(MPI_Comm comm) noexcept;
int neighbours_to_send(MPI_Comm comm) noexcept;
int neighbours_to_receive(MPI_Comm comm) noexcept;

// tool_events.cpp
int t_event_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety level, abi::Info info, void* data,
                              MPI_T_event_cb_function* function);
int t_event_set_dropped_handler(MPI_T_event_registration registration, MPI_T_event_dropped_cb_function* dropped);
int t_event_handle_free(MPI_T_event_registration registration, void* data, MPI_T_event_free_cb_function* freed);

// names.cpp
int lookup_name(const char* service_name, abi::Info info, char* port_name);

// type_struct.cpp
int type_create_struct(int count, const int* lengths, const MPI_Aint* displacements, const abi::Datatype* types,
                       abi::Datatype* newtype);
int type_create_struct(MPI_Count count, const MPI_Count* lengths, const MPI_Count* displacements,
                       const abi::Datatype* types, abi::Datatype* newtype);

// type_contents.cpp
int type_get_contents(abi::Datatype type, int max_integers, int max_addresses, int max_types, int* integers,
                      MPI_Aint* addresses, abi::Datatype* types);
int type_get_contents(abi::Datatype type, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                      MPI_Count max_types, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                      abi::Datatype* types);

// files.cpp
int register_datarep(const char* name, abi::Datarep_conversion_function* read, abi::Datarep_conversion_function* write,
                     abi::Datarep_extent_function* extent, void* extra_state);
int register_datarep(const char* name, abi::Datarep_conversion_function_c* read,
                     abi::Datarep_conversion_function_c* write, abi::Datarep_extent_function* extent,
                     void* extra_state);

}  // namespace front
