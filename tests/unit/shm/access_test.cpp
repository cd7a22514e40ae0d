// SPDX-License-Identifier: BSD-3-Clause
// shm/endpoint: reading and writing the memory of a peer.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "node/cache.hpp"
#include "shm_node.hpp"
#include "support/setting.hpp"

namespace bowline::shm {
namespace {

using test::Setting;
using transport::Access;

TEST_F(ShmNode, GetsAPeersMemory) {
  const auto endpoint = first.connect(7, second.address());
  const auto source = pattern(1 << 20, 3);
  std::vector<std::byte> target(source.size());
  EXPECT_EQ(endpoint->get(at(source.data()), target, nobody), Access::done);
  EXPECT_EQ(target, source);
  EXPECT_EQ(endpoint->get({}, {}, nobody), Access::done) << "nothing to read is read at once";
}

TEST_F(ShmNode, MemoryThatCannotBeReadIsAnError) {
  const auto endpoint = first.connect(7, second.address());
  std::vector<std::byte> target(100);
  const std::string text = refusal(ErrorClass::buffer, [&] {
    std::ignore = endpoint->get({0x10, {}}, target, nobody);
  });
  EXPECT_NE(text.find("rank 7"), std::string::npos) << text;
  EXPECT_NE(text.find("0x10"), std::string::npos) << text;
}

TEST_F(ShmNode, WithoutCrossMemoryAttachNothingIsRead) {
  const Setting setting("cross_memory_attach", "0");
  const auto endpoint = first.connect(7, second.address());
  const auto source = pattern(100, 3);
  std::vector<std::byte> target(source.size(), std::byte{0xee});
  EXPECT_EQ(endpoint->get(at(source.data()), target, nobody), Access::refused);
  EXPECT_EQ(target, std::vector<std::byte>(100, std::byte{0xee}));
}

TEST_F(ShmNode, MemoryThatEndsTooEarlyIsAnErrorThatNamesWhatIsLeft) {
  const auto endpoint = first.connect(7, second.address());
  void* const pages = mmap(nullptr, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<std::byte*>(pages) + page_bytes, page_bytes, PROT_NONE), 0);
  std::vector<std::byte> data(page_bytes + 10);
  const auto read = [&] { std::ignore = endpoint->get(at(pages), data, nobody); };
  EXPECT_NE(refusal(ErrorClass::buffer, read).find("for 10 bytes"), std::string::npos);
  munmap(pages, 2 * page_bytes);
}

TEST_F(ShmNode, PutsIntoAPeersMemory) {
  const auto endpoint = first.connect(7, second.address());
  const auto source = pattern(1 << 20, 3);
  std::vector<std::byte> target(source.size());
  EXPECT_EQ(endpoint->put(source, at(target.data()), nobody), Access::done);
  EXPECT_EQ(target, source);
  EXPECT_EQ(endpoint->put({}, {}, nobody), Access::done);
}

TEST_F(ShmNode, MemoryThatCannotBeWrittenIsAnError) {
  const auto endpoint = first.connect(7, second.address());
  const std::string text = refusal(ErrorClass::buffer, [&] {
    std::ignore = endpoint->put(pattern(100, 1), {0x10, {}}, nobody);
  });
  EXPECT_NE(text.find("the receive buffer of rank 7 at 0x10 is not writable"), std::string::npos) << text;
}

TEST_F(ShmNode, TheMemorysReadersAreCounted) {
  const auto endpoint = first.connect(7, second.address());
  EXPECT_EQ(endpoint->readers(), 0U);
  Memory memory(of_second);
  memory.header().readers = 3;
  EXPECT_EQ(endpoint->readers(), 3U);
  std::vector<std::byte> target(100);
  EXPECT_EQ(endpoint->get(at(pattern(100, 1).data()), target, nobody), Access::done);
  EXPECT_EQ(endpoint->readers(), 3U);
}

// Both ranks are this process, which shares at least a socket with itself unless it may run on several.
TEST_F(ShmNode, TheNearnessOfAPeerIsThatOfItsProcess) {
  EXPECT_EQ(first.connect(7, second.address())->nearness(), node::nearness_to(getpid()));
}

TEST_F(ShmNode, TheLimitsFollowTheTunables) {
  const auto by_default = first.connect(7, second.address())->limits();
  EXPECT_EQ(by_default.get_from, transport::never) << "no key is needed here";
  EXPECT_TRUE(by_default.measured);
  EXPECT_EQ(by_default.single_copy_from, 0U);
  const Setting setting("cross_memory_attach", "0");
  const auto without = first.connect(7, second.address())->limits();
  EXPECT_EQ(without.single_copy_from, transport::never);
}

TEST_F(ShmNode, WhatFitsTheFirstLineIsInline) {
  const auto endpoint = first.connect(7, second.address());
  EXPECT_EQ(endpoint->limits().inline_body, 40U);
}

}  // namespace
}  // namespace bowline::shm
