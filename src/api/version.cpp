// SPDX-License-Identifier: BSD-3-Clause
#include "api/version.hpp"

namespace bowline::api {

std::string_view library_version() noexcept {
  return "Bowline " BOWLINE_VERSION ", MPI 5.0, standard ABI 1.0";
}

std::string_view build_description() noexcept {
  return BOWLINE_BUILD;
}

}  // namespace bowline::api
