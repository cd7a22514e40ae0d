// SPDX-License-Identifier: BSD-3-Clause
#include "transport/version.hpp"

#include <fmt/format.h>

#include "base/process_id.hpp"

namespace bowline::transport {

Error other_version(int peer, std::uint32_t theirs) {
  return {ErrorClass::other,
          fmt::format("{} speaks version {} of Bowline's wire format, this process version {}: start all ranks "
                      "with the same build of Bowline (is LD_LIBRARY_PATH the same on all nodes?)",
                      process_name(peer), theirs, wire_version)};
}

}  // namespace bowline::transport
