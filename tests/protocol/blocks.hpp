// SPDX-License-Identifier: BSD-3-Clause
// What the tests of data with holes share: a transport that sends lists of blocks from where they lie, and what it was
// given.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "counted.hpp"
#include "recording.hpp"
#include "support/blocks.hpp"

namespace bowline::proto {

using test::Blocks;

inline constexpr std::size_t longest_list = 4;
inline constexpr std::size_t longest_post = 30'000;
inline constexpr std::size_t longest_unasked = 25'000;
inline constexpr std::size_t longest_copy = 10'000;
inline constexpr std::size_t packed_piece = longest_copy - sizeof(Data);

class BlocksTest : public ProtocolTest {
 protected:
  BlocksTest() {
    device.limits.max_body = longest_copy;
    device.limits.eager_limit = longest_unasked;
    device.limits.max_posted = longest_post;
    device.limits.max_iov = longest_list;
    device.delayed = true;
  }

  static Buffer buffer(Blocks& blocks) { return {blocks.memory.data(), 1, &blocks.type()}; }
  Request& isend(Blocks& blocks, Mode mode = Mode::standard) {
    blocks.fill(3);
    return engine.isend(1, header(0, 7), buffer(blocks), mode);
  }
  /// Answers the announcement as the receiver would that has room for so many bytes.
  void ask(std::size_t bytes) {
    const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
    device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 77, .bytes = bytes});
    engine.progress();
  }
  /// The data of all pieces that were sent, each byte once.
  Bytes received(std::size_t bytes) {
    Bytes data(bytes, Blocks::hole);
    std::size_t total = 0;
    for (const Message& message : device.sent) {
      if (message.kind() != Kind::data) continue;
      const std::size_t offset = message.read<Data>().offset;
      EXPECT_LE(offset + message.body.size(), bytes);
      if (offset + message.body.size() > bytes) return {};
      std::ranges::copy(message.body, data.begin() + static_cast<std::ptrdiff_t>(offset));
      total += message.body.size();
    }
    EXPECT_EQ(total, bytes);
    return data;
  }
  void end_posts() {
    while (!device.posted.empty()) device.end_post();
  }
  static bool lies_in(const Blocks& blocks, const iovec& run) {
    const auto* const from = static_cast<const std::byte*>(run.iov_base);
    return from >= blocks.memory.data() && from + run.iov_len <= blocks.memory.data() + blocks.memory.size();
  }
  /// How many messages and pieces went as lists, and how many pieces were packed, since the test began.
  std::uint64_t lists() const { return counted("listed_messages") - listed_messages_; }
  std::uint64_t listed() const { return counted("listed_pieces") - listed_pieces_; }
  std::uint64_t packed() const { return counted("packed_pieces") - packed_pieces_; }

 private:
  std::uint64_t listed_messages_ = counted("listed_messages");
  std::uint64_t listed_pieces_ = counted("listed_pieces");
  std::uint64_t packed_pieces_ = counted("packed_pieces");
};

}  // namespace bowline::proto
