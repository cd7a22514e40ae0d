// SPDX-License-Identifier: BSD-3-Clause
// base/attributes: the order of callbacks, what they may change, and what happens when they fail.
#include "base/attributes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace bowline {
namespace {

class AttributesTest : public testing::Test {
 protected:
  /// A key that notes its calls and copies the value plus one.
  std::shared_ptr<const Keyval> key(const std::string& name) {
    const int number = table.add({.ask =
                                      [this, name](void*, int, void* value, void** copy, int* wanted) {
                                        calls.push_back("copy " + name);
                                        *copy = static_cast<char*>(value) + 1;
                                        *wanted = copies ? 1 : 0;
                                        return code;
                                      }},
                                 [this, name](void*, int, void*) {
                                   calls.push_back("delete " + name);
                                   return code;
                                 });
    return table.find(number);
  }
  static void* number(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

  KeyvalTable table;
  Attributes attributes;
  std::vector<std::string> calls;
  bool copies = true;
  int code = 0;
};

TEST(KeyvalTable, KeysOfTwoKindsHaveNoNumberInCommon) {
  KeyvalTable one, other;
  const int number = one.add({}, {});
  EXPECT_NE(other.add({}, {}), number);
  EXPECT_EQ(other.find(number), nullptr);
  EXPECT_NE(one.find(number), nullptr);
}

TEST_F(AttributesTest, AreFoundUntilTheyAreDeleted) {
  const auto a = key("a");
  void* value = nullptr;
  EXPECT_FALSE(attributes.find(a->number, value));
  attributes.set(a, number(7), nullptr);
  EXPECT_TRUE(attributes.find(a->number, value));
  EXPECT_EQ(value, number(7));
  EXPECT_TRUE(attributes.remove(a->number, nullptr));
  EXPECT_FALSE(attributes.remove(a->number, nullptr));
  EXPECT_FALSE(attributes.find(a->number, value));
  EXPECT_EQ(calls, std::vector<std::string>{"delete a"});
}

TEST_F(AttributesTest, ANewValueDeletesTheOldOne) {
  const auto a = key("a");
  attributes.set(a, number(1), nullptr);
  attributes.set(a, number(2), nullptr);
  EXPECT_EQ(calls, std::vector<std::string>{"delete a"});
  void* value = nullptr;
  EXPECT_TRUE(attributes.find(a->number, value));
  EXPECT_EQ(value, number(2));
}

TEST_F(AttributesTest, TheLastSetIsDeletedFirst) {
  for (const char* name : {"a", "b", "c"}) attributes.set(key(name), nullptr, nullptr);
  attributes.remove_all(nullptr);
  EXPECT_EQ(calls, (std::vector<std::string>{"delete c", "delete b", "delete a"}));
  EXPECT_TRUE(attributes.empty());
}

TEST_F(AttributesTest, CopiesAreWhatTheFunctionMakesOfThem) {
  const auto a = key("a");
  attributes.set(a, number(8), nullptr);
  attributes.set(table.find(table.add({}, {})), number(9), nullptr);  // has no copy function
  Attributes copied, nothing;
  attributes.copy_to(copied, nullptr);
  void* value = nullptr;
  EXPECT_TRUE(copied.find(a->number, value));
  EXPECT_EQ(value, number(9));
  copied.remove_all(nullptr);
  EXPECT_EQ(calls, (std::vector<std::string>{"copy a", "delete a"}));
  copies = false;
  attributes.copy_to(nothing, nullptr);
  EXPECT_TRUE(nothing.empty());
}

TEST_F(AttributesTest, TheSameValueIsCopiedInItsForm) {
  using Form = AttributeValue::SetAs;
  const auto same = table.find(table.add({.ask = {}, .same = true}, {}));
  attributes.set(same, AttributeValue::from(Form::integer, number(static_cast<std::uintptr_t>(-5))), nullptr);
  Attributes copied;
  attributes.copy_to(copied, nullptr);
  attributes.set(same, number(1), nullptr);
  void* value = nullptr;
  ASSERT_TRUE(copied.find(same->number, value));
  EXPECT_EQ(*static_cast<int*>(value), -5);
  EXPECT_EQ(copied.find(same->number)->number(), -5);
}

// A number that Fortran has set is a pointer to it in C, also for callbacks; a pointer that C has set is a number.
TEST_F(AttributesTest, EachLanguageSeesItsForm) {
  using Form = AttributeValue::SetAs;
  std::vector<std::intptr_t> seen;
  const auto see = [&](Form form) {
    return table.find(table.add(
        {},
        [&seen, form](void*, int, void* value) {
          seen.push_back(form == Form::pointer ? *static_cast<std::intptr_t*>(value)
                                               : reinterpret_cast<std::intptr_t>(value));
          return 0;
        },
        form));
  };
  constexpr std::intptr_t big = std::intptr_t{1} << 40;
  const auto c = see(Form::pointer), fortran = see(Form::address);
  attributes.set(c, AttributeValue::from(Form::address, reinterpret_cast<void*>(big)), nullptr);
  attributes.set(fortran, AttributeValue::from(Form::address, reinterpret_cast<void*>(big + 1)), nullptr);
  void* value = nullptr;
  ASSERT_TRUE(attributes.find(fortran->number, value));
  EXPECT_EQ(*static_cast<std::intptr_t*>(value), big + 1);
  EXPECT_EQ(attributes.find(c->number)->number(), big);
  attributes.remove_all(nullptr);
  EXPECT_EQ(seen, (std::vector<std::intptr_t>{big + 1, big}));
  EXPECT_EQ(AttributeValue(&seen).number(), reinterpret_cast<std::intptr_t>(&seen));
}

TEST_F(AttributesTest, AFailedCallbackGivesItsCodeAndChangesNothing) {
  const auto a = key("a");
  attributes.set(a, number(1), nullptr);
  code = 12345;
  Attributes target;
  void* value = nullptr;
  for (const auto& action : std::vector<std::function<void()>>{[&] { attributes.remove_all(nullptr); },
                                                               [&] { attributes.set(a, number(2), nullptr); },
                                                               [&] { attributes.copy_to(target, nullptr); }}) {
    try {
      action();
      ADD_FAILURE() << "did not fail";
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.error_class()), 12345);
    }
    EXPECT_TRUE(attributes.find(a->number, value));
    EXPECT_EQ(value, number(1));
  }
  EXPECT_TRUE(target.empty());
}

TEST_F(AttributesTest, AFreedKeyStaysWithItsAttributes) {
  const auto a = key("a");
  attributes.set(a, nullptr, nullptr);
  EXPECT_TRUE(table.remove(a->number));
  EXPECT_FALSE(table.remove(a->number));
  EXPECT_EQ(table.find(a->number), nullptr);
  attributes.remove_all(nullptr);
  EXPECT_EQ(calls, std::vector<std::string>{"delete a"});
}

TEST_F(AttributesTest, ACallbackMayDeleteOtherAttributes) {
  const auto other = key("other");
  attributes.set(other, nullptr, nullptr);
  const int number_of_it = table.add({}, [&](void* object, int, void*) {
    attributes.remove(other->number, object);
    return 0;
  });
  attributes.set(table.find(number_of_it), nullptr, nullptr);
  attributes.remove_all(nullptr);
  EXPECT_EQ(calls, std::vector<std::string>{"delete other"});
  EXPECT_TRUE(attributes.empty());
}

}  // namespace
}  // namespace bowline
