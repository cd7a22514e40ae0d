// SPDX-License-Identifier: BSD-3-Clause
// Rules: which algorithm serves which calls, as written in tables or by users.
//
//   bcast bytes<=4K = binomial
//   allreduce ranks>=16 several-nodes = ring:64K
//
// docs/collectives.md has the grammar of the rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// The facts about a call that every member knows, so that all members choose the same algorithm.
struct Situation {
  int ranks;
  std::size_t bytes;            ///< of the contribution or result of one member: see bytes_of()
  bool ordered = false;         ///< whether the operator needs the order of ranks
  bool oversubscribed = false;  ///< whether ranks share cores
  bool one_node = false;        ///< whether all ranks are known to run on the same node
  bool shared = false;          ///< whether the ranks have shared memory, or may still get it
  bool layered = false;         ///< whether a composed algorithm can divide the ranks by shared nodes or switches
  bool reproducible = false;    ///< whether the order of operands must not depend on where members run
};

/// A condition on a boolean property.
enum class Only : std::uint8_t { either, if_so, if_not };

/// The calls that a rule matches.
struct When {
  std::size_t least_bytes = 0;
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t most_total = std::numeric_limits<std::size_t>::max();  ///< of bytes times ranks
  int least_ranks = 1;
  int most_ranks = std::numeric_limits<int>::max();
  Only oversubscribed = Only::either;
  Only one_node = Only::either;
  Only shared = Only::either;
  Only layered = Only::either;
  Only ordered = Only::either;

  constexpr bool fits(const Situation& call) const noexcept {
    return call.bytes >= least_bytes && call.bytes <= most_bytes && total(call) <= most_total &&
           call.ranks >= least_ranks && call.ranks <= most_ranks && holds(oversubscribed, call.oversubscribed) &&
           holds(one_node, call.one_node) && holds(shared, call.shared) && holds(layered, call.layered) &&
           holds(ordered, call.ordered);
  }

 private:
  static constexpr std::size_t total(const Situation& call) noexcept {
    std::size_t product = 0;
    const bool overflows = __builtin_mul_overflow(call.bytes, static_cast<std::size_t>(call.ranks), &product);
    return overflows ? std::numeric_limits<std::size_t>::max() : product;
  }
  static constexpr bool holds(Only only, bool is_so) noexcept {
    return only == Only::either || (only == Only::if_so) == is_so;
  }
};

struct Rule {
  Operation operation;
  When when;
  const Algorithm* algorithm;
  std::size_t segment = 0;      ///< in bytes; 0: all at once
  mutable bool warned = false;  ///< whether the user knows that the algorithm cannot serve a call; use AtomicRef
};

/// Rules by operation; the first that matches a call applies.
class Rules {
 public:
  void add(const Rule& rule) { lists_[static_cast<std::size_t>(rule.operation)].push_back(rule); }
  std::span<const Rule> of(Operation operation) const noexcept { return lists_[static_cast<std::size_t>(operation)]; }

 private:
  std::array<std::vector<Rule>, operations> lists_;
};

/// Adds the rules of a text, with commas between them. Throws Error (arg) that begins with `origin` and says what is
/// wrong and what is allowed.
void parse_rules(std::string_view text, std::string_view origin, Rules& rules);

/// Adds the rules of a file: lines of such texts; `#` begins a comment. Throws Error that names file and line.
void read_rules(const std::string& path, Rules& rules);

/// The rule as a text that parse_rules() reads.
std::string to_text(const Rule& rule);

}  // namespace bowline::coll
