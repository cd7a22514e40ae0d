// SPDX-License-Identifier: BSD-3-Clause
// Allgather and alltoall in every form: each registered algorithm brings every block to its place, for every size of
// team, for blocks of any length, empty ones, and blocks that lie anywhere in the buffer.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "registered.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

constexpr std::byte untouched{0xee};

using Bytes = std::vector<std::byte>;

/// What `from` has for `to`: no two blocks of the same length are alike.
Bytes block_of(int from, int to, std::size_t bytes) {
  Bytes block(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t mixed =
        (static_cast<std::size_t>(from) * 64 + static_cast<std::size_t>(to)) * 2654435761U + i * 97;
    block[i] = static_cast<std::byte>(mixed >> (8 * (i % 3)));
  }
  return block;
}

/// A buffer of blocks, in which they lie one after the other, or last one first with gaps between them.
struct Buffer {
  Bytes bytes;
  std::vector<Block> table;
  std::size_t each = 0;

  static Buffer uniform(int members, std::size_t each) {
    Buffer buffer;
    buffer.each = each;
    buffer.bytes.assign(static_cast<std::size_t>(members) * each, untouched);
    return buffer;
  }
  static Buffer scattered(const std::vector<std::size_t>& lengths) {
    constexpr std::size_t gap = 3;
    Buffer buffer;
    buffer.table.resize(lengths.size());
    std::size_t end = gap;
    for (std::size_t i = lengths.size(); i-- > 0; end += lengths[i] + gap) {
      buffer.table[i] = {static_cast<std::ptrdiff_t>(end), lengths[i]};
    }
    buffer.bytes.assign(end, untouched);
    return buffer;
  }
  Blocks blocks() { return table.empty() ? Blocks(bytes.data(), each) : Blocks(bytes.data(), table.data()); }
  void fill(int member, const Bytes& content) { std::ranges::copy(content, blocks()[member].begin()); }
};

std::string trace(const Algorithm& algorithm, int size, std::uint32_t seed) {
  return std::string(algorithm.name) + ", " + std::to_string(size) + " members, seed " + std::to_string(seed);
}

/// Lengths of the blocks of a v-form, by form: some empty, all in one member, none anywhere, all different.
std::vector<std::size_t> lengths(int members, int form) {
  std::vector<std::size_t> result(static_cast<std::size_t>(members));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t by_form[] = {i % 3 == 1 ? 0 : (i * 7) % 12, i + 1 == result.size() ? 500U : 0U, 0, 10 * i + 1};
    result[i] = by_form[form];
  }
  return result;
}

/// Runs an allgather into empty buffers of this form, and compares.
void check_allgather(Run algorithm, const Buffer& empty, bool in_place, int size, std::uint32_t seed) {
  Buffer expected = empty;
  std::vector<Buffer> all(static_cast<std::size_t>(size), empty);
  std::vector<Bytes> own;
  std::vector<Arguments> arguments;
  for (int member = 0; member < size; ++member) {
    Buffer& mine = all[static_cast<std::size_t>(member)];
    own.push_back(block_of(member, member, mine.blocks()[member].size()));
    expected.fill(member, own.back());
    if (in_place) mine.fill(member, own.back());
  }
  const std::vector<Bytes> contributed = own;
  for (int member = 0; member < size; ++member) {
    const Blocks receive = all[static_cast<std::size_t>(member)].blocks();
    const std::span<const std::byte> input =
        in_place ? receive[member] : std::span<std::byte>(own[static_cast<std::size_t>(member)]);
    arguments.push_back({.input = input, .receive = receive});
  }
  Model model(size, seed);
  run_all(model, algorithm, arguments);
  for (const Buffer& mine : all) ASSERT_EQ(mine.bytes, expected.bytes);
  ASSERT_EQ(own, contributed);
}

class Allgather : public testing::TestWithParam<Algorithm> {};

TEST_P(Allgather, BringsEverybodysBlockToEverybody) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : sizes_for(GetParam())) {
      for (const std::size_t bytes : {0, 1, 8, 333}) {
        SCOPED_TRACE(trace(GetParam(), size, seed) + ", " + std::to_string(bytes) + " bytes");
        check_allgather(GetParam().run, Buffer::uniform(size, bytes), false, size, seed);
        check_allgather(GetParam().run, Buffer::uniform(size, bytes), true, size, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, Allgather, testing::ValuesIn(algorithms(Operation::allgather)), algorithm_name);

class Allgatherv : public testing::TestWithParam<Algorithm> {};

TEST_P(Allgatherv, BringsEverybodysBlockToItsPlace) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : sizes_for(GetParam())) {
      for (int form = 0; form < 4; ++form) {
        SCOPED_TRACE(trace(GetParam(), size, seed) + ", form " + std::to_string(form));
        check_allgather(GetParam().run, Buffer::scattered(lengths(size, form)), false, size, seed);
        check_allgather(GetParam().run, Buffer::scattered(lengths(size, form)), true, size, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, Allgatherv, testing::ValuesIn(algorithms(Operation::allgatherv)), algorithm_name);

/// Runs an alltoall between buffers of these forms, one of each for each member, and compares.
void check_alltoall(Run algorithm, std::vector<Buffer> send, std::vector<Buffer> receive, std::uint32_t seed) {
  const int size = static_cast<int>(send.size());
  std::vector<Buffer> expected = receive;
  std::vector<Arguments> arguments;
  for (int from = 0; from < size; ++from) {
    Buffer& mine = send[static_cast<std::size_t>(from)];
    for (int to = 0; to < size; ++to) {
      const Bytes content = block_of(from, to, mine.blocks()[to].size());
      mine.fill(to, content);
      expected[static_cast<std::size_t>(to)].fill(from, content);
    }
    arguments.push_back({.send = mine.blocks(), .receive = receive[static_cast<std::size_t>(from)].blocks()});
  }
  const std::vector<Buffer> sent = send;
  Model model(size, seed);
  run_all(model, algorithm, arguments);
  for (std::size_t member = 0; member < send.size(); ++member) {
    ASSERT_EQ(receive[member].bytes, expected[member].bytes) << "at member " << member;
    ASSERT_EQ(send[member].bytes, sent[member].bytes) << "input of member " << member;
  }
}

class Alltoall : public testing::TestWithParam<Algorithm> {};

TEST_P(Alltoall, BringsEveryBlockToItsMember) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : sizes_for(GetParam())) {
      for (const std::size_t bytes : {0, 1, 8, 333}) {
        SCOPED_TRACE(trace(GetParam(), size, seed) + ", " + std::to_string(bytes) + " bytes");
        const std::vector<Buffer> buffers(static_cast<std::size_t>(size), Buffer::uniform(size, bytes));
        check_alltoall(GetParam().run, buffers, buffers, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, Alltoall, testing::ValuesIn(algorithms(Operation::alltoall)), algorithm_name);

class Alltoallv : public testing::TestWithParam<Algorithm> {};

TEST_P(Alltoallv, BringsEveryBlockToItsPlace) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : sizes_for(GetParam())) {
      for (int form = 0; form < 4; ++form) {
        SCOPED_TRACE(trace(GetParam(), size, seed) + ", form " + std::to_string(form));
        // Member i sends what the form says, turned by i; receivers expect just that.
        const std::vector<std::size_t> row = lengths(size, form);
        const auto length = [&](int from, int to) { return row[static_cast<std::size_t>((from + to) % size)]; };
        std::vector<Buffer> send, receive;
        for (int member = 0; member < size; ++member) {
          std::vector<std::size_t> outgoing, incoming;
          for (int other = 0; other < size; ++other) {
            outgoing.push_back(length(member, other));
            incoming.push_back(length(other, member));
          }
          send.push_back(Buffer::scattered(outgoing));
          receive.push_back(Buffer::scattered(incoming));
        }
        check_alltoall(GetParam().run, send, receive, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, Alltoallv, testing::ValuesIn(algorithms(Operation::alltoallv)), algorithm_name);

}  // namespace
}  // namespace bowline::coll
