// SPDX-License-Identifier: BSD-3-Clause
#include "comm/grid.hpp"

#include <algorithm>

namespace bowline::comm {
namespace {

std::vector<int> divisors_of(int product) {
  std::vector<int> low, high;
  for (int divisor = 1; divisor <= product / divisor; ++divisor) {
    if (product % divisor != 0) continue;
    low.push_back(divisor);
    if (divisor != product / divisor) high.push_back(product / divisor);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

/// Whether value to the power of count is at least product.
bool can_reach(int product, int value, int count) noexcept {
  long long reached = 1;
  for (int i = 0; i < count && reached < product; ++i) reached *= value;
  return reached >= product;
}

/// Adds factors of `product` that are not above `most`, the first that is possible in ascending order each time.
bool add_factors(const std::vector<int>& divisors, int product, int count, int most, std::vector<int>& factors) {
  if (count == 0) return product == 1;
  for (const int divisor : divisors) {
    if (divisor > most) return false;
    if (product % divisor != 0 || !can_reach(product, divisor, count)) continue;
    factors.push_back(divisor);
    if (add_factors(divisors, product / divisor, count - 1, divisor, factors)) return true;
    factors.pop_back();
  }
  return false;
}

}  // namespace

std::vector<int> balanced_factors(int product, int count) {
  std::vector<int> factors;
  add_factors(divisors_of(product), product, count, product, factors);
  return factors;
}

}  // namespace bowline::comm
