// SPDX-License-Identifier: BSD-3-Clause
#include "proto/paths/path.hpp"

#include <algorithm>

#include "base/counter.hpp"
#include "base/tunable.hpp"
#include "proto/protocols/protocol.hpp"

namespace bowline::proto {
namespace {

constexpr std::array<std::string_view, path_count> names{"short_pieces", "long_pieces", "single_copy",
                                                         "single_copy_by_both"};

ChoiceTunable long_messages(Category::messages, "long_messages", {"measured", names[0], names[1], names[2], names[3]},
                            "how long messages travel between ranks of a node: by the path that is measured to be the "
                            "fastest, or always in this one where it is possible (bowline-info --protocols)");

std::array<Counter, path_count> messages{
    Counter{Category::messages, "short_piece_messages",
            "long messages on a node that were copied twice, in short pieces"},
    Counter{Category::messages, "long_piece_messages",
            "long messages on a node that were copied twice, in long pieces"},
    Counter{Category::messages, "single_copy_messages",
            "long messages on a node that the receiver read from the sender's memory"},
    Counter{Category::messages, "single_copy_by_both_messages",
            "long messages on a node that receiver and sender copied by halves"}};

constexpr Tuner::Costs guesses{1.5F, 1.5F, 3.0F, 1.8F};
constexpr Tuner::Rules alone{.timed_every = 16, .guesses = guesses};
// The median needs more messages.
constexpr Tuner::Rules in_rows{
    .statistic = CostSample::Statistic::median, .first_length = 5, .length = 4, .timed_every = 16, .guesses = guesses};

}  // namespace

std::string_view name_of(Path path) noexcept {
  return names[index_of(path)];
}

const RendezvousProtocol& protocol_of(Path path) noexcept {
  const std::array protocols{&rendezvous_pipeline, &rendezvous_long_pieces, &rendezvous_single_copy,
                             &rendezvous_single_copy_by_both};
  return *protocols[index_of(path)];
}

void count_message(Path path) noexcept {
  messages[index_of(path)].add();
}

std::optional<Path> pinned_path() noexcept {
  const auto found = std::ranges::find(names, long_messages.value());
  if (found == names.end()) return {};
  return all_paths[static_cast<std::size_t>(found - names.begin())];
}

const Tuner::Rules& path_rules(bool in_row) noexcept {
  return in_row ? in_rows : alone;
}

Tuner::Operation operation(const Tuner& tuner, PathSet possible, std::size_t bytes, const Tuner* similar,
                           const ExplorationBudget& budget) noexcept {
  Tuner::Operation message{.similar = similar, .possible = possible, .budget = &budget};
  for (const Path path : all_paths) {
    const std::size_t i = index_of(path);
    message.amounts[i] = static_cast<float>(tried_bytes(path, bytes, is_known(path, tuner, similar)));
  }
  return message;
}

}  // namespace bowline::proto
