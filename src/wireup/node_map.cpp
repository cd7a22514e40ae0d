// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/node_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

/// Parses a text from its front.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  void expect(std::string_view word) {
    if (!rest_.starts_with(word)) refuse();
    rest_.remove_prefix(word.size());
  }

  int number(int least) {
    int value = 0;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (status != std::errc() || value < least) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  [[noreturn]] void refuse() const {
    throw Error(ErrorClass::other, fmt::format("the launcher's map of ranks to nodes is \"{}\", but it must be "
                                               "(vector,(FIRST_NODE,NODES,RANKS_PER_NODE),...) with whole numbers",
                                               text_));
  }

 private:
  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

NodeMap::NodeMap(std::string_view text) {
  Reader reader(text);
  reader.expect("(vector");
  while (reader.take(',')) {
    reader.expect("(");
    const int first_node = reader.number(0);
    reader.expect(",");
    const int nodes = reader.number(1);
    reader.expect(",");
    const int ranks_per_node = reader.number(1);
    reader.expect(")");
    const long long sum = ranks_ + static_cast<long long>(nodes) * ranks_per_node;
    if (sum > std::numeric_limits<int>::max()) reader.refuse();
    blocks_.push_back({ranks_, first_node, ranks_per_node});
    ranks_ = static_cast<int>(sum);
  }
  reader.expect(")");
  if (!reader.at_end() || blocks_.empty()) reader.refuse();
}

int NodeMap::node_of(int rank) const noexcept {
  const auto after = std::ranges::upper_bound(blocks_, rank, {}, &Block::first_rank);
  const Block& block = *std::prev(after);
  return block.first_node + (rank - block.first_rank) / block.ranks_per_node;
}

}  // namespace bowline::wireup
