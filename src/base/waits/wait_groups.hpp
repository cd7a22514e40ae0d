// SPDX-License-Identifier: BSD-3-Clause
// Ranks that do the same, in words: the lines of a page that says what the ranks of a job wait for.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bowline {

/// Ranks in ascending order: "rank 3", "ranks 0 and 2", "ranks 0 to 4, 7 and 9 to 12".
std::string name_ranks(std::span<const int> ranks);

/// Whether a rank that waits, as it says, waits for the end of a standard send.
inline bool waits_for_send(std::string_view words) noexcept {
  return words.starts_with("in MPI_Send ") || words.find(" a send ") != std::string_view::npos;
}

class WaitGroups {
 public:
  /// Ranks that do the same.
  struct Group {
    std::vector<int> ranks;  ///< ascending
    std::string host;        ///< of all of them; empty if they are on several
    double shortest = 0;     ///< how long they have waited, in seconds
    double longest = 0;
    int others = 0;    ///< further ranks, which are not listed
    int awaited = -1;  ///< the rank for which all of them wait in any case; negative: not known

    int count() const noexcept { return static_cast<int>(ranks.size()) + others; }
  };

  /// Adds ranks, at least one. `words`: what they do, such as "has ended"; `wait`: they wait in MPI, and have done so
  /// for the time of the group.
  void add(std::string_view words, bool wait, const Group& group);

  /// A line for each group, the smallest first: "ranks 0 to 2 on HOST: in MPI_Barrier on MPI_COMM_WORLD, operation 1,
  /// awaiting rank 3 (solver.c:88), for 9.8 to 12.0 s". No more than 40 groups; then a line counts the others.
  std::vector<std::string> lines() const;

  /// Calls `action` with the words of each group, whether it waits, and the group.
  template <class Action>
  void for_each(Action action) const {
    for (const auto& [key, group] : groups_) action(key.first, key.second, group);
  }
  std::size_t count() const noexcept { return groups_.size(); }

 private:
  using Key = std::pair<std::string, bool>;  // the words, and whether the ranks wait

  std::map<Key, Group> groups_;
};

}  // namespace bowline
