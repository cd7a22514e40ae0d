// SPDX-License-Identifier: BSD-3-Clause
// The parts of the private interface, and what they share.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/communicators/attribute_callbacks.hpp"
#include "api/entry/call.hpp"
#include "api/entry/private_interface.hpp"
#include "base/error.hpp"

namespace bowline::api {

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

template <class Body>
int run_guarded(Call& call, Body body) {
  try {
    body(call);
    return MPI_SUCCESS;
  } catch (...) {
    call.failed();
  }
  return call.raise();
}

/// Does what an entry point does around its body, without the library's lock.
template <class Body, class CallType = Call::OfSession>
int guarded(const char* function, Body body, CallType kind = Call::of_session) {
  Call call(function, kind);
  return run_guarded(call, body);
}

/// Like guarded(), under the library's lock.
template <class Body>
int guarded_with_lock(const char* function, Body body) {
  Call call(function);
  return run_guarded(call, body);
}

template <class Callback>
void check_callback(Callback callback, const char* name) {
  if (callback == nullptr) throw Error(ErrorClass::arg, fmt::format("{} is a null pointer: give a function", name));
}

[[noreturn]] void refuse_kind(PrivateInterface::ObjectKind kind, const char* allowed);

// ---- attributes

/// The MPI function that makes keys for objects of this kind.
const char* keyval_function(PrivateInterface::ObjectKind kind) noexcept;
KeyvalTable& keys_of(PrivateInterface::ObjectKind kind);
/// The context lives as long as the function.
Keyval::Remove delete_with_context(std::shared_ptr<OwnedContext> context, PrivateInterface::DeleteAttribute remove);

int create_number_keyval(PrivateInterface::ObjectKind kind, PrivateInterface::NumberKeyval callbacks,
                         CallbackContext context, int* keyval);
int set_number_attribute(PrivateInterface::ObjectKind kind, void* object, int keyval,
                         PrivateInterface::AttributeForm form, MPI_Aint value);
int get_number_attribute(PrivateInterface::ObjectKind kind, void* object, int keyval, MPI_Aint* value, int* flag);

// ---- data representations of files

int register_context_datarep(const char* datarep, PrivateInterface::ConvertData read,
                             PrivateInterface::ConvertData write, PrivateInterface::GetFileExtent extent,
                             CallbackContext context);

// ---- communicators

int duplicate_communicator(MPI_Comm comm, MPI_Info info, const char* function, PrivateInterface::Deliver deliver,
                           void* target, MPI_Request* request);
int shrink_communicator(MPI_Comm comm, PrivateInterface::Deliver deliver, void* target, MPI_Request* request);
int members_of(MPI_Comm comm, PrivateInterface::Members which) noexcept;

// ---- sections of arrays

int view_sections(MPI_Datatype datatype, const PrivateInterface::ArraySection* sections, int count, MPI_Datatype* view,
                  void** addresses) noexcept;
void release_view(MPI_Datatype view) noexcept;

// ---- completion with statuses in the caller's layout

int private_waitall(int count, MPI_Request* requests, const PrivateInterface::StatusArray& statuses);
int private_testall(int count, MPI_Request* requests, int* flag, const PrivateInterface::StatusArray& statuses);
int private_waitsome(int count, MPI_Request* requests, int* completed, int* indices,
                     const PrivateInterface::StatusArray& statuses);
int private_testsome(int count, MPI_Request* requests, int* completed, int* indices,
                     const PrivateInterface::StatusArray& statuses);
int private_request_get_status_all(int count, const MPI_Request* requests, int* flag,
                                   const PrivateInterface::StatusArray& statuses);
int private_request_get_status_some(int count, const MPI_Request* requests, int* completed, int* indices,
                                    const PrivateInterface::StatusArray& statuses);

}  // namespace bowline::api
