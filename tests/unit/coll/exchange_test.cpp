// SPDX-License-Identifier: BSD-3-Clause
// Allgather and alltoall in every form: each registered algorithm brings every block to its place, for every size of
// team, for blocks of any length, empty ones, and blocks that lie anywhere in the buffer.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "reference.hpp"
#include "support/untouched.hpp"

namespace bowline::coll {
namespace {

using test::untouched;

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

/// Lengths of the blocks of a v-form, by form: some empty, all in one member, none anywhere, all different, short ones
/// and such as no slot of the model holds.
std::vector<std::size_t> lengths(int members, std::size_t form) {
  std::vector<std::size_t> result(static_cast<std::size_t>(members));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t by_form[] = {i % 3 == 1 ? 0 : (i * 7) % 12, i + 1 == result.size() ? 500U : 0U, 0, 10 * i + 1,
                                   i % 3 == 0 ? 4500 + i : i};
    result[i] = by_form[form];
  }
  return result;
}

const std::vector<std::size_t> every_form = {0, 1, 2, 3, 4};

/// Runs an allgather into empty buffers of this form, and compares.
void check_allgather(const Case& now, const Buffer& empty) {
  const int size = now.size;
  Buffer expected = empty;
  std::vector<Buffer> all(static_cast<std::size_t>(size), empty);
  std::vector<Bytes> own;
  std::vector<Arguments> arguments;
  for (int member = 0; member < size; ++member) {
    Buffer& mine = all[static_cast<std::size_t>(member)];
    own.push_back(block_of(member, member, mine.blocks()[member].size()));
    expected.fill(member, own.back());
    if (now.in_place) mine.fill(member, own.back());
  }
  const std::vector<Bytes> contributed = own;
  for (int member = 0; member < size; ++member) {
    const Blocks receive = all[static_cast<std::size_t>(member)].blocks();
    const std::span<const std::byte> input =
        now.in_place ? receive[member] : std::span<std::byte>(own[static_cast<std::size_t>(member)]);
    arguments.push_back({.input = input, .receive = receive});
  }
  run_case(now, arguments);
  for (const Buffer& mine : all) ASSERT_EQ(mine.bytes, expected.bytes);
  ASSERT_EQ(own, contributed);
}

class Allgather : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Allgather, BringsEverybodysBlockToEverybody) {
  for_all_cases(*GetParam(), {.counts = {0, 1, 8, 333}, .rooted = false},
                [](const Case& now) { check_allgather(now, Buffer::uniform(now.size, now.count)); });
}

INSTANTIATE_TEST_SUITE_P(Registered, Allgather, testing::ValuesIn(all_of(Operation::allgather)), name_of_algorithm);

class Allgatherv : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Allgatherv, BringsEverybodysBlockToItsPlace) {
  for_all_cases(*GetParam(), {.counts = every_form, .rooted = false},
                [](const Case& now) { check_allgather(now, Buffer::scattered(lengths(now.size, now.count))); });
}

INSTANTIATE_TEST_SUITE_P(Registered, Allgatherv, testing::ValuesIn(all_of(Operation::allgatherv)), name_of_algorithm);

/// Runs an alltoall between buffers of these forms, one of each for each member, and compares.
void check_alltoall(const Case& now, std::vector<Buffer> send, std::vector<Buffer> receive) {
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
  run_case(now, arguments);
  for (std::size_t member = 0; member < send.size(); ++member) {
    ASSERT_EQ(receive[member].bytes, expected[member].bytes) << "at member " << member;
    ASSERT_EQ(send[member].bytes, sent[member].bytes) << "input of member " << member;
  }
}

class Alltoall : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Alltoall, BringsEveryBlockToItsMember) {
  const auto run = [](const Case& now) {
    const std::vector<Buffer> buffers(static_cast<std::size_t>(now.size), Buffer::uniform(now.size, now.count));
    check_alltoall(now, buffers, buffers);
  };
  for_all_cases(*GetParam(), {.counts = {0, 1, 8, 333}, .rooted = false, .in_place = false}, run);
}

INSTANTIATE_TEST_SUITE_P(Registered, Alltoall, testing::ValuesIn(all_of(Operation::alltoall)), name_of_algorithm);

class Alltoallv : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Alltoallv, BringsEveryBlockToItsPlace) {
  const auto run = [](const Case& now) {
    // Member i sends what the form says, turned by i; receivers expect just that.
    const std::vector<std::size_t> row = lengths(now.size, now.count);
    const auto length = [&](int from, int to) { return row[static_cast<std::size_t>((from + to) % now.size)]; };
    std::vector<Buffer> send, receive;
    for (int member = 0; member < now.size; ++member) {
      std::vector<std::size_t> outgoing, incoming;
      for (int other = 0; other < now.size; ++other) {
        outgoing.push_back(length(member, other));
        incoming.push_back(length(other, member));
      }
      send.push_back(Buffer::scattered(outgoing));
      receive.push_back(Buffer::scattered(incoming));
    }
    check_alltoall(now, send, receive);
  };
  for_all_cases(*GetParam(), {.counts = every_form, .rooted = false, .in_place = false}, run);
}

INSTANTIATE_TEST_SUITE_P(Registered, Alltoallv, testing::ValuesIn(all_of(Operation::alltoallv)), name_of_algorithm);

/// What two members tell each other of the length of a block differs: the one that gets too much hears of it, the
/// others get what is theirs, and nobody waits for ever.
TEST(DirectAlltoallv, TellsWhoHasTooLittleRoom) {
  for (const std::size_t longer : {2, 60, 400, 6000}) {
    for (const int size : {2, 3, 5}) {
      SCOPED_TRACE(std::to_string(longer) + " bytes, " + std::to_string(size) + " members");
      const auto length = [&](int from, int to) { return from == 1 && to == 0 ? longer : std::size_t{1}; };
      std::vector<int> refused(static_cast<std::size_t>(size));
      Model model(size, 2);  // whose members may read each other's buffers
      model.run([&](Channel& channel) -> Task {
        const int rank = channel.rank();
        std::vector<std::size_t> outgoing;
        for (int to = 0; to < size; ++to) outgoing.push_back(length(rank, to));
        Buffer send = Buffer::scattered(outgoing);
        for (int to = 0; to < size; ++to) send.fill(to, block_of(rank, to, length(rank, to)));
        Buffer receive = Buffer::scattered(std::vector<std::size_t>(static_cast<std::size_t>(size), 1)),
               expected = receive;
        for (int from = 0; from < size; ++from) expected.fill(from, {block_of(from, rank, longer).front()});
        const Arguments arguments{.send = send.blocks(), .receive = receive.blocks()};
        try {
          Task run = find_algorithm(Operation::alltoallv, "single_copy")->run(channel, arguments);
          co_await run;
        } catch (const Error& error) {
          EXPECT_EQ(error.error_class(), ErrorClass::truncate);
          ++refused[static_cast<std::size_t>(rank)];
        }
        EXPECT_EQ(receive.bytes, expected.bytes) << "at member " << rank;
      });
      for (int member = 0; member < size; ++member)
        EXPECT_EQ(refused[static_cast<std::size_t>(member)], member == 0 ? 1 : 0) << "at member " << member;
    }
  }
}

/// How many transfers each member begins, if it is as many as every other.
int transfers_of_each(const Model& model) {
  const auto [fewest, most] = std::ranges::minmax(model.sends());
  EXPECT_EQ(fewest, most);
  return most;
}

TEST(ExchangeTransfers, AreAsManyAsPromised) {
  for (const int size : team_sizes()) {
    const int rounds = std::bit_width(static_cast<unsigned>(size - 1));
    const std::pair<std::string_view, int> gathers[] = {{"bruck", rounds},
                                                        {"recursive_doubling", rounds},
                                                        {"ring", size - 1},
                                                        {"neighbor_exchange", size % 2 == 0 ? size / 2 : size - 1},
                                                        {"linear", size - 1}};
    for (const auto& [name, expected] : gathers) {
      const Algorithm& algorithm = *find_algorithm(Operation::allgather, name);
      if (algorithm.power_of_two && !std::has_single_bit(static_cast<unsigned>(size))) continue;
      SCOPED_TRACE("allgather " + std::string(name) + ", " + std::to_string(size) + " members");
      Buffer buffer = Buffer::uniform(size, 8);
      Model model(size, 1);
      model.run([&](Channel& channel) -> Task {
        Buffer mine = buffer;
        const Arguments arguments{.input = mine.blocks()[channel.rank()], .receive = mine.blocks()};
        Task run = algorithm.run(channel, arguments);
        co_await run;
      });
      EXPECT_EQ(transfers_of_each(model), expected);
    }
    const std::pair<std::string_view, int> exchanges[] = {
        {"pairwise", size - 1}, {"bruck", rounds}, {"linear", size - 1}, {"spread", size - 1}};
    for (const auto& [name, expected] : exchanges) {
      for (const std::size_t bytes : {8, 0}) {
        if (name == "bruck" && bytes == 0) continue;
        const Algorithm& algorithm = *find_algorithm(Operation::alltoall, name);
        SCOPED_TRACE("alltoall " + std::string(name) + ", " + std::to_string(size) + " members");
        Model model(size, 1);
        model.run([&](Channel& channel) -> Task {
          Buffer send = Buffer::uniform(size, bytes), receive = send;
          const Arguments arguments{.send = send.blocks(), .receive = receive.blocks()};
          Task run = algorithm.run(channel, arguments);
          co_await run;
        });
        EXPECT_EQ(transfers_of_each(model), bytes == 0 ? 0 : expected) << "empty blocks are not sent";
      }
    }
  }
}

}  // namespace
}  // namespace bowline::coll
