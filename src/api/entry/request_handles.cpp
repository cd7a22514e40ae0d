// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/request_handles.hpp"

#include <fmt/format.h>

#include <string>

#include "base/diagnosis/queue_record.hpp"
#include "base/error.hpp"

namespace bowline::api {

// Readers of the memory compute handles. If this does not hold any more, they name others: raise the record's version.
static_assert(generation_shift == QueueRecord::high_generation_shift &&
              alignof(proto::Request) == 1U << QueueRecord::low_generation_bits);

void refuse_request(MPI_Request handle, const char* name, int index) {
  const std::string which = index < 0 ? name : fmt::format("{}[{}]", name, index);
  throw Error(ErrorClass::request,
              fmt::format("{} is {}, which is no active request: it was never started, or has been waited for or freed "
                          "already",
                          which, fmt::ptr(static_cast<const void*>(handle))));
}

}  // namespace bowline::api
