// SPDX-License-Identifier: BSD-3-Clause
// Which entry points of MPI-5.0 have a body. The table is generated from the sources, so it lists as implemented only
// what exists.
#pragma once

#include <span>
#include <string_view>

namespace bowline::api {

struct EntryPoint {
  std::string_view name;  // "MPI_Send", "MPI_Send_c"
  bool implemented;
  bool large;  // the large-count form
};

/// Every entry point, the large-count form right after the small one. Static data, for any thread at any time.
std::span<const EntryPoint> coverage() noexcept;

}  // namespace bowline::api
