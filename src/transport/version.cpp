// SPDX-License-Identifier: BSD-3-Clause
#include "transport/version.hpp"

#include <fmt/format.h>

#include "base/common_settings.hpp"
#include "base/process_id.hpp"

namespace bowline::transport {

Error other_version(int peer, std::uint32_t theirs) {
  return {ErrorClass::other,
          fmt::format("{} speaks version {} of Bowline's wire format, this process version {}: start all ranks "
                      "with the same build of Bowline (is LD_LIBRARY_PATH the same on all nodes?)",
                      process_name(peer), theirs, wire_version)};
}

Error other_settings(int peer) {
  const std::string own = common_settings_in_words();
  return {ErrorClass::other,
          fmt::format("{} runs with other settings than this process, which has {}: {} must be the same at all ranks "
                      "that communicate; set them for the whole job, as by mpiexec -x NAME=VALUE",
                      process_name(peer), own.empty() ? "none of them set" : own, names_of_common_settings())};
}

}  // namespace bowline::transport
