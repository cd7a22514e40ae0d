// SPDX-License-Identifier: BSD-3-Clause
// What tests of composed algorithms share: machines, and the buffers of a call of any operation that is composed.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coll/machine/hierarchy.hpp"
#include "reference.hpp"

namespace bowline::coll {

/// Nodes and switches by a table of nodes; two nodes share a switch, unless nothing is known of switches.
class TestMachine final : public Machine {
 public:
  explicit TestMachine(std::vector<int> nodes, bool switches = true) : nodes_(std::move(nodes)), switches_(switches) {}
  int unit(Level level, int rank) const override {
    const int node = nodes_[static_cast<std::size_t>(rank)];
    if (level == Level::node) return node;
    return level == Level::leaf_switch && switches_ ? node / 2 : -1;
  }

 private:
  std::vector<int> nodes_;
  bool switches_;
};

inline int same(int member) {
  return member;
}

/// The buffers of all members, and what they call the operation with.
struct Buffers {
  Buffers(Operation operation, int size, int root, std::size_t block, const ReferenceOperator& op) {
    const auto members = static_cast<std::size_t>(size);
    for (int member = 0; member < size; ++member) {
      const bool reduces = operation == Operation::reduce || operation == Operation::allreduce;
      input.push_back(reduces ? op.operand(member, block) : pattern(1, member, members * block));
      output.push_back(pattern(2, member, std::max(members * block, input.back().size())));
    }
    for (int member = 0; member < size; ++member) {
      const auto index = static_cast<std::size_t>(member);
      const std::span<std::byte> in = input[index];
      const std::span<std::byte> out = output[index];
      Arguments mine{.root = root, .reduction = &op.reduction};
      switch (operation) {
        case Operation::gather:
        case Operation::allgather:
          mine.input = in.first(block);
          mine.receive = Blocks(out.data(), block);
          break;
        case Operation::scatter:
          mine.send = Blocks(in.data(), block);
          mine.result = out.first(block);
          break;
        case Operation::bcast:
          mine.result = member == root ? in : out.first(in.size());
          break;
        default:
          mine.input = in;
          if (operation == Operation::allreduce || member == root) mine.result = out.first(in.size());
      }
      if (operation == Operation::gather && member != root) mine.receive = Blocks();
      arguments.push_back(mine);
    }
  }

  std::vector<Bytes> input, output;
  std::vector<Arguments> arguments;
};

/// For tests whose parameter is an operation.
inline std::string operation_name(const testing::TestParamInfo<Operation>& info) {
  return std::string(name_of(info.param));
}

}  // namespace bowline::coll
