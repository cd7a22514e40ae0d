// SPDX-License-Identifier: BSD-3-Clause
#include "proto/near_misses.hpp"

#include <fmt/format.h>

#include "proto/engine.hpp"
#include "proto/in_words.hpp"
#include "proto/liveness/process_directory.hpp"

namespace bowline::proto {
namespace {

/// Messages that have something in common, and the first of them.
struct Alike {
  std::size_t count = 0;
  Match first{};
  bool equal = true;  ///< whether all are like the first one

  void add(const Match& match) noexcept {
    if (count++ == 0) first = match;
    equal = equal && match == first;
  }
  std::string words(Engine& lane) const {
    return fmt::format("{} {}{}", count == 1 ? "1 message" : fmt::format("{} messages", count), equal ? "" : "such as ",
                       match_in_words(lane, first));
  }
};

}  // namespace

std::string near_misses(Engine& lane, const Match& match) {
  if (purpose_of(match.context) != Purpose::point_to_point) return {};
  ProcessDirectory* const directory = lane.liveness().directory();
  const int sender =
      match.source == any_source || directory == nullptr ? -1 : directory->process(match.context, match.source);
  Alike other_tag, other_source, other_communicator;
  lane.matching().for_each_unexpected([&](const Unexpected& message) {
    const transport::Header& header = message.header;
    if (message.kind() == Kind::failure || purpose_of(header.context) != Purpose::point_to_point) return;
    const bool same_tag = match.tag == any_tag || match.tag == header.tag;
    const Match found{header.context, header.source, header.tag};
    if (header.context == match.context) {
      const bool same_source = match.source == any_source || match.source == header.source;
      if (same_source && !same_tag) other_tag.add(found);
      if (same_tag && !same_source) other_source.add(found);
    } else if (same_tag && sender >= 0 && message.origin == sender) {
      other_communicator.add(found);
    }
  });
  for (const Alike* const alike : {&other_tag, &other_source, &other_communicator}) {
    if (alike->count > 0) return fmt::format(" (not taken: {})", alike->words(lane));
  }
  return {};
}

}  // namespace bowline::proto
