// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/cause.hpp"

#include <fmt/format.h>

namespace bowline::coll {

Error Cause::error(int member) const {
  if (number_ == revoked) {
    return {ErrorClass::revoked,
            fmt::format("the communicator is revoked, as rank {} of it has found during this call", member)};
  }
  if (number_ == other) {
    return {ErrorClass::other,
            fmt::format("rank {} of the communicator could not go on, and has not given its part of the data: its own "
                        "error says why",
                        member)};
  }
  const int lost = number_ == unnamed_lost ? -1 : static_cast<int>(number_ - first_lost);
  return {ErrorClass::proc_failed,
          fmt::format("{} has ended or cannot be reached any more, and rank {} of the communicator could not go on "
                      "without it",
                      lost < 0 ? "a process" : fmt::format("rank {} of the job", lost), member),
          lost};
}

}  // namespace bowline::coll
