// SPDX-License-Identifier: BSD-3-Clause
// dtype/cursor, flatten, transfer and pieces: random types against the place of every byte, whole and in pieces.
#include "dtype/cursor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "dtype/elements.hpp"
#include "random_type.hpp"
#include "support/seed.hpp"
#include "support/untouched.hpp"

namespace bowline::dtype {
namespace {

using test::untouched;

/// Memory that holds `count` elements of a type, and no more.
struct Image {
  std::vector<std::ptrdiff_t> places;  ///< of each byte of data, in order, as index of `memory`
  std::vector<std::byte> memory;
  std::ptrdiff_t base = 0;  ///< index of the address that the elements are counted from

  Image(const Model& model, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::ptrdiff_t place : model.bytes)
        places.push_back(place + static_cast<std::ptrdiff_t>(i) * model.extent());
    }
    if (places.empty()) return;
    const auto [low, high] = std::ranges::minmax(places);
    base = -low;
    for (std::ptrdiff_t& place : places) place -= low;
    memory.assign(static_cast<std::size_t>(high - low + 1), untouched);
  }
  std::byte* address() { return memory.data() + base; }
  bool overlaps() const {
    std::vector<std::ptrdiff_t> sorted = places;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
};

std::vector<std::byte> pattern(std::size_t bytes, Maker& random) {
  std::vector<std::byte> data(bytes);
  for (std::byte& each : data) each = static_cast<std::byte>(random.upto(0xed));
  return data;
}

void check_bounds(const Sample& sample) {
  const Bounds& bounds = sample.type->bounds();
  const Model& model = sample.model;
  ASSERT_EQ(sample.type->size(), model.bytes.size());
  ASSERT_EQ(bounds.lb, model.lb);
  ASSERT_EQ(bounds.ub, model.ub);
  ASSERT_EQ(bounds.elements, static_cast<std::int64_t>(model.elements.size()));
  if (model.bytes.empty()) return;
  const auto [low, high] = std::ranges::minmax(model.bytes);
  ASSERT_EQ(bounds.true_lb, low);
  ASSERT_EQ(bounds.true_ub, high + 1);
}

void check_elements(const Sample& sample) {
  std::vector<std::size_t> ends{0};
  for (const std::size_t size : sample.model.elements) ends.push_back(ends.back() + size);
  const std::size_t size = sample.type->size();
  for (std::size_t bytes = 0; bytes <= 2 * size && size > 0; ++bytes) {
    const auto end = std::ranges::find(ends, bytes % size);
    const auto expected =
        end == ends.end()
            ? std::nullopt
            : std::optional<std::int64_t>((end - ends.begin()) +
                                          static_cast<std::int64_t>(bytes / size * sample.model.elements.size()));
    ASSERT_EQ(elements_in(*sample.type, bytes), expected) << bytes;
    if (!expected) continue;
    ASSERT_EQ(bytes_of(*sample.type, *expected), static_cast<std::int64_t>(bytes));
  }
}

void check_pack(const Sample& sample, std::size_t count, Maker& random) {
  Image image(sample.model, count);
  image.memory = pattern(image.memory.size(), random);
  std::vector<std::byte> expected;
  for (const std::ptrdiff_t place : image.places) expected.push_back(image.memory[static_cast<std::size_t>(place)]);

  std::vector<std::byte> stream(expected.size(), untouched);
  Cursor whole(*sample.type, count, image.address());
  ASSERT_EQ(whole.left(), expected.size());
  ASSERT_EQ(whole.pack(stream), expected.size());
  ASSERT_EQ(stream, expected) << "packed at once";

  std::ranges::fill(stream, untouched);
  Cursor pieces(*sample.type, count, image.address());
  for (std::size_t done = 0; done < stream.size();) {
    const auto length = static_cast<std::size_t>(random.between(1, random.chance(3) ? 100 : 9));
    const std::size_t part = std::min(length, stream.size() - done);
    ASSERT_EQ(pieces.pack(std::span(stream).subspan(done, part)), part);
    done += part;
    ASSERT_EQ(pieces.position(), done);
  }
  ASSERT_EQ(stream, expected) << "packed in pieces";

  Cursor places(*sample.type, count, image.address());
  std::vector<std::byte> found;
  std::vector<iovec> list(static_cast<std::size_t>(random.between(1, 5)));
  const std::byte* last_end = nullptr;
  while (const std::size_t n = places.next_iovec(list)) {
    for (const iovec& piece : std::span(list).first(n)) {
      ASSERT_GT(piece.iov_len, 0U);
      const auto* const begin = static_cast<const std::byte*>(piece.iov_base);
      ASSERT_NE(begin, last_end) << "neighbours that are two pieces";
      last_end = begin + piece.iov_len;
      found.insert(found.end(), begin, last_end);
    }
  }
  ASSERT_EQ(found, expected) << "listed";
}

void check_unpack(const Sample& sample, std::size_t count, Maker& random) {
  Image image(sample.model, count);
  if (image.overlaps()) return;  // MPI forbids it where data are stored
  const std::vector<std::byte> stream = pattern(image.places.size(), random);
  const std::vector<std::byte> fresh = image.memory;
  const auto expected = [&](std::size_t from, std::size_t to) {
    std::vector<std::byte> memory = fresh;
    for (std::size_t i = from; i < to; ++i) memory[static_cast<std::size_t>(image.places[i])] = stream[i];
    return memory;
  };
  Cursor(*sample.type, count, image.address()).unpack(stream);
  ASSERT_EQ(image.memory, expected(0, stream.size())) << "unpacked at once";

  image.memory = fresh;
  std::vector<std::size_t> cuts{0, stream.size()};
  for (int i = 0; i < 4; ++i)
    cuts.push_back(static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(stream.size()))));
  std::ranges::sort(cuts);
  Cursor cursor(*sample.type, count, image.address());
  for (std::size_t i = cuts.size() - 1; i-- > 0;) {  // last piece first
    cursor.seek(cuts[i]);
    cursor.unpack(std::span(stream).subspan(cuts[i], cuts[i + 1] - cuts[i]));
  }
  ASSERT_EQ(image.memory, expected(0, stream.size())) << "unpacked in pieces";

  image.memory = fresh;
  const auto bytes = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(stream.size())));
  const std::vector<std::byte> beginning(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bytes));
  unpack(*sample.type, beginning.data(), bytes, image.address());
  ASSERT_EQ(image.memory, expected(0, bytes)) << "a beginning of " << bytes << " bytes";
}

// A cursor that was put anywhere goes on from there, in pieces of any size.
void check_every_position(const Sample& sample, std::size_t count, Maker& random) {
  const Image image(sample.model, count);
  if (image.places.size() > 400) return;
  Image copy = image;
  Cursor cursor(*sample.type, count, copy.address());
  for (std::size_t from = 0; from < image.places.size(); ++from) {
    std::vector<iovec> list(static_cast<std::size_t>(random.between(1, 4)));
    cursor.seek(from);
    std::size_t at = from;
    for (const iovec& piece : std::span(list).first(cursor.next_iovec(list))) {
      const auto* const begin = static_cast<const std::byte*>(piece.iov_base);
      for (std::size_t i = 0; i < piece.iov_len; ++i, ++at) {
        ASSERT_LT(at, image.places.size());
        ASSERT_EQ(begin + i - copy.memory.data(), image.places[at]) << "byte " << at << " listed from " << from;
      }
    }
    ASSERT_GT(at, from);
    ASSERT_EQ(cursor.position(), at);
    ASSERT_EQ(cursor.left(), image.places.size() - at);
  }
}

void check_sample(Maker& maker) {
  maker.text.clear();
  const Sample sample = maker.make(static_cast<int>(maker.between(0, 4)));
  if (sample.model.bytes.size() > 20000) return;
  const_cast<Datatype&>(*sample.type).commit();
  ASSERT_NO_FATAL_FAILURE(check_bounds(sample));
  if (sample.model.bytes.size() < 200) {
    ASSERT_NO_FATAL_FAILURE(check_elements(sample));
  }
  for (const std::size_t count : {std::size_t{1}, static_cast<std::size_t>(maker.upto(6))}) {
    ASSERT_NO_FATAL_FAILURE(check_pack(sample, count, maker));
    ASSERT_NO_FATAL_FAILURE(check_unpack(sample, count, maker));
    ASSERT_NO_FATAL_FAILURE(check_every_position(sample, count, maker));
  }
}

// DTYPE_ROUNDS: how many types per seed, for longer runs.
TEST(Cursor, RandomTypesAreWhatTheirTypeMapsSay) {
  const char* const rounds = std::getenv("DTYPE_ROUNDS");
  for (const std::uint32_t seed : test::seeds()) {
    Maker maker(seed);
    for (long i = 0; i < (rounds != nullptr ? std::atol(rounds) : 5000); ++i) {
      check_sample(maker);
      if (testing::Test::HasFailure()) FAIL() << "type " << i << " with seed " << seed << ": " << maker.text;
    }
  }
}

}  // namespace
}  // namespace bowline::dtype
