// SPDX-License-Identifier: BSD-3-Clause
// Operators, error handlers and generalized requests whose functions are in Fortran. The context of a callback is the
// user's procedure, so there may be any number of them.
#include "procedures/callbacks.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "procedures/arguments.hpp"
#include "written.hpp"

namespace bowline::fortran {
namespace {

void* as_context(Procedure* procedure) noexcept {
  return reinterpret_cast<void*>(procedure);
}
Procedure* from_context(void* context) noexcept {
  return reinterpret_cast<Procedure*>(context);
}

// ---- operators

/// The distance of the elements that are combined.
MPI_Aint extent_of(MPI_Datatype datatype) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(datatype, &lower, &extent);
  return extent;
}

/// For a procedure whose number of elements has the type Count: calls it for as many at a time as fit.
template <class Count>
void combine(void* context, const void* in, void* inout, MPI_Count count, MPI_Datatype datatype) {
  constexpr auto most = static_cast<MPI_Count>(std::numeric_limits<Count>::max());
  auto* left = static_cast<char*>(const_cast<void*>(in));
  auto* right = static_cast<char*>(inout);
  while (count > 0) {
    const MPI_Count chunk = std::min(count, most);
    auto length = static_cast<Count>(chunk);
    MPI_Fint number = number_of(datatype);
    call(from_context(context), left, right, &length, &number);
    count -= chunk;
    if (count == 0) break;
    const MPI_Aint bytes = static_cast<MPI_Aint>(chunk) * extent_of(datatype);
    left += bytes;
    right += bytes;
  }
}

template <class Count>
int make_operator(Procedure* user_fn, const MPI_Fint* commute, MPI_Fint* op) {
  return interface().create_op(combine<Count>, {as_context(user_fn), nullptr}, logical(commute),
                               ResultHandle<MPI_Op>(op));
}

// ---- error handlers

template <class Handle>
void handle_error(void* context, void* handle, int* code) {
  MPI_Fint number = number_of(*static_cast<Handle*>(handle));
  call(from_context(context), &number, code);
}

template <class Handle>
int make_errhandler(PrivateInterface::ObjectKind kind, Procedure* function, MPI_Fint* errhandler) {
  return interface().create_errhandler(kind, handle_error<Handle>, {as_context(function), nullptr},
                                       ResultHandle<MPI_Errhandler>(errhandler));
}

// ---- generalized requests

struct GeneralizedRequest {
  Procedure* query;
  Procedure* free;
  Procedure* cancel;
  MPI_Aint extra_state;

  static GeneralizedRequest& of(void* context) noexcept { return *static_cast<GeneralizedRequest*>(context); }
};

int query(void* context, MPI_Status* status) {
  auto& request = GeneralizedRequest::of(context);
  MPI_Fint code = MPI_SUCCESS;
  call(request.query, &request.extra_state, reinterpret_cast<MPI_Fint*>(status), &code);
  return code;
}

int free(void* context) {
  const std::unique_ptr<GeneralizedRequest> request(&GeneralizedRequest::of(context));
  MPI_Fint code = MPI_SUCCESS;
  call(request->free, &request->extra_state, &code);
  return code;
}

int cancel(void* context, int complete) {
  auto& request = GeneralizedRequest::of(context);
  MPI_Fint completed = logical_value(complete != 0);
  MPI_Fint code = MPI_SUCCESS;
  call(request.cancel, &request.extra_state, &completed, &code);
  return code;
}

}  // namespace

namespace written {

int op_create(Procedure* user_fn, const MPI_Fint* commute, MPI_Fint* op) {
  return make_operator<int>(user_fn, commute, op);
}
int op_create_c(Procedure* user_fn, const MPI_Fint* commute, MPI_Fint* op) {
  return make_operator<MPI_Count>(user_fn, commute, op);
}

int comm_create_errhandler(Procedure* comm_errhandler_fn, MPI_Fint* errhandler) {
  return make_errhandler<MPI_Comm>(PrivateInterface::ObjectKind::communicator, comm_errhandler_fn, errhandler);
}
int win_create_errhandler(Procedure* win_errhandler_fn, MPI_Fint* errhandler) {
  return make_errhandler<MPI_Win>(PrivateInterface::ObjectKind::window, win_errhandler_fn, errhandler);
}
int file_create_errhandler(Procedure* file_errhandler_fn, MPI_Fint* errhandler) {
  return make_errhandler<MPI_File>(PrivateInterface::ObjectKind::file, file_errhandler_fn, errhandler);
}
int session_create_errhandler(Procedure* session_errhandler_fn, MPI_Fint* errhandler) {
  return make_errhandler<MPI_Session>(PrivateInterface::ObjectKind::session, session_errhandler_fn, errhandler);
}

int grequest_start(decltype(PMPI_Grequest_start)* callee, Procedure* query_fn, Procedure* free_fn, Procedure* cancel_fn,
                   const MPI_Aint* extra_state, MPI_Fint* request) {
  std::unique_ptr<GeneralizedRequest> made(new GeneralizedRequest{query_fn, free_fn, cancel_fn, *extra_state});
  const int code = callee(query, free, cancel, made.get(), ResultHandle<MPI_Request>(request));
  if (code == MPI_SUCCESS) static_cast<void>(made.release());  // free() deletes it
  return code;
}

}  // namespace written
}  // namespace bowline::fortran
