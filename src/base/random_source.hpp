// SPDX-License-Identifier: BSD-3-Clause
// Random numbers from the kernel, for names and secrets.
#pragma once

#include <cstdint>
#include <limits>

namespace bowline {

/// In place of std::random_device, which may execute instructions that take microseconds in a virtual machine, and
/// which, linked statically, needs the C library of the machine on which it was built (arc4random of glibc 2.36).
class RandomSource {
 public:
  using result_type = std::uint32_t;
  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  /// Throws Error (MPI_ERR_OTHER) if the system has no random numbers.
  result_type operator()() const;
};

/// 64 random bits. Throws as RandomSource.
std::uint64_t random_bits();

}  // namespace bowline
