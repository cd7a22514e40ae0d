// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/private_interface.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/communicators/attribute_callbacks.hpp"
#include "api/entry/call.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "mpiio/view/representation.hpp"

namespace bowline::api {
namespace {

using ObjectKind = PrivateInterface::ObjectKind;

/// Releases the context at its end.
class OwnedContext {
 public:
  explicit OwnedContext(CallbackContext context) noexcept : context_(context) {}
  OwnedContext(OwnedContext&& other) noexcept : context_(std::exchange(other.context_, {nullptr, nullptr})) {}
  OwnedContext(const OwnedContext&) = delete;
  OwnedContext& operator=(const OwnedContext&) = delete;
  OwnedContext& operator=(OwnedContext&&) = delete;
  ~OwnedContext() {
    if (context_.release != nullptr) context_.release(context_.data);
  }
  void* data() const noexcept { return context_.data; }

 private:
  CallbackContext context_;
};

/// Does what an entry point does around its body, without the library's lock: nothing here needs it.
template <class Body, class Kind = Call::OfSession>
int guarded(const char* function, Body body, Kind kind = Call::of_session) {
  Call call(function, kind);
  try {
    body(call);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}

[[noreturn]] void refuse_kind(ObjectKind kind, const char* allowed) {
  throw Error(ErrorClass::arg,
              fmt::format("the kind of object is {}, but it has to be {}", static_cast<int>(kind), allowed));
}

template <class Callback>
void check_callback(Callback callback, const char* name) {
  if (callback == nullptr) throw Error(ErrorClass::arg, fmt::format("{} is a null pointer: give a function", name));
}

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
  ContextErrorHandler(ErrorHandler::Kind kind, PrivateInterface::HandleError handle, OwnedContext context) noexcept
      : ErrorHandler(kind, handle, context.data()), context_(std::move(context)) {}

 private:
  OwnedContext context_;
};

comm::ErrorHandler::Kind handler_kind(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::communicator:
      return comm::ErrorHandler::Kind::communicator;
    case ObjectKind::window:
      return comm::ErrorHandler::Kind::window;
    case ObjectKind::file:
      return comm::ErrorHandler::Kind::file;
    case ObjectKind::session:
      return comm::ErrorHandler::Kind::session;
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
  return guarded(kind == ObjectKind::datatype ? "MPI_Type_create_keyval" : "MPI_Comm_create_keyval", [&](Call& call) {
    call.needs_mpi();
    if (kind != ObjectKind::communicator && kind != ObjectKind::datatype)
      refuse_kind(kind, "0 (communicator) or 1 (datatype)");
    const auto shared = std::make_shared<OwnedContext>(std::move(owned));
    Keyval::Copy copies;
    Keyval::Remove removes;
    if (copy != nullptr) {
      copies = [=](void* object, int key, void* value, void** result, int* wanted) {
        return copy(shared->data(), object, key, value, result, wanted);
      };
    }
    // It holds the context also if there is nothing to do: the key's end releases it.
    removes = [=](void* object, int key, void* value) {
      return remove == nullptr ? MPI_SUCCESS : remove(shared->data(), object, key, value);
    };
    KeyvalTable& keys = kind == ObjectKind::communicator ? comm_keys() : type_keys();
    *keyval = keys.add(std::move(copies), std::move(removes));
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

// ---- data representations

mpiio::ConversionFunctions::Convert conversion(PrivateInterface::ConvertData convert,
                                               const std::shared_ptr<OwnedContext>& context) {
  if (convert == nullptr) return {};
  return [=](void* user, const dtype::Datatype& type, std::size_t count, void* file, std::size_t position) {
    return convert(context->data(), user, to_handle(type), static_cast<MPI_Count>(count), file,
                   static_cast<MPI_Offset>(position));
  };
}

int register_context_datarep(const char* datarep, PrivateInterface::ConvertData read,
                             PrivateInterface::ConvertData write, PrivateInterface::GetFileExtent extent,
                             CallbackContext context) {
  OwnedContext owned(context);
  return guarded(
      "MPI_Register_datarep",
      [&](Call& call) {
        call.needs_mpi();
        check_callback(datarep, "datarep");
        check_callback(extent, "dtype_file_extent_fn");
        const auto shared = std::make_shared<OwnedContext>(std::move(owned));
        mpiio::register_representation(datarep, {.read = conversion(read, shared),
                                                 .write = conversion(write, shared),
                                                 .extent = [=](const dtype::Datatype& type, std::ptrdiff_t* bytes) {
                                                   MPI_Aint found = 0;
                                                   const int code = extent(shared->data(), to_handle(type), &found);
                                                   *bytes = found;
                                                   return code;
                                                 }});
      },
      Call::on_file);
}

constexpr PrivateInterface the_interface{create_context_op,      create_context_errhandler, create_context_keyval,
                                         start_context_grequest, raise_found_error,         register_context_datarep};

}  // namespace
}  // namespace bowline::api

const bowline::PrivateInterface* bowline_private_interface_1(int version, std::size_t bytes) noexcept {
  const bool has_it =
      version == bowline::PrivateInterface::version && bytes > 0 && bytes <= sizeof(bowline::PrivateInterface);
  return has_it ? &bowline::api::the_interface : nullptr;
}
