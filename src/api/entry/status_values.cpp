// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/status_values.hpp"

#include <mpi-ext.h>

#include <cstring>

#include "base/error.hpp"

namespace bowline::api {
namespace {

static_assert(proto::any_source == MPI_ANY_SOURCE && proto::any_tag == MPI_ANY_TAG &&
              proto::no_process == MPI_PROC_NULL);
static_assert(static_cast<int>(ErrorClass::truncate) == MPI_ERR_TRUNCATE);
static_assert(static_cast<int>(ErrorClass::unsupported_operation) == MPI_ERR_UNSUPPORTED_OPERATION);
static_assert(static_cast<int>(ErrorClass::last_predefined) == MPI_ERR_ABI);
static_assert(static_cast<int>(ErrorClass::timeout) == MPIX_ERR_TIMEOUT);
static_assert(static_cast<int>(ErrorClass::proc_failed) == MPIX_ERR_PROC_FAILED);
static_assert(static_cast<int>(ErrorClass::proc_failed_pending) == MPIX_ERR_PROC_FAILED_PENDING);
static_assert(static_cast<int>(ErrorClass::revoked) == MPIX_ERR_REVOKED);

}  // namespace

proto::Status empty_status() noexcept {
  return {};
}

proto::Status no_process_status() noexcept {
  return {.source = proto::no_process, .tag = proto::any_tag};
}

proto::Status read_status(const MPI_Status& status) noexcept {
  return {.source = status.MPI_SOURCE,
          .tag = status.MPI_TAG,
          .cancelled = status.MPI_internal[status_cancelled_word] != 0,
          .bytes = static_cast<std::size_t>(status_bytes(status))};
}

MPI_Count status_bytes(const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[status_bytes_word], sizeof bytes);
  return bytes;
}

}  // namespace bowline::api
