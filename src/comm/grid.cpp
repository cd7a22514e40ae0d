// SPDX-License-Identifier: BSD-3-Clause
#include "comm/grid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// `value` to the power of `count`, or any number above `product` if the power exceeds `product`.
long long power(int value, int count, int product) noexcept {
  long long reached = 1;
  for (int i = 0; i < count && reached <= product; ++i) reached *= value;
  return reached;
}

/// Searches the factorizations of a product, largest factor first; skips those that cannot be the best.
class Search {
 public:
  explicit Search(int product) : divisors_(divisors_of(product)) {}

  /// Adds factors: `product` remains for `count` more factors of at most `most`.
  void add(int product, int count, int most) {
    if (count == 0) return take();
    const auto largest_below = std::ranges::upper_bound(divisors_, root(product, count));
    // The smallest factor is at most the root of the remaining product, and so is the next divisor below the root.
    const int smallest_at_most = *(largest_below - 1);
    if (!factors_.empty() && worse(factors_.front(), smallest_at_most)) return;
    const bool whole = power(smallest_at_most, count, product) == product;
    for (auto next = whole ? largest_below - 1 : largest_below; next != divisors_.end() && *next <= most; ++next) {
      if (product % *next != 0) continue;
      if (factors_.empty() && worse(*next, smallest_at_most)) return;
      factors_.push_back(*next);
      add(product / *next, count - 1, *next);
      factors_.pop_back();
    }
  }
  std::vector<int> best() && { return std::move(best_); }

 private:
  /// The greatest number whose power of `count` is at most `product`.
  static int root(int product, int count) noexcept {
    int found = static_cast<int>(std::pow(product, 1.0 / count));
    while (power(found + 1, count, product) <= product) ++found;
    while (power(found, count, product) > product) --found;
    return found;
  }
  bool worse(int largest, int smallest) const noexcept {
    return !best_.empty() && largest - smallest > best_.front() - best_.back();
  }
  void take() {
    if (!factors_.empty() && (best_.empty() || better(factors_, best_))) best_ = factors_;
  }
  static bool better(const std::vector<int>& one, const std::vector<int>& other) noexcept {
    const int gain = (other.front() - other.back()) - (one.front() - one.back());
    return gain > 0 ||
           (gain == 0 && std::lexicographical_compare(other.rbegin(), other.rend(), one.rbegin(), one.rend()));
  }

  std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
};

}  // namespace

std::vector<int> balanced_factors(int product, int count) {
  Search search(product);
  search.add(product, count, product);
  return std::move(search).best();
}

}  // namespace bowline::comm
