// SPDX-License-Identifier: BSD-3-Clause
// mpiio/access: random views and buffers on each way of independent access, with calls that move less than asked for,
// against plain memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "memory_storage.hpp"
#include "mpiio/access/independent.hpp"
#include "mpiio/storage/faulty_storage.hpp"
#include "support/seed.hpp"
#include "unit/dtype/random_type.hpp"

namespace bowline::mpiio {
namespace {

using Places = std::vector<std::size_t>;

struct Board {
  alignas(64) std::array<std::byte, 2048> memory{};
  RangeBoard board{std::span(memory).first(RangeBoard::bytes_for(1)), 0, 1};
};

enum class Way : std::uint8_t { pieces, sieving, chosen };

/// The types of a view or a buffer that tests use: not too long, and for files in ascending order.
bool fits(const dtype::Sample& sample, bool of_file) {
  const auto& bytes = sample.model.bytes;
  if (bytes.empty() || bytes.size() > 300 || sample.model.extent() <= 0) return false;
  if (of_file) return bytes.front() >= 0 && std::ranges::is_sorted(bytes, std::less_equal<>());
  std::vector<std::ptrdiff_t> sorted = bytes;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         sample.model.extent() >= sorted.back() - sorted.front() + 1;
}

dtype::Sample sample_of(dtype::Maker& maker, bool of_file) {
  for (;;) {
    dtype::Sample sample = maker.make(3);
    if (!fits(sample, of_file)) continue;
    const_cast<dtype::Datatype&>(*sample.type).commit();
    return sample;
  }
}

class Scene {
 public:
  Scene(dtype::Maker& random, bool faulty) : random_(random) {
    auto memory = std::make_unique<MemoryStorage>();
    file_ = memory.get();
    storage_ = std::move(memory);
    if (faulty) storage_ = std::make_unique<FaultyStorage>(std::move(storage_), Faults::parse("short,interrupt"), 7);
    file_->bytes.resize(static_cast<std::size_t>(random.upto(3000)));
    fill(file_->bytes);
  }

  void check_access(Way way, bool writes) {
    const dtype::Sample file_sample = sample_of(random_, true), buffer_sample = sample_of(random_, false);
    const auto displacement = static_cast<Offset>(random_.upto(60));
    const View view(displacement, dtype::byte_type(), *file_sample.type, native_representation(), true);
    const auto count = static_cast<std::size_t>(random_.between(1, 8));
    const auto position = static_cast<std::uint64_t>(random_.upto(500));
    const Places in_file =
        file_places(file_sample.model, displacement, position, count * buffer_sample.model.bytes.size());
    std::ptrdiff_t low = 0, high = 0;
    const std::vector<std::ptrdiff_t> in_memory = memory_places(buffer_sample.model, count, low, high);
    std::vector<std::byte> memory(static_cast<std::size_t>(high - low + 1));
    fill(memory);

    std::vector<std::byte> expected_file = file_->bytes, expected_memory = memory;
    std::size_t expected_bytes = in_file.size();
    for (std::size_t i = 0; i < in_file.size(); ++i) {
      std::byte& of_memory = expected_memory[static_cast<std::size_t>(in_memory[i] - low)];
      if (writes) {
        if (in_file[i] >= expected_file.size()) expected_file.resize(in_file[i] + 1);
        expected_file[in_file[i]] = of_memory;
      } else if (in_file[i] < expected_file.size()) {
        of_memory = expected_file[in_file[i]];
      } else {
        expected_bytes = std::min(expected_bytes, i);
      }
    }

    const Ground ground{.storage = *storage_,
                        .view = view,
                        .board = &board_.board,
                        .costs = costs_,
                        .sieves = way != Way::pieces,
                        .only_sieves = way == Way::sieving,
                        .opens = nullptr,
                        .sieve_bytes = static_cast<std::size_t>(random_.between(8, 200))};
    const Access access{writes, {memory.data() - low, count, &*buffer_sample.type}, position, in_file.size()};
    const Outcome outcome = access_independently(ground, access);
    ASSERT_EQ(outcome.error, 0);
    ASSERT_EQ(outcome.bytes, expected_bytes);
    ASSERT_TRUE(memory == expected_memory);
    ASSERT_TRUE(file_->bytes == expected_file);
  }

 private:
  void fill(std::vector<std::byte>& bytes) {
    for (std::byte& each : bytes) each = static_cast<std::byte>(random_.upto(255));
  }
  static Places file_places(const dtype::Model& model, Offset displacement, std::uint64_t position, std::size_t bytes) {
    Places places;
    for (std::uint64_t i = position; i < position + bytes; ++i) {
      const auto tile = static_cast<std::ptrdiff_t>(i / model.bytes.size());
      places.push_back(
          static_cast<std::size_t>(displacement + tile * model.extent() + model.bytes[i % model.bytes.size()]));
    }
    return places;
  }
  static std::vector<std::ptrdiff_t> memory_places(const dtype::Model& model, std::size_t count, std::ptrdiff_t& low,
                                                   std::ptrdiff_t& high) {
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < count; ++i)
      for (const std::ptrdiff_t place : model.bytes)
        places.push_back(place + static_cast<std::ptrdiff_t>(i) * model.extent());
    const auto [least, most] = std::ranges::minmax(places);
    low = least;
    high = most;
    return places;
  }

  dtype::Maker& random_;
  MemoryStorage* file_;
  std::unique_ptr<Storage> storage_;
  Board board_;
  CostModel costs_{false};
};

void check_way(Way way) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
    dtype::Maker random(seed);
    for (int round = 0; round < 150; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      Scene scene(random, round % 2 == 1);
      for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(scene.check_access(way, random.chance(2)));
    }
  }
}

TEST(Access, PieceByPiece) {
  check_way(Way::pieces);
}
TEST(Access, BySieving) {
  check_way(Way::sieving);
}
TEST(Access, ByTheWayThatTheModelChooses) {
  check_way(Way::chosen);
}

TEST(Access, AnErrorLeavesWhatStandsInFrontOfIt) {
  for (const bool sieves : {false, true}) {
    for (const bool writes : {false, true}) {
      auto memory = std::make_unique<MemoryStorage>();
      MemoryStorage& file = *memory;
      file.bytes.assign(1000, std::byte{1});
      FaultyStorage storage(std::move(memory), Faults::parse(writes ? "write:ENOSPC@500" : "read:EIO@500"), 1);
      dtype::Envelope given{.combiner = dtype::Combiner::hvector, .large = true};
      given.counts = {2, 1, 10};
      dtype::Datatype& type = dtype::compose(std::move(given), dtype::byte_type());
      type.commit();
      const View view(0, dtype::byte_type(), type, native_representation(), true);  // 0, 10 | 11, 21 | ...
      Board board;
      CostModel costs(false);
      std::vector<std::byte> data(180, std::byte{2});
      const Ground ground{.storage = storage,
                          .view = view,
                          .board = &board.board,
                          .costs = costs,
                          .sieves = sieves,
                          .only_sieves = sieves,
                          .opens = nullptr,
                          .sieve_bytes = 100};
      const Outcome outcome =
          access_independently(ground, {writes, {data.data(), data.size(), &dtype::byte_type()}, 0, data.size()});
      EXPECT_EQ(outcome.error, writes ? ENOSPC : EIO);
      EXPECT_LE(outcome.bytes, view.position_of(500, 0));
      EXPECT_GE(outcome.bytes + 20, view.position_of(500, 0));
      for (std::size_t i = 0; i < outcome.bytes; ++i)
        EXPECT_EQ(writes ? file.bytes[static_cast<std::size_t>(view.offset_of(i))] : data[i],
                  std::byte(writes ? 2 : 1));
      type.drop_handle();
    }
  }
}

}  // namespace
}  // namespace bowline::mpiio
