// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmi/pmi_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/this_node.hpp"

namespace bowline::wireup {
namespace {

/// The key under which servers put their map. It is empty where the map would be longer than a value may be.
constexpr const char* key_of_map = "PMI_process_mapping";

std::string name_of(int rank) {
  return fmt::format("node-{}", rank);
}

}  // namespace

PmiNodes::PmiNodes(PmiStore& store, int rank, int size) : size_(size) {
  const std::string text = store.get_text(key_of_map).value_or("");
  if (text.empty()) {
    ask_each_other(store, rank);
  } else {
    map_.emplace(text);
  }
  for (int each = 0; each < size_; ++each) count_ = std::max(count_, node_of(each) + 1);
}

// A map of fewer ranks than the job has is repeated: Hydra writes how many ranks a node takes before the next one gets
// some.
int PmiNodes::node_of(int rank) const noexcept {
  return map_ ? map_->node_of(rank % map_->ranks()) : node_of_rank_[static_cast<std::size_t>(rank)];
}

std::vector<int> PmiNodes::local_ranks(int rank) const {
  std::vector<int> ranks;
  const int node = node_of(rank);
  for (int each = 0; each < size_; ++each) {
    if (node_of(each) == node) ranks.push_back(each);
  }
  return ranks;
}

void PmiNodes::ask_each_other(PmiStore& store, int rank) {
  const std::uint64_t here = this_node();
  store.put(name_of(rank), std::as_bytes(std::span(&here, 1)));
  store.sync();
  std::map<std::string, int> known;
  for (int each = 0; each < size_; ++each) {
    const auto node = store.get(name_of(each));
    if (!node) throw Error(ErrorClass::other, fmt::format("rank {} has not told over PMI where it runs", each));
    const std::string name(reinterpret_cast<const char*>(node->data()), node->size());
    node_of_rank_.push_back(known.try_emplace(name, static_cast<int>(known.size())).first->second);
  }
}

}  // namespace bowline::wireup
