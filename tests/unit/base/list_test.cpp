// SPDX-License-Identifier: BSD-3-Clause
// base/list: order, removal anywhere, and search from the oldest on.
#include "base/list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bowline {
namespace {

struct Item : ListNode {
  int number = 0;
};

class ListTest : public testing::Test {
 protected:
  ListTest() {
    for (int i = 0; i < 4; ++i) items[static_cast<std::size_t>(i)].number = i;
  }
  std::vector<int> drained() {
    std::vector<int> numbers;
    while (!list.empty()) numbers.push_back(list.pop_front().number);
    return numbers;
  }
  std::array<Item, 4> items;
  List<Item> list;
};

TEST_F(ListTest, FirstInFirstOut) {
  EXPECT_TRUE(list.empty());
  for (Item& item : items) list.push_back(item);
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(&list.front(), &items[0]);
  EXPECT_EQ(drained(), (std::vector{0, 1, 2, 3}));
  EXPECT_TRUE(list.empty());
}

TEST_F(ListTest, RemovesAtTheEndsAndInTheMiddle) {
  for (Item& item : items) list.push_back(item);
  List<Item>::remove(items[2]);
  List<Item>::remove(items[0]);
  List<Item>::remove(items[3]);
  EXPECT_EQ(drained(), std::vector{1});
}

TEST_F(ListTest, AnElementKnowsWhetherItStandsInAList) {
  EXPECT_FALSE(items[0].linked());
  list.push_back(items[0]);
  EXPECT_TRUE(items[0].linked());
  List<Item>::remove(items[0]);
  EXPECT_FALSE(items[0].linked());
}

TEST_F(ListTest, AnElementMovesFromListToList) {
  List<Item> other;
  list.push_back(items[0]);
  list.push_back(items[1]);
  other.push_back(list.pop_front());
  EXPECT_EQ(&other.front(), &items[0]);
  EXPECT_EQ(drained(), std::vector{1});
  other.pop_front();
}

TEST_F(ListTest, FindsTheOldestThatIsAccepted) {
  for (Item& item : items) list.push_back(item);
  EXPECT_EQ(list.find([](const Item& item) { return item.number % 2 == 1; }), &items[1]);
  EXPECT_EQ(list.find([](const Item&) { return true; }), &items[0]);
  EXPECT_EQ(list.find([](const Item&) { return false; }), nullptr);
  drained();
  EXPECT_EQ(list.find([](const Item&) { return true; }), nullptr);
}

}  // namespace
}  // namespace bowline
