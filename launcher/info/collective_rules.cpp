// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/info/collective_rules.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/number.hpp"
#include "coll/selection/selection.hpp"
#include "launcher/info/measured_pair.hpp"

namespace bowline::launcher {
namespace {

using coll::Operation;

constexpr std::size_t longest = std::numeric_limits<std::size_t>::max();

/// The restrictions of an algorithm, in words.
std::string constraints(const coll::Algorithm& algorithm) {
  std::string words;
  const auto add = [&](bool applies, std::string_view text) {
    if (applies) fmt::format_to(std::back_inserter(words), "{}{}", words.empty() ? "" : ", ", text);
  };
  add(algorithm.segmented, "segmented");
  add(!algorithm.ordered, "commutative operators only");
  add(algorithm.power_of_two, "2, 4, 8... ranks only");
  add(algorithm.shared, "shared memory only");
  add(algorithm.by_placement, "order depends on placement");
  return words.empty() ? "" : fmt::format(" ({})", words);
}

void print_tables(Operation operation) {
  for (const coll::Algorithm& algorithm : coll::algorithms(operation)) {
    fmt::print("  {:<28} {}{}\n", algorithm.name, algorithm.summary, constraints(algorithm));
  }
  for (const coll::Rule& rule : coll::user_rules().of(operation)) fmt::print("  user's rule: {}\n", to_text(rule));
  for (const coll::Rule& rule : coll::built_in_rules().of(operation)) fmt::print("  rule: {}\n", to_text(rule));
}

/// The lengths at which the choice may change.
std::set<std::size_t> edges(Operation operation, int ranks) {
  std::set<std::size_t> all{0};
  for (const coll::Rules* const rules : {&coll::user_rules(), &coll::built_in_rules()}) {
    for (const coll::Rule& rule : rules->of(operation)) {
      all.insert(rule.when.least_bytes);
      if (rule.when.most_bytes != longest) all.insert(rule.when.most_bytes + 1);
      if (rule.when.most_total != longest) all.insert(rule.when.most_total / static_cast<std::size_t>(ranks) + 1);
    }
  }
  // The model changes its mind at any length; powers of two tell enough.
  for (std::size_t bytes = 64; bytes <= std::size_t{64} << 20; bytes *= 2) all.insert(bytes);
  return all;
}

std::string in_words(const coll::Choice& choice) {
  std::string text(choice.algorithm->name);
  if (choice.segment != 0) text += ":" + number_text(choice.segment);
  if (choice.refused != nullptr) text += "  (the user's rule \"" + to_text(*choice.refused) + "\" cannot serve this)";
  return text;
}

/// The costs of this node as far as they can be measured.
coll::NodeCosts costs_here() {
  try {
    return measure_pair().costs;
  } catch (const Error& error) {
    log::warning("costs of collectives on this node are guessed, because two processes cannot exchange messages: {}",
                 error.what());
    return {};
  }
}

std::string costs_in_words(const coll::NodeCosts& costs) {
  return fmt::format(
      "a copied byte {:.3f} ns ({:.1f} GB/s), beyond {} {:.3f} ns, a page read by the kernel {:.0f} ns ({:.1f} GB/s), "
      "a "
      "system call for that {:.0f} ns, a flag {:.0f} ns, a long message {:.0f} ns, a change of process {:.0f} ns",
      costs.copy, 1 / costs.copy, number_text(static_cast<std::size_t>(costs.near_bytes)), costs.copy_far, costs.page,
      4096 / costs.page, costs.call, costs.flag, costs.message, costs.change);
}

std::string lengths(std::size_t first, std::size_t last) {
  if (first == 0 && last == longest) return "any length";
  return last == longest ? fmt::format("{} and more", first) : fmt::format("{} to {}", first, last);
}

coll::Situation situation(Operation operation, const CollectiveQuestion& question, std::size_t bytes,
                          const coll::NodeCosts& costs) {
  return coll::with_tunables(operation, {.ranks = *question.ranks,
                                         .bytes = bytes,
                                         .ordered = question.ordered && coll::reduces(operation),
                                         .oversubscribed = question.oversubscribed && !question.several_nodes,
                                         .one_node = !question.several_nodes,
                                         .shared = !question.several_nodes && *question.ranks > 1 &&
                                                   *question.ranks <= coll::most_sharing(operation),
                                         .layered = question.several_nodes,
                                         .costs = &costs});
}

coll::Choice what_runs(Operation operation, const CollectiveQuestion& question, std::size_t bytes,
                       const coll::NodeCosts& costs) {
  return choose(operation, situation(operation, question, bytes, costs));
}

/// What the algorithms that share memory take for the call, by the model; empty if the model does not choose.
std::string predictions(Operation operation, const coll::Choice& chosen, const coll::Situation& call,
                        const coll::NodeCosts& costs) {
  if (!predicted_time(operation, chosen.algorithm->name, call, costs)) return "";
  std::string text;
  for (const coll::Algorithm& algorithm : coll::algorithms(operation)) {
    const auto time = predicted_time(operation, algorithm.name, call, costs);
    if (!time) continue;
    fmt::format_to(std::back_inserter(text), "{}{} {:.1f} us", text.empty() ? "" : ", ", algorithm.name, *time / 1e3);
    if (call.bytes > 0)
      fmt::format_to(std::back_inserter(text), " ({:.1f} GB/s)", static_cast<double>(call.bytes) / *time);
  }
  return fmt::format("  predicted: {}", text);
}

void print_what_runs(Operation operation, const CollectiveQuestion& question, const coll::NodeCosts& costs) {
  if (question.bytes) {
    const coll::Choice choice = what_runs(operation, question, *question.bytes, costs);
    fmt::print("  {:<28} {}{}\n", fmt::format("{} bytes:", *question.bytes), in_words(choice),
               predictions(operation, choice, situation(operation, question, *question.bytes, costs), costs));
    return;
  }
  const std::set<std::size_t> all = edges(operation, *question.ranks);
  std::size_t first = 0;
  for (auto edge = all.begin(); edge != all.end(); ++edge) {
    const auto next = std::next(edge);
    const std::string now = in_words(what_runs(operation, question, *edge, costs));
    if (next != all.end() && in_words(what_runs(operation, question, *next, costs)) == now) continue;
    fmt::print("  {:<28} {}\n", lengths(first, next == all.end() ? longest : *next - 1) + ":", now);
    if (next != all.end()) first = *next;
  }
}

}  // namespace

void print_collectives(const CollectiveQuestion& question) {
  coll::load_rules();
  const coll::NodeCosts costs = costs_here();
  fmt::print("{}; of several after = (or), the one with the least time on this node: {}\n",
             question.ranks
                 ? fmt::format("what serves collectives of {} ranks (lengths in bytes)", *question.ranks)
                 : "algorithms of the collectives, and the rules that choose them: the first that fits counts",
             costs_in_words(costs));
  for (int i = 0; i < coll::operations; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (!question.operation.empty() && question.operation != coll::name_of(operation)) continue;
    fmt::print("{}\n", coll::name_of(operation));
    if (coll::algorithms(operation).empty()) {
      fmt::print("  not part of this version\n");
    } else if (question.ranks) {
      print_what_runs(operation, question, costs);
    } else {
      print_tables(operation);
    }
  }
}

}  // namespace bowline::launcher
