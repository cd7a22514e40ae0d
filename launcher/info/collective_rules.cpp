// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/info/collective_rules.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "coll/selection/selection.hpp"
#include "coll/slots/single_copy.hpp"

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
  add(algorithm.compared, "compared in calls with long data");
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
  std::set<std::size_t> all{0, coll::longest_not_compared + 1};
  for (const coll::Rules* const rules : {&coll::user_rules(), &coll::built_in_rules(), &coll::other_ways()}) {
    for (const coll::Rule& rule : rules->of(operation)) {
      all.insert(rule.when.least_bytes);
      if (rule.when.most_bytes != longest) all.insert(rule.when.most_bytes + 1);
      if (rule.when.most_total != longest) all.insert(rule.when.most_total / static_cast<std::size_t>(ranks) + 1);
    }
  }
  return all;
}

/// "chain:8K".
std::string in_words(std::string_view algorithm, std::size_t segment) {
  return segment == 0 ? std::string(algorithm) : fmt::format("{}:{}", algorithm, number_text(segment));
}

/// "shares, compared with slots and single_copy".
std::string in_words(Operation operation, const coll::Situation& call) {
  const coll::Choice choice = choose(operation, call);
  std::string text = in_words(choice.algorithm->name, choice.segment);
  std::vector<std::string> others;
  const coll::Candidates compared = candidates(operation, call, choice);
  for (const coll::Algorithm* const each : compared.list())
    if (each != choice.algorithm) others.emplace_back(each->name);
  const coll::Ways between_nodes = ways(operation, call, choice);
  for (std::size_t i = 1; i < between_nodes.count; ++i)
    others.push_back(in_words(between_nodes.list[i].algorithm->name, between_nodes.list[i].segment));
  if (!others.empty()) text += fmt::format(", compared with {}", fmt::join(others, " and "));
  if (choice.refused != nullptr) text += "  (the user's rule \"" + to_text(*choice.refused) + "\" cannot serve this)";
  return text;
}

std::string lengths(std::size_t first, std::size_t last) {
  if (first == 0 && last == longest) return "any length";
  return last == longest ? fmt::format("{} and more", first) : fmt::format("{} to {}", first, last);
}

std::string what_runs(Operation operation, const CollectiveQuestion& question, std::size_t bytes) {
  return in_words(operation,
                  coll::with_tunables(operation, {.ranks = *question.ranks,
                                                  .bytes = bytes,
                                                  .ordered = question.ordered && coll::reduces(operation),
                                                  .oversubscribed = question.oversubscribed && !question.several_nodes,
                                                  .one_node = !question.several_nodes,
                                                  .shared = !question.several_nodes && *question.ranks > 1 &&
                                                            *question.ranks <= coll::most_sharing(operation),
                                                  .layered = question.several_nodes}));
}

void print_what_runs(Operation operation, const CollectiveQuestion& question) {
  if (question.bytes) {
    fmt::print("  {:<28} {}\n", fmt::format("{} bytes:", *question.bytes),
               what_runs(operation, question, *question.bytes));
    return;
  }
  const std::set<std::size_t> all = edges(operation, *question.ranks);
  std::size_t first = 0;
  for (auto edge = all.begin(); edge != all.end(); ++edge) {
    const auto next = std::next(edge);
    const std::string now = what_runs(operation, question, *edge);
    if (next != all.end() && what_runs(operation, question, *next) == now) continue;
    fmt::print("  {:<28} {}\n", lengths(first, next == all.end() ? longest : *next - 1) + ":", now);
    if (next != all.end()) first = *next;
  }
}

}  // namespace

void print_collectives(const CollectiveQuestion& question) {
  coll::load_rules();
  fmt::print("{}\n", question.ranks
                         ? fmt::format("what serves collectives of {} ranks (lengths in bytes)", *question.ranks)
                         : "algorithms of the collectives, and the rules that choose them: the first that fits counts");
  for (int i = 0; i < coll::operations; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (!question.operation.empty() && question.operation != coll::name_of(operation)) continue;
    fmt::print("{}\n", coll::name_of(operation));
    if (coll::algorithms(operation).empty()) {
      fmt::print("  not part of this version\n");
    } else if (question.ranks) {
      print_what_runs(operation, question);
    } else {
      print_tables(operation);
    }
  }
}

}  // namespace bowline::launcher
