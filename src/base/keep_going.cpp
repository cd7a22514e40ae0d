// SPDX-License-Identifier: BSD-3-Clause
#include "base/keep_going.hpp"

#include <cstdlib>
#include <string_view>

namespace bowline {

bool launcher_keeps_going() noexcept {
  const char* const value = std::getenv(keep_going_variable);
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace bowline
