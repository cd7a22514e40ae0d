// SPDX-License-Identifier: BSD-3-Clause
// The name of a process.
#pragma once
#include <compare>
#include <string>

namespace bowline::launcher {

/// A rank of any job of the PMIx server.
struct RankId {
  std::string job;  ///< the name of its namespace
  int rank = 0;

  auto operator<=>(const RankId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees the 0 within
};

}  // namespace bowline::launcher
