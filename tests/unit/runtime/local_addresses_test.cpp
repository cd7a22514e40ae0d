// SPDX-License-Identifier: BSD-3-Clause
// runtime/local_addresses: whom a rank asks where its neighbours are, and that it finds them in any case.
#include "runtime/local_addresses.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/quiet_wireup.hpp"

namespace bowline::runtime {
namespace {

/// A launcher that counts what it is asked.
class Launcher final : public test::QuietWireup {
 public:
  void publish(const std::string&, std::span<const std::byte> value) override {
    published[publisher].assign(value.begin(), value.end());
  }
  std::vector<std::byte> lookup(const ProcessId& of, const std::string&) override {
    ++questions;
    if (!published.contains(of.rank)) throw Error(ErrorClass::other, "it has published nothing");
    return published[of.rank];
  }

  int publisher = 0;
  int questions = 0;
  std::map<int, transport::Address> published;
};

/// The ranks of one node in one process. World ranks are not local ranks: 3, 5, 7 and so on.
class Node {
 public:
  explicit Node(std::size_t count) : ranks(count) {
    for (std::size_t i = 0; i < count; ++i) ranks[i] = 3 + 2 * static_cast<int>(i);
    for (const int rank : ranks) {
      launcher.publisher = rank;
      inboxes_.push_back(std::make_unique<shm::Inbox>(count, 1));
      addresses_.push_back(std::make_unique<LocalAddresses>(launcher, *inboxes_.back(), rank, ranks));
    }
  }
  const transport::Address& published_by(std::size_t local) { return launcher.published.at(ranks[local]); }
  /// The first local rank asks where the second is, and is told. Returns the number of questions to the launcher.
  int asks(std::size_t local, std::size_t of) {
    const transport::Address right = inboxes_[of]->address();
    const int before = launcher.questions;
    EXPECT_EQ(addresses_[local]->of(ranks[of]), right) << local << " asks about " << of;
    return launcher.questions - before;
  }
  int all_ask_about_all() {
    const int before = launcher.questions;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      for (std::size_t j = 0; j < ranks.size(); ++j) {
        if (j != i) asks(i, j);
      }
    }
    return launcher.questions - before;
  }

  std::vector<int> ranks;
  Launcher launcher;

 private:
  std::vector<std::unique_ptr<shm::Inbox>> inboxes_;
  std::vector<std::unique_ptr<LocalAddresses>> addresses_;
};

constexpr int fewest = LocalAddresses::fewest_with_directory;

int pairs(int ranks) {
  return ranks * (ranks - 1);
}

TEST(LocalAddresses, EachRankAsksTheLauncherOnce) {
  for (const int count : {fewest, 30}) {
    Node node(static_cast<std::size_t>(count));
    EXPECT_EQ(node.launcher.questions, 0) << "nobody asks before it talks";
    for (std::size_t i = 1; i < node.ranks.size(); ++i) EXPECT_EQ(node.asks(i, 0), 1);
    EXPECT_EQ(node.all_ask_about_all(), 0);
  }
}

TEST(LocalAddresses, FewRanksAskAboutEachOnce) {
  Node node(fewest - 1);
  EXPECT_EQ(node.all_ask_about_all(), pairs(fewest - 1));
  EXPECT_EQ(node.all_ask_about_all(), 0);
}

// A rank that talks to nobody does not open the directory, but one that asks about it writes the answer down.
TEST(LocalAddresses, ASilentRankIsAskedForOnce) {
  Node node(fewest);
  EXPECT_EQ(node.asks(0, 5), 1);
  EXPECT_EQ(node.asks(2, 5), 1) << "where the directory is";
  EXPECT_EQ(node.asks(3, 5), 1);
  EXPECT_EQ(node.asks(0, 6), 1);
  EXPECT_EQ(node.asks(2, 6), 0);
  EXPECT_EQ(node.asks(3, 0), 0);
}

TEST(LocalAddresses, WhereTheLowestRankSharesNoMemoryTheLauncherIsAskedAboutEach) {
  Node node(fewest);
  node.launcher.published.erase(node.ranks[0]);
  for (std::size_t i = 1; i < node.ranks.size(); ++i) {
    EXPECT_EQ(node.asks(i, i == 1 ? 2 : 1), 2) << "about the lowest rank, too, once";
    EXPECT_EQ(node.asks(i, i == 3 ? 4 : 3), 1);
    EXPECT_EQ(node.asks(i, i == 3 ? 4 : 3), 0);
  }
}

TEST(LocalAddresses, WhereTheDirectoryCannotBeMappedTheLauncherIsAskedAboutEach) {
  for (const auto change : std::initializer_list<void (*)(shm::InboxAddress&)>{
           [](shm::InboxAddress& told) { told.memory.process = 0; },  // not seen in this /proc
           [](shm::InboxAddress& told) { ++told.memory.secret; },     // another process
           [](shm::InboxAddress& told) { ++told.version; }}) {
    Node node(fewest);
    shm::InboxAddress told;
    std::memcpy(&told, node.published_by(0).data(), sizeof told);
    change(told);
    std::memcpy(node.launcher.published.at(node.ranks[0]).data(), &told, sizeof told);
    EXPECT_EQ(node.asks(1, 2), 2);
    EXPECT_EQ(node.asks(1, 3), 1);
    EXPECT_EQ(node.asks(2, 3), 2);
    EXPECT_EQ(node.asks(0, 1), 1) << "it has the directory, but nobody is in there";
    EXPECT_EQ(node.asks(0, 1), 0);
  }
}

TEST(LocalAddresses, WhatTheLauncherDoesNotKnowIsAnError) {
  Node node(fewest);
  node.launcher.published.erase(node.ranks[4]);
  EXPECT_THROW(node.asks(2, 4), Error);
  EXPECT_EQ(node.asks(2, 5), 1) << "the directory serves all the same";
}

}  // namespace
}  // namespace bowline::runtime
