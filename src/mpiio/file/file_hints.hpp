// SPDX-License-Identifier: BSD-3-Clause
// Hints: what a program says about its use of a file (MPI-5.0, section 14.2.8), and what the library makes of it. The
// names are those of the standard and of other MPI libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/info.hpp"
#include "mpiio/storage/file_system.hpp"

namespace bowline::mpiio {

/// Whether the library uses a method: as it thinks best, always, or never.
enum class Use : std::uint8_t { automatic, enabled, disabled };

/// A plain value: rank 0 of a file sends its hints to the other ranks, so that all use the same hints.
struct Hints {
  std::size_t cb_buffer_size = 0;  ///< bytes of memory for collective accesses, of each process that has a part in them
  int cb_nodes = 0;                ///< processes that access the file in a collective access; 0: the library chooses
  Use cb_read = Use::automatic;    ///< whether processes exchange the data of collective accesses
  Use cb_write = Use::automatic;
  Use cb_levels = Use::automatic;  ///< whether the processes of a node first merge their data (bowline_cb_two_level)
  int cb_unit = 0;  ///< for tests: so many processes merge their data, as if a node had no more processes
  std::size_t ind_rd_buffer_size = 0;  ///< bytes that data sieving reads or writes at a time
  std::size_t ind_wr_buffer_size = 0;
  Use ds_read = Use::automatic;  ///< data sieving
  Use ds_write = Use::automatic;
  std::size_t striping_unit = 0;  ///< bytes; 0: unknown
  int striping_factor = 0;        ///< file servers; 0: unknown
  std::uint32_t file_perm = 0666;
  std::array<char, 64> access_style{};  ///< not used, but reported

  /// The defaults for a file system.
  static Hints defaults(const FileSystem& system) noexcept;
  /// Takes the known keys with valid values; other keys are ignored, as the standard says. `open`: the file is being
  /// opened, so hints count that have no effect later.
  void take(const Info& info, bool open);
  /// The hints that are in use, for MPI_File_get_info.
  Info info() const;
};

}  // namespace bowline::mpiio
