// SPDX-License-Identifier: BSD-3-Clause
// base/list: order, removal anywhere, and search from the oldest on.
#include "base/list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <new>
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

TEST_F(ListTest, AppendMovesAllBehindThoseThatAreThere) {
  List<Item> other;
  list.push_back(items[0]);
  list.push_back(items[1]);
  other.push_back(items[2]);
  other.push_back(items[3]);
  list.append(other);
  EXPECT_TRUE(other.empty());
  list.append(other);
  EXPECT_EQ(drained(), (std::vector{0, 1, 2, 3})) << "an empty list adds nothing";
  other.push_back(items[1]);
  list.append(other);
  EXPECT_EQ(drained(), std::vector{1}) << "an empty list takes all";
}

TEST_F(ListTest, WhatASearchThrowsReachesTheCaller) {
  list.push_back(items[0]);
  EXPECT_THROW(list.find([](const Item&) -> bool { throw std::bad_alloc(); }), std::bad_alloc);
  drained();
}

// ---- an element in several lists at once

struct ByAge;
struct ByName;
struct Person : Link<ByAge>, Link<ByName> {
  explicit Person(int number_) : number(number_) {}
  int number;
};

TEST(TaggedList, AnElementStandsInTwoListsAtOnce) {
  Person ann(1), bob(2), eve(3);
  List<Person, ByAge> by_age;
  List<Person, ByName> by_name;
  for (Person* person : {&ann, &bob, &eve}) by_name.push_back(*person);
  for (Person* person : {&eve, &ann, &bob}) by_age.push_back(*person);
  List<Person, ByName>::remove(bob);
  EXPECT_FALSE(static_cast<Link<ByName>&>(bob).linked());
  EXPECT_TRUE(static_cast<Link<ByAge>&>(bob).linked()) << "it left the other list too";
  EXPECT_EQ(by_age.find([](const Person& person) { return person.number < 3; }), &ann);
  for (Person* person : {&ann, &eve}) EXPECT_EQ(&by_name.pop_front(), person);
  for (Person* person : {&eve, &ann, &bob}) EXPECT_EQ(&by_age.pop_front(), person);
  EXPECT_TRUE(by_name.empty());
  EXPECT_TRUE(by_age.empty());
}

}  // namespace
}  // namespace bowline
