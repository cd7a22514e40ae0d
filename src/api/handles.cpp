// SPDX-License-Identifier: BSD-3-Clause
#include "api/handles.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/error.hpp"

namespace bowline::api {
namespace {

// Where MPI_Status keeps what is not public: the byte count in two words, then whether it was cancelled.
constexpr int bytes_word = 0;
constexpr int cancelled_word = 2;

// The predefined handles end here; the first page of memory is never mapped.
constexpr std::uintptr_t first_object = 0x1000;

static_assert(proto::any_source == MPI_ANY_SOURCE && proto::any_tag == MPI_ANY_TAG &&
              proto::no_process == MPI_PROC_NULL);
static_assert(static_cast<int>(ErrorClass::truncate) == MPI_ERR_TRUNCATE);
static_assert(static_cast<int>(ErrorClass::unsupported_operation) == MPI_ERR_UNSUPPORTED_OPERATION);
static_assert(static_cast<int>(ErrorClass::last_predefined) == MPI_ERR_ABI);

}  // namespace

proto::Request& request_of(MPI_Request handle, const char* name, int index) {
  auto* const request = reinterpret_cast<proto::Request*>(handle);
  // The mark catches a request that was freed or waited for before, as long as its memory has not been used again.
  if (handle_value(handle) < first_object || request->mark != proto::Request::alive) {
    const std::string which = index < 0 ? name : fmt::format("{}[{}]", name, index);
    throw Error(ErrorClass::request,
                fmt::format("{} is {}, which is no active request: it was never started, or has been "
                            "waited for or freed already",
                            which, fmt::ptr(static_cast<const void*>(request))));
  }
  return *request;
}

void set_status(MPI_Status* target, const proto::Status& status) noexcept {
  if (target == MPI_STATUS_IGNORE) return;
  target->MPI_SOURCE = status.source;
  target->MPI_TAG = status.tag;
  const auto bytes = static_cast<MPI_Count>(status.bytes);
  std::memcpy(&target->MPI_internal[bytes_word], &bytes, sizeof bytes);
  target->MPI_internal[cancelled_word] = status.cancelled ? 1 : 0;
}

proto::Status empty_status() noexcept {
  return {};
}

proto::Status no_process_status() noexcept {
  return {.source = proto::no_process, .tag = proto::any_tag};
}

MPI_Count status_bytes(const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[bytes_word], sizeof bytes);
  return bytes;
}

}  // namespace bowline::api
