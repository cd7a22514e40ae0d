// SPDX-License-Identifier: BSD-3-Clause
// dtype/combine: what the operators do with NaN, which the standard leaves open.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dtype/native.hpp"
#include "dtype/op.hpp"

namespace bowline::dtype {
namespace {

template <class T>
void check_nan(Element element) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const Operator op : {Operator::min, Operator::max, Operator::sum, Operator::prod}) {
    for (std::size_t count = 1; count < 300; count = count * 2 + 1) {  // in the blocks and behind them
      std::vector<T> with(count, nan);
      std::vector<T> without(count, T(7));
      std::vector<T> result = without;
      find_kernel(op, element)(with.data(), result.data(), count);
      for (const T& value : result) ASSERT_TRUE(std::isnan(value)) << static_cast<int>(op);
      result = with;
      find_kernel(op, element)(without.data(), result.data(), count);
      for (const T& value : result) ASSERT_TRUE(std::isnan(value)) << static_cast<int>(op);
    }
  }
}

TEST(Kernels, NanIsNeverLost) {
  check_nan<float>(Element::f32);
  check_nan<double>(Element::f64);
  check_nan<long double>(Element::f80);
}

TEST(Kernels, NanComesFirstOfAllLocations) {
  using P = Pair<double, int>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Operator op : {Operator::minloc, Operator::maxloc}) {
    const auto combined = [op](P a, P b) {
      find_kernel(op, Element::f64_i32)(&a, &b, 1);
      return b;
    };
    EXPECT_EQ(combined({nan, 5}, {1, 2}).index, 5);
    EXPECT_EQ(combined({1, 2}, {nan, 5}).index, 5);
    EXPECT_EQ(combined({nan, 5}, {nan, 3}).index, 3) << "among several the smaller index";
    EXPECT_EQ(combined({nan, 3}, {nan, 5}).index, 3);
  }
}

}  // namespace
}  // namespace bowline::dtype
