// SPDX-License-Identifier: BSD-3-Clause
// Tests in processes of their own: each process of a fabric reads its settings once, and some are to die.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fabric::test {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// A line to another process. Both ends write and read; a read of what the other end never writes is a failure.
class Line {
 public:
  explicit Line(int descriptor) : descriptor_(descriptor) {}

  template <typename Value>
  void put(const Value& value) const {
    put_bytes(&value, sizeof value);
  }

  template <typename Value>
  Value get() const {
    Value value{};
    get_bytes(&value, sizeof value);
    return value;
  }

  /// Waits until the other process has come as far.
  void meet() const {
    put('m');
    get<char>();
  }

  /// Waits until the other process has ended.
  void wait_for_end() const;

 private:
  void put_bytes(const void* bytes, std::size_t length) const;
  void get_bytes(void* bytes, std::size_t length) const;

  int descriptor_;
};

/// Runs a function in a child with these variables, in a fabric of the test. The test fails if an expectation fails
/// there.
void in_child(const Variables& variables, const std::function<void()>& function);

/// Runs a function in a child that the fabric is to end with a sentence that contains these words.
void in_ending_child(const Variables& variables, const std::function<void()>& function, const std::string& words);

/// Runs two functions in two children that share a fabric and have a line to each other. The fabric is to end the
/// second with a sentence that contains these words, if there are any.
void in_two_children(const Variables& variables, const std::function<void(const Line&)>& first,
                     const std::function<void(const Line&)>& second, const std::string& words = {});

/// Ends the calling child at once, as a crash does, without failing the test.
[[noreturn]] void die();

}  // namespace fabric::test
