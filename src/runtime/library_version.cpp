// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/library_version.hpp"

namespace bowline::runtime {

std::string_view library_version() noexcept {
  return "Bowline " BOWLINE_VERSION ", MPI 5.0, standard ABI 1.0";
}

std::string_view build_description() noexcept {
  return BOWLINE_BUILD;
}

}  // namespace bowline::runtime
