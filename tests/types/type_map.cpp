// SPDX-License-Identifier: BSD-3-Clause
#include "types/type_map.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace types {

namespace {

constexpr std::array<BasicFacts, 9> all_facts{{
    {1, 1, 1},                                                                  // byte
    {1, 1, 1},                                                                  // character
    {sizeof(short), alignof(short), 2},                                         // int16
    {sizeof(int), alignof(int), 4},                                             // integer
    {sizeof(std::int64_t), alignof(std::int64_t), 8},                           // int64
    {sizeof(float), alignof(float), 4},                                         // real
    {sizeof(double), alignof(double), 8},                                       // double_real
    {2 * sizeof(double), alignof(double), 8},                                   // complex
    {sizeof(long double), static_cast<std::uint8_t>(alignof(long double)), 0},  // long_double
}};

constexpr std::int64_t margin = 24;

}  // namespace

const BasicFacts& facts(Basic basic) {
  return all_facts[static_cast<std::size_t>(basic)];
}

std::int64_t TypeMap::size() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries) sum += facts(entry.basic).size;
  return sum;
}

Interval TypeMap::true_bounds() const {
  if (entries.empty()) return {0, 0};
  Interval around{entries.front().at, entries.front().at};
  for (const Entry& entry : entries) {
    around.low = std::min(around.low, entry.at);
    around.high = std::max(around.high, entry.at + facts(entry.basic).size);
  }
  return around;
}

Interval TypeMap::bounds() const {
  if (markers) return *markers;
  Interval around = true_bounds();
  if (padding_counts && padded_high) around.high = std::max(around.high, *padded_high);
  std::int64_t alignment = 1;
  for (const Entry& entry : entries) alignment = std::max<std::int64_t>(alignment, facts(entry.basic).alignment);
  while (around.length() % alignment != 0) ++around.high;
  return around;
}

void TypeMap::append(const TypeMap& other, std::int64_t shift) {
  for (const Entry& entry : other.entries) entries.push_back({entry.basic, entry.at + shift});
  if (!other.markers) {
    if (other.entries.empty()) return;
    const std::int64_t high = other.bounds().high + shift;
    padded_high = std::max(padded_high.value_or(high), high);
    return;
  }
  const Interval shifted{other.markers->low + shift, other.markers->high + shift};
  if (!markers) markers = shifted;
  markers->low = std::min(markers->low, shifted.low);
  markers->high = std::max(markers->high, shifted.high);
}

bool overlaps(const TypeMap& map, std::int64_t count) {
  Memory taken = memory_for(map, count, std::byte{0});
  const std::int64_t extent = map.extent();
  for (std::int64_t element = 0; element < count; ++element) {
    for (const Entry& entry : map.entries) {
      std::byte* byte = taken.base() + element * extent + entry.at;
      for (int i = 0; i < facts(entry.basic).size; ++i, ++byte) {
        if (*byte != std::byte{0}) return true;
        *byte = std::byte{1};
      }
    }
  }
  return false;
}

Memory memory_for(const TypeMap& map, std::int64_t count, std::byte filling) {
  Interval around = map.true_bounds();
  const std::int64_t last = count > 0 ? (count - 1) * map.extent() : 0;
  around.low = std::min({around.low, around.low + last, std::int64_t{0}}) - margin;
  around.high = std::max({around.high, around.high + last, std::int64_t{0}}) + margin;
  return {Bytes(static_cast<std::size_t>(around.length()), filling), -around.low};
}

Bytes pack(const TypeMap& map, std::int64_t count, const Memory& memory) {
  Bytes stream(static_cast<std::size_t>(count * map.size()));
  std::byte* to = stream.data();
  const std::int64_t extent = map.extent();
  for (std::int64_t element = 0; element < count; ++element) {
    const std::byte* from = memory.bytes.data() + memory.origin + element * extent;
    for (const Entry& entry : map.entries) {
      std::memcpy(to, from + entry.at, facts(entry.basic).size);
      to += facts(entry.basic).size;
    }
  }
  return stream;
}

void unpack(const TypeMap& map, std::span<const std::byte> stream, Memory& memory) {
  const std::int64_t extent = map.extent();
  for (std::byte* element = memory.base(); !stream.empty(); element += extent) {
    for (const Entry& entry : map.entries) {
      const std::size_t size = facts(entry.basic).size;
      if (stream.size() < size) return;
      std::memcpy(element + entry.at, stream.data(), size);
      stream = stream.subspan(size);
    }
  }
}

Bytes external32(const TypeMap& map, std::int64_t count, std::span<const std::byte> stream) {
  Bytes external(stream.begin(), stream.end());
  auto at = external.begin();
  for (std::int64_t element = 0; element < count; ++element) {
    for (const Entry& entry : map.entries) {
      const auto end = at + facts(entry.basic).size;
      for (; at != end; at += facts(entry.basic).unit) std::reverse(at, at + facts(entry.basic).unit);
    }
  }
  return external;
}

bool has_plain_external32(const TypeMap& map) {
  return std::none_of(map.entries.begin(), map.entries.end(),
                      [](const Entry& entry) { return facts(entry.basic).unit == 0; });
}

}  // namespace types
