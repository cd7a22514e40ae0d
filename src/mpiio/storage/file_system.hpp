// SPDX-License-Identifier: BSD-3-Clause
// FileSystem: the kind of file system in which a file lies, as far as accesses depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bowline::mpiio {

struct FileSystem {
  std::string_view name = "unknown";  ///< e.g. "ext4"; "unknown" for a kind that the table does not have
  bool remote = false;                ///< whether other machines store the file: each call is dear, long accesses pay
  std::size_t block = 4096;           ///< bytes to which accesses should be aligned
  /// How the file is distributed over several servers; 0: it is not distributed, or the distribution is unknown.
  std::size_t stripe_bytes = 0;
  int stripes = 0;

  /// The file system of an open file. If the system does not tell, the result is unknown and local.
  static FileSystem of(int descriptor) noexcept;
  /// The table's row for the file system number of statfs(2); for tests.
  static FileSystem with_number(std::uint64_t number) noexcept;
};

/// The stripes of a file in Lustre, from its extended attribute lustre.lov; nothing if the bytes are no such attribute.
struct LustreStripes {
  std::size_t bytes;
  int count;
};
std::optional<LustreStripes> lustre_stripes(std::span<const std::byte> attribute) noexcept;

}  // namespace bowline::mpiio
