// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/coverage.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/atomic.hpp"
#include "base/error.hpp"

namespace bowline::mpiio {
namespace {

constexpr std::uint64_t all_bits = ~std::uint64_t{0};

/// The lowest `count` bits; `count` is 1 to 64.
constexpr std::uint64_t low_bits(std::size_t count) noexcept {
  return all_bits >> (Coverage::bits - count);
}

enum class CoverageForm : std::uint8_t { runs, bits };

[[noreturn]] void refuse() {
  throw Error(ErrorClass::intern, "a description of a part of a file has arrived that has not the form of one");
}

void put_number(std::size_t number, std::vector<std::byte>& target) {
  for (; number >= 0x80; number >>= 7) target.push_back(static_cast<std::byte>(number & 0x7f) | std::byte{0x80});
  target.push_back(static_cast<std::byte>(number));
}

/// The run of set bits that begins at bit `from` or later, of `words` words that `load` gives.
template <class Load>
GranuleRun next_run(std::size_t words, std::size_t from, Load load) noexcept {
  const std::size_t end = words * Coverage::bits;
  std::size_t word = from / Coverage::bits;
  if (word >= words) return {end, end};
  std::uint64_t rest = load(word) & (all_bits << from % Coverage::bits);
  while (rest == 0) {
    if (++word == words) return {end, end};
    rest = load(word);
  }
  const std::size_t begin = word * Coverage::bits + static_cast<std::size_t>(std::countr_zero(rest));
  std::uint64_t gaps = ~load(word) & (all_bits << begin % Coverage::bits);
  while (gaps == 0) {
    if (++word == words) return {begin, end};
    gaps = ~load(word);
  }
  return {begin, word * Coverage::bits + static_cast<std::size_t>(std::countr_zero(gaps))};
}

}  // namespace

void Coverage::Marker::mark(GranuleRun run) noexcept {
  std::size_t word = run.begin / bits;
  std::size_t bit = run.begin % bits;
  std::size_t left = run.end - run.begin;
  while (left > 0) {
    const std::size_t count = std::min(left, bits - bit);
    if (count == bits) {  // no other process marks a part of this word
      AtomicRef<std::uint64_t>(words_[word]).store(all_bits, std::memory_order_relaxed);
    } else {
      if (word != word_) flush();
      word_ = word;
      pending_ |= low_bits(count) << bit;
    }
    left -= count;
    bit = 0;
    ++word;
  }
}

GranuleRun Coverage::next(std::size_t from) const noexcept {
  return next_run(words_.size(), from, [this](std::size_t word) { return words_[word]; });
}

void Coverage::clear(std::size_t granules) noexcept {
  std::ranges::fill(words_.first(std::min(words_.size(), words_for(granules))), 0);
}

void encode_runs(const Coverage& coverage, std::size_t granules, std::vector<std::byte>& target) {
  const std::size_t start = target.size();
  const std::size_t bit_bytes = Coverage::words_for(granules) * sizeof(std::uint64_t);
  target.push_back(static_cast<std::byte>(CoverageForm::runs));
  std::size_t behind = 0;
  for (GranuleRun run = coverage.next(0); run.begin < granules; run = coverage.next(run.end)) {
    put_number(run.begin - behind, target);
    put_number(run.end - run.begin, target);
    behind = run.end;
    if (target.size() - start > bit_bytes) break;
  }
  if (target.size() - start <= bit_bytes) return;
  target.resize(start);
  target.push_back(static_cast<std::byte>(CoverageForm::bits));
  const auto bits = coverage.bytes().first(bit_bytes);
  target.insert(target.end(), bits.begin(), bits.end());
}

RunReader::RunReader(std::span<const std::byte> source, std::size_t granules) : granules_(granules) {
  if (source.empty() || source.front() > static_cast<std::byte>(CoverageForm::bits)) refuse();
  bits_ = source.front() == static_cast<std::byte>(CoverageForm::bits);
  source_ = source.subspan(1);
  if (bits_ && source_.size() != Coverage::words_for(granules) * sizeof(std::uint64_t)) refuse();
}

std::size_t RunReader::number() {
  std::size_t number = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (source_.empty()) refuse();
    const auto next = std::to_integer<std::size_t>(source_.front());
    source_ = source_.subspan(1);
    number |= (next & 0x7f) << shift;
    if (next < 0x80) return number;
  }
  refuse();
}

std::optional<GranuleRun> RunReader::next() {
  GranuleRun run{};
  if (bits_) {
    run = next_run(Coverage::words_for(granules_), behind_, [this](std::size_t word) {
      std::uint64_t value = 0;
      std::memcpy(&value, source_.data() + word * sizeof value, sizeof value);
      return value;
    });
    if (run.begin >= run.end) return std::nullopt;
    if (run.end > granules_) refuse();
  } else {
    if (source_.empty()) return std::nullopt;
    const std::size_t distance = number();
    const std::size_t length = number();
    if (length == 0 || distance > granules_ - behind_ || length > granules_ - behind_ - distance) refuse();
    run = {behind_ + distance, behind_ + distance + length};
  }
  behind_ = run.end;
  return run;
}

}  // namespace bowline::mpiio
