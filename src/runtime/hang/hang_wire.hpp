// SPDX-License-Identifier: BSD-3-Clause
// The messages of a hang survey (hang_survey.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/waits/wait_groups.hpp"
#include "proto/wire.hpp"

namespace bowline::runtime {

namespace hang_kind {
inline constexpr proto::Kind question{66};  ///< to the next ranks of the tree
inline constexpr proto::Kind answer{67};    ///< for the rank and all ranks below it
inline constexpr proto::Kind group{68};     ///< before the answer of the last round; body: pack(Described)
}  // namespace hang_kind

/// The rounds of a survey, one after the other.
enum class Round : std::uint32_t {
  first_look = 1,  ///< does every rank wait, and what has it received?
  second_look,     ///< has anything happened since, and what have the ranks sent?
  page,            ///< what do the ranks wait for?
};

/// Prefix of each message. A survey has the number that its root has given it.
struct Question {
  std::int32_t root = 0;
  std::uint32_t survey = 0;
  Round round = Round::first_look;
  std::uint32_t unused = 0;
  bool operator==(const Question&) const = default;
};

/// Prefix of `answer`.
struct Answer {
  Question question;
  std::uint64_t messages = 0;  ///< that have been received (first look) or sent (second look)
  std::uint32_t waits = 0;     ///< whether each of the ranks waits, as the round demands
  std::uint32_t left_out = 0;  ///< ranks of further groups
};
static_assert(sizeof(Answer) == 32 && sizeof(Answer) <= proto::max_prefix);

/// Ranks that do the same.
struct Described {
  std::string words;
  bool wait = false;
  WaitGroups::Group group;
};

/// As bytes, no more than `longest`: words that are too long are cut, and ranks beyond 32 ranges are only counted.
std::vector<std::byte> pack(const Described& what, std::size_t longest);
/// Nothing if the bytes are damaged. `ranks`: the number of ranks of the job.
std::optional<Described> unpack(std::span<const std::byte> bytes, int ranks);

}  // namespace bowline::runtime
