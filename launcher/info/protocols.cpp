// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/info/protocols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "launcher/info/measured_pair.hpp"
#include "proto/paths/path.hpp"
#include "proto/protocols/plan.hpp"
#include "proto/protocols/protocol.hpp"
#include "runtime/networks.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_endpoint.hpp"
#include "transport/self.hpp"

namespace bowline::launcher {
namespace {

using proto::LengthRange;
using proto::Protocol;
using transport::never;

std::string in_words(const LengthRange& range) {
  if (range.empty()) return "";
  if (range.up_to == never) return range.from == 0 ? "any length" : fmt::format("{} and more", range.from);
  return fmt::format("{} to {}", range.from, range.up_to);
}

/// The protocol that a message of this length uses first, if eager messages are not suspended by flow control.
const Protocol* first_choice(const transport::Limits& limits, const proto::Plan& plan, std::size_t bytes) {
  if (bytes > plan.eager_limit) {
    return std::ranges::find_if(plan.in_order(), [=](const auto& choice) { return choice.serves(bytes); })->protocol;
  }
  return bytes <= limits.inline_body ? &proto::eager_inline : &proto::eager_copy;
}

/// The lengths at which the choice may change.
std::set<std::size_t> edges(const transport::Limits& limits, const proto::Plan& plan) {
  std::set<std::size_t> all{0, plan.eager_limit + 1};
  for (const Protocol* protocol : proto::protocols()) {
    const LengthRange range = protocol->serves(limits);
    if (range.empty()) continue;
    all.insert(range.from);
    if (range.up_to != never) all.insert(range.up_to + 1);
  }
  return all;
}

/// Whether the protocol carries long messages where paths are measured.
bool is_a_path(const Protocol* protocol) {
  return std::ranges::any_of(proto::all_paths, [=](proto::Path path) { return &proto::protocol_of(path) == protocol; });
}

std::string lengths_used_for(const Protocol* protocol, const transport::Limits& limits) {
  const proto::Plan plan = proto::make_plan(limits);
  if (limits.measured && is_a_path(protocol)) {
    const std::string lengths = in_words(LengthRange{plan.eager_limit + 1, never});
    const auto pinned = proto::pinned_path();
    if (!pinned) return lengths + ", if it is the fastest";
    return &proto::protocol_of(*pinned) == protocol ? lengths : "";
  }
  const std::set<std::size_t> all = edges(limits, plan);
  LengthRange used;
  for (auto edge = all.begin(); edge != all.end(); ++edge) {
    if (first_choice(limits, plan, *edge) != protocol) continue;
    if (used.empty()) used.from = *edge;
    used.up_to = std::next(edge) == all.end() ? never : *std::next(edge) - 1;
  }
  return in_words(used);
}

void print_over(std::string_view transport, const transport::Limits& limits) {
  fmt::print("protocols over {} (lengths of messages in bytes)\n", transport);
  for (const ProtocolUse& use : protocol_uses(limits)) {
    if (use.serves.empty()) {
      fmt::print("  {:<30} {:<57} {}\n", use.name, "not offered by this transport with these tunables:", use.summary);
    } else {
      fmt::print("  {:<30} serves {:<16} used for {:<24} {}\n", use.name, use.serves + ",",
                 (use.used_for.empty() ? "none unless others fail" : use.used_for) + ":", use.summary);
    }
  }
}

/// The measured path with the best value.
template <class Better>
std::size_t best_of(const std::array<double, proto::path_count>& values, Better better) {
  std::size_t best = 0;
  for (std::size_t path = 1; path < proto::path_count; ++path) {
    if (values[path] > 0 && better(values[path], values[best])) best = path;
  }
  return best;
}

/// A column for each path, with a star at the best one.
template <class Better>
std::string columns(const std::array<double, proto::path_count>& values, Better better) {
  std::string text;
  const std::size_t best = best_of(values, better);
  for (std::size_t path = 0; path < proto::path_count; ++path) {
    const std::string number =
        values[path] > 0 ? fmt::format("{:.2f}{}", values[path], path == best ? "*" : " ") : "- ";
    text += fmt::format(" {:>20}", number);
  }
  return text;
}

/// What long messages take by each path between two processes of this node, and which path they would take.
void print_paths() {
  const auto pinned = proto::pinned_path();
  fmt::print("long messages between two processes of this node, measured now; {}\n",
             pinned ? fmt::format("the tunable long_messages has all of them go as {}", proto::name_of(*pinned))
                    : "ranks choose the path with a star");
  std::string names;
  for (const proto::Path path : proto::all_paths) names += fmt::format(" {:>19} ", proto::name_of(path));
  fmt::print("  {:>8} {:<12}{}\n", "bytes", "", names);
  try {
    for (const MeasuredLength& each : measure_pair().lengths) {
      fmt::print("  {:>8} {:<12}{}\n", each.bytes, "alone, us", columns(each.alone, std::less<>()));
      fmt::print("  {:>8} {:<12}{}\n", "", "in row, GB/s", columns(each.in_row, std::greater<>()));
    }
  } catch (const Error& error) {
    fmt::print("  cannot be measured: {}\n", error.what());
  }
}

}  // namespace

std::vector<ProtocolUse> protocol_uses(const transport::Limits& limits) {
  std::vector<ProtocolUse> uses;
  for (const Protocol* protocol : proto::protocols()) {
    uses.push_back({protocol->name(), protocol->summary(), in_words(protocol->serves(limits)),
                    lengths_used_for(protocol, limits)});
  }
  return uses;
}

void print_protocols() {
  transport::SelfDevice self(0);
  print_over("self", self.connect(0, {})->limits());
  print_over("shm", shm::shm_limits(shm::tuned_ring_lines()));
  for (const transport::NetworkKind& kind : runtime::network_kinds()) {
    if (const transport::Limits between_nodes = kind.default_limits(); between_nodes.max_body > 0) {
      print_over(kind.name, between_nodes);
    } else {
      fmt::print("protocols over {}: this build does not have it\n", kind.name);
    }
  }
  print_paths();
}

}  // namespace bowline::launcher
