// SPDX-License-Identifier: BSD-3-Clause
#include "proto/ways/way.hpp"

#include <algorithm>

#include "base/counter.hpp"
#include "base/tunable.hpp"
#include "proto/protocols/protocol.hpp"

namespace bowline::proto {
namespace {

constexpr std::string_view measured = "measured";
constexpr std::array<std::string_view, way_count> names{"short_pieces", "long_pieces", "attach", "attach_both"};

ChoiceTunable long_messages{"long_messages",
                            {measured, names[0], names[1], names[2], names[3]},
                            "how long messages travel between ranks of a node: in the way that is measured to be the "
                            "fastest, or always in this one where it is possible (bowline-info --protocols)"};

std::array<Counter, way_count> messages{
    Counter{"short_piece_messages", "long messages on a node that were copied twice, in short pieces"},
    Counter{"long_piece_messages", "long messages on a node that were copied twice, in long pieces"},
    Counter{"attached_messages", "long messages on a node that the receiver read from the sender's memory"},
    Counter{"attached_by_both_messages", "long messages on a node that receiver and sender copied by halves"}};

}  // namespace

std::string_view name_of(Way way) noexcept {
  return names[index_of(way)];
}

const RendezvousProtocol& protocol_of(Way way) noexcept {
  switch (way) {
    case Way::long_pieces:
      return rendezvous_long_pieces;
    case Way::attach:
      return rendezvous_attach;
    case Way::attach_both:
      return rendezvous_attach_both;
    case Way::short_pieces:
      break;
  }
  return rendezvous_pipeline;
}

void count_message(Way way) noexcept {
  messages[index_of(way)].add();
}

std::optional<Way> pinned_way() noexcept {
  const std::string_view value = long_messages.value();
  const auto found = std::ranges::find(names, value);
  if (found == names.end()) return {};
  return all_ways[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace bowline::proto
