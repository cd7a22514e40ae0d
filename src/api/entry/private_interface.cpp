// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/private_interface.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/communicators/attribute_callbacks.hpp"
#include "api/entry/call.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/errhandler_handles.hpp"
#include "api/entry/private_parts.hpp"
#include "api/entry/this_process.hpp"
#include "api/environment/abi.hpp"
#include "api/one_sided/windows.hpp"
#include "api/processes/spawn_codes.hpp"
#include "base/atomic.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

using ObjectKind = PrivateInterface::ObjectKind;

// ---- operators

struct ContextOperator {
  PrivateInterface::Combine combine;
  OwnedContext context;
};

void combine_with_context(void* target, const void* in, void* inout, std::size_t count, const dtype::Datatype& type) {
  const auto& op = *static_cast<ContextOperator*>(target);
  op.combine(op.context.data(), in, inout, static_cast<MPI_Count>(count), to_handle(type));
}

int create_context_op(PrivateInterface::Combine combine, CallbackContext context, int commute, MPI_Op* op) {
  OwnedContext owned(context);
  return guarded("MPI_Op_create", [&](Call& call) {
    call.needs_mpi();
    check_callback(combine, "user_fn");
    std::unique_ptr<ContextOperator> made(new ContextOperator{combine, std::move(owned)});
    const auto release = [](void* target) { delete static_cast<ContextOperator*>(target); };
    *op = to_handle(dtype::Op::make({combine_with_context, made.get(), release}, commute != 0));
    static_cast<void>(made.release());
  });
}

// ---- error handlers

class ContextErrorHandler final : public comm::ErrorHandler {
 public:
  ContextErrorHandler(ErrorHandler::Handles kind, PrivateInterface::HandleError handle, OwnedContext context) noexcept
      : ErrorHandler(kind, handle, context.data()), context_(std::move(context)) {}

 private:
  OwnedContext context_;
};

comm::ErrorHandler::Handles handler_kind(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::communicator:
      return comm::ErrorHandler::Handles::communicator;
    case ObjectKind::window:
      return comm::ErrorHandler::Handles::window;
    case ObjectKind::file:
      return comm::ErrorHandler::Handles::file;
    case ObjectKind::session:
      return comm::ErrorHandler::Handles::session;
    default:
      refuse_kind(kind, "0 (communicator), 2 (window), 3 (file) or 4 (session)");
  }
}

const char* errhandler_function(ObjectKind kind) noexcept {
  switch (kind) {
    case ObjectKind::window:
      return "MPI_Win_create_errhandler";
    case ObjectKind::file:
      return "MPI_File_create_errhandler";
    case ObjectKind::session:
      return "MPI_Session_create_errhandler";
    default:
      return "MPI_Comm_create_errhandler";
  }
}

int create_context_errhandler(ObjectKind kind, PrivateInterface::HandleError handle, CallbackContext context,
                              MPI_Errhandler* errhandler) {
  OwnedContext owned(context);
  return guarded(errhandler_function(kind), [&](Call& call) {
    if (kind != ObjectKind::session) call.needs_mpi();
    check_callback(handle, "errhandler_fn");
    *errhandler =
        errhandler_handle(*std::make_shared<ContextErrorHandler>(handler_kind(kind), handle, std::move(owned)));
  });
}

// ---- attribute keys

int create_context_keyval(ObjectKind kind, PrivateInterface::CopyAttribute copy,
                          PrivateInterface::DeleteAttribute remove, CallbackContext context, int* keyval) {
  OwnedContext owned(context);
  return guarded(keyval_function(kind), [&](Call& call) {
    call.needs_mpi();
    const auto shared = std::make_shared<OwnedContext>(std::move(owned));
    Keyval::Copying copying;
    if (reinterpret_cast<std::uintptr_t>(copy) == dup_function) {
      copying.same = true;
    } else if (copy != nullptr) {
      copying.ask = [=](void* object, int key, void* value, void** result, int* wanted) {
        return copy(shared->data(), object, key, value, result, wanted);
      };
    }
    *keyval = keys_of(kind).add(std::move(copying), delete_with_context(shared, remove));
  });
}

// ---- requests and errors

int start_context_grequest(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                           MPI_Grequest_cancel_function* cancel_fn, void* data, MPI_Request* request) {
  return guarded("MPI_Grequest_start", [&](Call& call) {
    call.needs_mpi();
    grequest_start(query_fn, free_fn, cancel_fn, data, request);
  });
}

int raise_found_error(MPI_Comm comm, const char* function, int code, const char* text) {
  return guarded(function, [&](Call& call) {
    if (comm != MPI_COMM_NULL && this_process().running()) call.comm(comm, "comm");
    throw Error(static_cast<ErrorClass>(code), text);
  });
}

int raise_window_error(MPI_Win win, const char* function, int code, const char* text) {
  return guarded(function, [&](Call& call) {
    if (win != MPI_WIN_NULL && this_process().running()) call.win(win, "win");
    throw Error(static_cast<ErrorClass>(code), text);
  });
}

const char* claim_process(const char* abi) noexcept {
  static Atomic<const char*> first = nullptr;
  const char* said = nullptr;
  return first.compare_exchange_strong(said, abi) ? abi : said;
}

constexpr PrivateInterface the_interface{create_context_op,
                                         create_context_errhandler,
                                         create_context_keyval,
                                         start_context_grequest,
                                         raise_found_error,
                                         raise_window_error,
                                         register_context_datarep,
                                         create_number_keyval,
                                         set_number_attribute,
                                         get_number_attribute,
                                         duplicate_communicator,
                                         members_of,
                                         view_sections,
                                         release_view,
                                         default_logical_values.data(),
                                         private_waitall,
                                         private_testall,
                                         private_waitsome,
                                         private_testsome,
                                         private_request_get_status_all,
                                         private_request_get_status_some,
                                         claim_process,
                                         &spawn_failure_code,
                                         shrink_communicator};

}  // namespace
}  // namespace bowline::api

const bowline::PrivateInterface* bowline_private_interface_1(int version, std::size_t bytes) noexcept {
  const bool has_it =
      version == bowline::PrivateInterface::version && bytes > 0 && bytes <= sizeof(bowline::PrivateInterface);
  return has_it ? &bowline::api::the_interface : nullptr;
}
