// SPDX-License-Identifier: BSD-3-Clause
// Regions: the memory that a member of a dynamic window has attached.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rma/target_data.hpp"

namespace bowline::rma {

class Regions {
 public:
  /// Throws Error (rma_attach) if the bytes overlap another region, or wrap around. `window`: in words.
  void attach(std::uint64_t address, std::uint64_t size, const std::string& window);
  /// False if no region begins there.
  bool detach(std::uint64_t address) noexcept;

  /// Whether attached memory holds the place. Regions that touch each other hold it together.
  bool hold(const TargetData& place) const noexcept;

  using Ranges = std::map<std::uint64_t, std::uint64_t>;  ///< address -> size
  /// The attached memory, where regions that touch each other are one range.
  const Ranges& joined() const noexcept { return joined_; }

 private:
  Ranges attached_;
  Ranges joined_;
};

}  // namespace bowline::rma
