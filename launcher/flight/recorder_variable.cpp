// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/flight/recorder_variable.hpp"

namespace bowline::launcher {

std::string recorder_variable() {
  return std::string("BOWLINE_") + "FLIGHT_RECORDER";
}

}  // namespace bowline::launcher
