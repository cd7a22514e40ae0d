// SPDX-License-Identifier: BSD-3-Clause
// shm/directory: what one rank writes the others find, and nothing else is taken for it.
#include "shm/directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "shm_node.hpp"

namespace bowline::shm {
namespace {

constexpr std::size_t ranks = 100;

/// What it says of its memory differs from number to number.
transport::Address numbered(std::uint32_t number) {
  const InboxAddress told{
      .pid_namespace = number,
      .memory = {.socket = number, .secret = number},
      .process = {.process = static_cast<std::int32_t>(number), .address = number, .value = number}};
  transport::Address address(sizeof told);
  std::memcpy(address.data(), &told, sizeof told);
  return address;
}

template <class Change>
transport::Address changed(transport::Address address, Change change) {
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  change(told);
  std::memcpy(address.data(), &told, sizeof told);
  return address;
}

class ShmDirectory : public testing::Test {
 protected:
  Inbox inbox{ranks, 3};
  Directory owners{inbox, ranks};
};

TEST_F(ShmDirectory, WhatOneRankWritesTheOthersFind) {
  std::optional<Directory> one = Directory::open(inbox.address(), ranks);
  std::optional<Directory> other = Directory::open(inbox.address(), ranks);
  ASSERT_TRUE(one.has_value() && other.has_value());
  EXPECT_EQ(one->find(0), std::nullopt);
  owners.enter(0, numbered(7));
  one->enter(ranks - 1, numbered(8));
  for (Directory* each : {&owners, &*one, &*other}) {
    EXPECT_EQ(each->find(0), numbered(7));
    EXPECT_EQ(each->find(ranks - 1), numbered(8));
    for (std::size_t rank = 1; rank < ranks - 1; ++rank) EXPECT_EQ(each->find(rank), std::nullopt);
  }
}

TEST_F(ShmDirectory, AnEntryIsWrittenOnce) {
  owners.enter(3, numbered(1));
  Directory::open(inbox.address(), ranks)->enter(3, numbered(2));
  EXPECT_EQ(owners.find(3), numbered(1));
}

TEST_F(ShmDirectory, OnlyWhatThisVersionUnderstandsIsWritten) {
  owners.enter(3, changed(numbered(1), [](InboxAddress& told) { ++told.version; }));
  owners.enter(3, {});
  owners.enter(3, transport::Address(sizeof(InboxAddress) + 1));
  EXPECT_EQ(owners.find(3), std::nullopt);
}

/// The directory, without its rules.
std::span<DirectoryEntry> entries(const node::Mapping& memory) {
  return {reinterpret_cast<DirectoryEntry*>(memory.data()), ranks};
}

TEST_F(ShmDirectory, AnEntryWhoseWriterDiedIsNotRead) {
  const node::Mapping memory = inbox.open_directory();
  entries(memory)[5].state = DirectoryEntry::taken;
  EXPECT_EQ(owners.find(5), std::nullopt);
  owners.enter(5, numbered(1));  // by whoever has asked the launcher
  EXPECT_EQ(owners.find(5), std::nullopt);
}

TEST_F(ShmDirectory, WhatCannotBeOneIsNotOpened) {
  const transport::Address address = inbox.address();
  EXPECT_EQ(Directory::open({}, ranks), std::nullopt);
  EXPECT_EQ(Directory::open(transport::Address(sizeof(InboxAddress) - 1), ranks), std::nullopt);
  EXPECT_EQ(Directory::open(changed(address, [](InboxAddress& told) { --told.version; }), ranks), std::nullopt);
  EXPECT_EQ(Directory::open(changed(address, [](InboxAddress& told) { ++told.memory.secret; }), ranks), std::nullopt);
  EXPECT_EQ(Directory::open(changed(address, [](InboxAddress& told) { told.memory.descriptor = 9999; }), ranks),
            std::nullopt)
      << "the owner was asked at its socket";
  EXPECT_EQ(Directory::open(address, ranks - 1), std::nullopt);
  EXPECT_EQ(Directory::open(address, ranks + 1), std::nullopt);
  EXPECT_EQ(Directory::open(address, InboxHeader::max_rings), std::nullopt) << "which is longer than the file";
}

// Nothing else of the inbox lies where the directory does, whatever the number of ranks and lanes.
TEST(ShmDirectoryPlace, IsBehindTheLastRing) {
  for (const std::size_t local : {1, 63, 64, 65, 200}) {
    for (const unsigned lanes : {1U, 4U}) {
      Inbox inbox(local, lanes);
      Directory directory(inbox, local);
      for (std::size_t rank = 0; rank < local; ++rank) directory.enter(rank, numbered(1));
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const node::Mapping section = inbox.open_section(lane);
        const std::byte* const rings = section.data() + page_bytes;
        EXPECT_TRUE(
            std::all_of(rings, rings + (section.size() - page_bytes), [](std::byte b) { return b == std::byte{}; }));
      }
    }
  }
}

TEST(ShmDirectoryPlace, OnlyAnOpenedOneHasMemory) {
  Inbox inbox(ranks, 1);
  EXPECT_EQ(memory_of(inbox), page_bytes);
  const Directory directory(inbox, ranks);
  EXPECT_EQ(memory_of(inbox), page_bytes + directory_bytes(ranks));
  EXPECT_EQ(directory_bytes(ranks), 2 * page_bytes);
}

TEST(ThreadsDirectory, NobodyReadsHalfAnAddress) {
  constexpr std::size_t many = 20000;
  Inbox inbox(many, 1);
  Directory owners(inbox, many);
  const auto work = [&](std::size_t first) {
    std::optional<Directory> mine = Directory::open(inbox.address(), many);
    for (std::size_t i = 0; i < many; ++i) {
      const std::size_t rank = (first + i) % many;
      if (const auto found = mine->find(rank)) {
        EXPECT_EQ(*found, numbered(static_cast<std::uint32_t>(rank)));
      }
      mine->enter(rank, numbered(static_cast<std::uint32_t>(rank)));
    }
  };
  std::vector<std::thread> threads;
  for (const std::size_t first : {std::size_t{0}, std::size_t{0}, std::size_t{100}}) threads.emplace_back(work, first);
  for (std::thread& each : threads) each.join();
  for (std::size_t rank = 0; rank < many; ++rank)
    ASSERT_EQ(owners.find(rank), numbered(static_cast<std::uint32_t>(rank)));
}

}  // namespace
}  // namespace bowline::shm
