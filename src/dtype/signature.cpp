// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/signature.hpp"

#include <array>

namespace bowline::dtype {

const char* in_words(Signature type) noexcept {
  static constexpr std::array<const char*, signatures> words{"data of any type",
                                                             "16-bit integers",
                                                             "32-bit integers",
                                                             "64-bit integers",
                                                             "128-bit integers",
                                                             "16-bit reals",
                                                             "32-bit reals",
                                                             "64-bit reals",
                                                             "long doubles",
                                                             "128-bit reals",
                                                             "32-bit reals with index",
                                                             "64-bit reals with index"};
  return words[static_cast<std::size_t>(type)];
}

}  // namespace bowline::dtype
