// SPDX-License-Identifier: BSD-3-Clause
// Type maps as the standard defines them, one entry for each basic element: the slow, obvious reference that datatypes
// are compared with. No MPI in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace types {

using Bytes = std::vector<std::byte>;

/// Basic types that a type map is made of.
enum class Basic : std::uint8_t { byte, character, int16, integer, int64, real, double_real, complex, long_double };

struct BasicFacts {
  std::uint8_t size;
  std::uint8_t alignment;
  std::uint8_t unit;  // bytes of the numbers in it, which external32 turns around; 0: its external form is another one
};

const BasicFacts& facts(Basic basic);

struct Entry {
  Basic basic;
  std::int64_t at;  // displacement in bytes

  bool operator==(const Entry&) const = default;
};

/// The bytes from `low` on, `high` not among them.
struct Interval {
  std::int64_t low;
  std::int64_t high;

  std::int64_t length() const { return high - low; }
  bool operator==(const Interval&) const = default;
};

/// Whether the padding of an inner type counts for the upper bound of what is made of it, as in MPI implementations, or
/// drops out, as in the standard's type map. Of a run of the test as a whole.
inline bool padding_counts = true;

/// A type map: entries in their order, and the lowest lb_marker and the highest ub_marker if there are any.
struct TypeMap {
  std::vector<Entry> entries;
  std::optional<Interval> markers;
  std::optional<std::int64_t> padded_high = std::nullopt;  // the highest upper bound of a part without markers

  std::int64_t size() const;
  /// From the lowest byte of data to past the highest one; 0 to 0 without entries.
  Interval true_bounds() const;
  /// lb and ub: of the markers, or of the data and the padding that counts, then with ub rounded up so that the extent
  /// is a multiple of the strictest alignment.
  Interval bounds() const;
  std::int64_t extent() const { return bounds().length(); }

  /// Appends all of `other`, markers too, `shift` bytes further on.
  void append(const TypeMap& other, std::int64_t shift);
};

/// Whether a byte belongs to two entries of an array of `count` elements.
bool overlaps(const TypeMap& map, std::int64_t count);

/// Memory that holds an array of elements wherever their bytes lie, with a margin around it.
struct Memory {
  Bytes bytes;
  std::int64_t origin = 0;  // where displacement 0 of the first element is in `bytes`

  std::byte* base() { return bytes.data() + origin; }
  bool operator==(const Memory&) const = default;
};

/// Memory for `count` elements, every byte being `filling`.
Memory memory_for(const TypeMap& map, std::int64_t count, std::byte filling);

/// The data of an array of `count` elements in the order of the type map.
Bytes pack(const TypeMap& map, std::int64_t count, const Memory& memory);

/// Writes a stream of whole basic elements into an array of elements, from its beginning, as far as the stream goes.
void unpack(const TypeMap& map, std::span<const std::byte> stream, Memory& memory);

/// What pack() returned in external32: big-endian numbers.
Bytes external32(const TypeMap& map, std::int64_t count, std::span<const std::byte> stream);

/// Whether every entry's external32 form has the same bytes, only in another order.
bool has_plain_external32(const TypeMap& map);

}  // namespace types
