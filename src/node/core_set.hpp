// SPDX-License-Identifier: BSD-3-Clause
// Sets of cores, from the scheduler and from the kernel's files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bowline::node {

/// Each process makes some of these when it starts, so they are plain bits: hwloc, which has such sets too, would be
/// one more library to load in every rank.
class Cores {
 public:
  void add(int core);
  Cores& operator|=(const Cores& other);

  bool empty() const noexcept { return words_.empty(); }
  /// The lowest core; -1 if there is none.
  int first() const noexcept;
  bool intersects(const Cores& other) const noexcept;
  /// True for the empty set, too.
  bool is_within(const Cores& other) const noexcept;
  bool operator==(const Cores&) const = default;

 private:
  static constexpr int bits = 64;
  std::vector<std::uint64_t> words_;  ///< the last one is not 0
};

/// The cores to which a process is bound; 0 stands for this process. None if the process is gone.
Cores cores_of(pid_t process);

/// The cores of a list such as "0-3,8", up to what is no such list; none if it is empty.
Cores cores_in(const std::string& list);

/// The first line of a file; empty if it cannot be read.
std::string first_line(const std::string& file);

}  // namespace bowline::node
