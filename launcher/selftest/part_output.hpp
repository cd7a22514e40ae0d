// SPDX-License-Identifier: BSD-3-Clause
// What a part of the self-test has printed (selftest/ranks/part.hpp), as values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bowline::launcher {

/// A link of a node to others, as the kernel tells it.
struct Link {
  std::string kind;  ///< adapter (RDMA), interface, or virtual (an interface without hardware)
  std::string name;
  double rate = 0;  ///< MB/s
};

struct PartOutput {
  using Key = std::pair<std::string, std::size_t>;  ///< a name, and bytes
  std::map<Key, double> times;                      ///< microseconds
  std::vector<std::string> timed;                   ///< the names of `times`, in the order of the lines
  std::map<Key, double> rates;                      ///< MB/s
  std::map<std::string, double> used;               ///< how often by this path
  std::optional<std::string> wrong;                 ///< the first data that was wrong, in words
  std::optional<std::string> error;                 ///< the first error that MPI has returned
  std::vector<Link> links;
  double busy = 0;  ///< cores that other programs keep busy

  std::optional<double> time(const std::string& name, std::size_t bytes) const;
  std::optional<double> rate(const std::string& name, std::size_t bytes) const;
  /// MB/s that messages of this length reach at best: alone, or in a row.
  std::optional<double> best_rate(std::size_t bytes) const;
};

/// Reads the lines that it knows; others are of libraries.
PartOutput parse_part_output(std::string_view text);

}  // namespace bowline::launcher
