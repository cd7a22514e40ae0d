// SPDX-License-Identifier: BSD-3-Clause
// Data with holes between two engines over UCX on loopback: what arrives, which way it went, and in how many system
// calls.
#include "support/blocks.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter.hpp"
#include "base/lock.hpp"
#include "base/wait.hpp"
#include "proto/engine.hpp"
#include "support/seed.hpp"
#include "support/setting.hpp"
#include "support/ucx_on_loopback.hpp"
#include "transport/faulty.hpp"
#include "ucx/ucx_context.hpp"
#include "ucx/ucx_device.hpp"

namespace {

std::vector<std::size_t> runs_sent;  // of memory, call by call of sendmsg

}  // namespace

// In place of the C library's, for UCX, which sends with it what it does not copy.
extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  runs_sent.push_back(message->msg_iovlen);
  return syscall(SYS_sendmsg, socket, message, flags);
}

namespace bowline {
namespace {

using proto::Buffer;
using proto::Mode;
using proto::Request;
using test::Blocks;
using test::Setting;
using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{50};
constexpr std::uint32_t context = proto::make_context(1, 0, proto::Purpose::point_to_point);
constexpr int tag = 5;
constexpr std::size_t longest_list = 15;
constexpr std::size_t longest_packed = 8 << 10;
constexpr std::size_t longest_unasked = 64 << 10;
constexpr std::size_t longest_piece = 128 << 10;
constexpr std::size_t packed_piece = 16 << 10;

std::uint64_t counted(std::string_view name) {
  return (*std::ranges::find(Measure::all(), name, &Measure::name))->value();
}

/// How many messages and pieces with holes went which way.
struct Ways {
  std::uint64_t lists = counted("listed_messages");
  std::uint64_t listed_pieces = counted("listed_pieces");
  std::uint64_t packed_pieces = counted("packed_pieces");

  Ways since(const Ways& before) const {
    Ways ways;
    ways.lists = lists - before.lists;
    ways.listed_pieces = listed_pieces - before.listed_pieces;
    ways.packed_pieces = packed_pieces - before.packed_pieces;
    return ways;
  }
};

/// Two processes in one. `faults`: a seed for those that their transports make; 0: none.
class Pair {
 public:
  explicit Pair(std::uint32_t faults = 0) : sender_(*this, 0, faults), receiver_(*this, 1, faults) {}

  Request& isend(const Buffer& buffer, Mode mode = Mode::standard) {
    return sender_.engine.isend(1, {.context = context, .source = 0, .tag = tag}, buffer, mode);
  }
  Request& ireceive(const Buffer& buffer) { return receiver_.engine.ireceive({context, 0, tag}, buffer); }
  /// Moves both until both are done, then gives them back. Returns how the receive ended.
  ErrorClass finish(Request& send, Request& receive) {
    const auto deadline = Clock::now() + patience;
    while (!send.done || !receive.done) {
      sender_.engine.progress();
      receiver_.engine.progress();
      if (Clock::now() > deadline) throw std::runtime_error("nothing comes any more");
    }
    EXPECT_EQ(send.status.error, ErrorClass::success);
    const ErrorClass end = receive.status.error;
    sender_.engine.release(send);
    receiver_.engine.release(receive);
    return end;
  }
  void transfer(const Buffer& from, const Buffer& to) {
    Request& receive = ireceive(to);
    EXPECT_EQ(finish(isend(from), receive), ErrorClass::success);
  }

 private:
  struct Process {
    Process(Pair& pair, int rank, std::uint32_t faults)
        : ucx(pair.context_, rank, 2, "here"),
          faulty(ucx, faults + static_cast<std::uint32_t>(rank)),
          device(faults == 0 ? static_cast<transport::Device&>(ucx) : faulty),
          engine(
              2,
              [this, &pair](int to) {
                return device.connect(to, (to == 0 ? pair.sender_ : pair.receiver_).ucx.address());
              },
              WaitPolicy{}, lock) {
      engine.add_device(device);
    }
    ucx::UcxDevice ucx;
    transport::FaultyDevice faulty;
    transport::Device& device;
    OwnerLock lock;
    proto::Engine engine;
  };

  ucx::Context context_{2, transport::Reach::everywhere};
  Process sender_;
  Process receiver_;
};

Buffer buffer_of(Blocks& blocks) {
  return {blocks.memory.data(), 1, &blocks.type()};
}
Buffer buffer_of(Bytes& bytes) {
  return {bytes.data(), bytes.size(), &dtype::byte_type()};
}

/// Sends the blocks into memory without holes, into blocks of another form, and from there into such blocks; every byte
/// of what is received is as it should be, and those in the holes are untouched. Returns how the first one went.
Ways there_and_back(Pair& pair, Blocks& from, Blocks to) {
  from.fill(1);
  const Bytes data = from.gathered();
  Bytes together(data.size() + 1, Blocks::hole);
  const Ways before;
  pair.transfer(buffer_of(from), {together.data(), data.size(), &dtype::byte_type()});
  const Ways ways = Ways{}.since(before);
  EXPECT_EQ(together.back(), Blocks::hole);
  together.pop_back();
  EXPECT_EQ(together, data);
  pair.transfer(buffer_of(from), buffer_of(to));
  EXPECT_EQ(to.memory, to.with(data));
  to.memory.assign(to.memory.size(), Blocks::hole);
  pair.transfer(buffer_of(together), buffer_of(to));
  EXPECT_EQ(to.memory, to.with(data));
  return ways;
}

// ---- every switch

struct Form {
  std::size_t blocks;
  std::size_t length;  ///< of each, in bytes
};

void PrintTo(const Form& form, std::ostream* out) {
  *out << form.blocks << " blocks of " << form.length;
}

class Switches : public testing::TestWithParam<Form> {};

TEST_P(Switches, AMessageGoesTheWayThatTheRuleSays) {
  const auto [count, length] = GetParam();
  Pair pair;
  Blocks from(count, length);
  const std::size_t bytes = count * length;
  const Ways ways = there_and_back(pair, from, Blocks(count * 2, length / 2 + 1));
  const bool is_list = count <= longest_list && bytes > longest_packed && bytes <= longest_unasked;
  EXPECT_EQ(ways.lists, is_list ? 1U : 0U);
  if (bytes <= longest_unasked) {
    EXPECT_EQ(ways.listed_pieces + ways.packed_pieces, 0U);
  } else if (length * longest_list >= longest_piece && length <= longest_piece) {
    const std::size_t pieces = (bytes + longest_piece - 1) / longest_piece;
    const bool short_rest = bytes % longest_piece > 0 && bytes % longest_piece <= longest_packed;
    EXPECT_EQ(ways.listed_pieces, short_rest ? pieces - 1 : pieces);
    EXPECT_EQ(ways.packed_pieces, short_rest ? 1U : 0U);
  } else if (length * (longest_list + 1) < packed_piece) {
    EXPECT_GE(ways.packed_pieces, bytes / packed_piece);
    EXPECT_LE(ways.listed_pieces, 1U) << "no more than the rest of the message";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Switches,
                         testing::Values(Form{2, 1}, Form{15, 64}, Form{2, 4'096}, Form{2, 4'097}, Form{15, 546},
                                         Form{15, 547}, Form{16, 547}, Form{15, 1'092}, Form{16, 1'024},
                                         Form{15, 1'093}, Form{15, 4'369}, Form{16, 4'096}, Form{2, 32'768},
                                         Form{2, 32'769}, Form{15, 4'370}, Form{16, 4'097}, Form{64, 1'024},
                                         Form{65, 1'024}, Form{200, 1'000}, Form{200, 1'100}, Form{64, 16'384},
                                         Form{17, 16'384}, Form{2, 65'536}, Form{2, 65'537}, Form{2, 70'000},
                                         Form{4, 262'144}, Form{16, 262'145}, Form{4'000, 64}));

// ---- system calls

TEST(NetworkBlocks, TheLongestListIsOneSystemCall) {
  Pair pair;
  Blocks from(longest_list, 4'000);
  Bytes to(from.bytes());
  pair.transfer(buffer_of(from), buffer_of(to));  // connects
  runs_sent.clear();
  pair.transfer(buffer_of(from), buffer_of(to));
  // A send that finds the socket full goes on with the rest: more calls, but no second message with headers.
  ASSERT_FALSE(runs_sent.empty());
  EXPECT_GT(runs_sent.front(), longest_list);
  EXPECT_LE(runs_sent.front(), longest_list + 3) << "the headers of UCX's transport, of its messages, and ours";
}

TEST(NetworkBlocks, AUserMayGiveUCXShorterLists) {
  ASSERT_EQ(setenv("UCX_TCP_MAX_IOV", "3", 1), 0);
  runs_sent.clear();
  {
    Pair pair;
    Blocks from(longest_list, 4'000);
    const Ways ways = there_and_back(pair, from, Blocks(7, 8'600));
    EXPECT_EQ(ways.lists, 1U);
    EXPECT_STREQ(std::getenv("UCX_TCP_MAX_IOV"), "3");
    EXPECT_LE(std::ranges::max(runs_sent), 3U + 2U) << "and the headers of UCX's transport and of its messages";
  }
  ASSERT_EQ(unsetenv("UCX_TCP_MAX_IOV"), 0);
}

// ---- at random

/// Messages of any form and length, several under way, some into buffers that are too short, some synchronous.
void exchange_at_random(Pair& pair, std::mt19937& random) {
  constexpr std::size_t longest_block[] = {100, 1'500, 9'000, 40'000, 200'000};
  constexpr std::size_t longest_message[] = {10'000, 70'000, 500'000};
  struct Exchange {
    Blocks from;
    Blocks to;
    Request* receive;
    Request* send;
  };
  const auto blocks = [&](std::size_t bytes) { return Blocks(random, bytes, longest_block[random() % 5]); };
  for (int round = 0; round < 12; ++round) {
    std::vector<std::unique_ptr<Exchange>> all;
    for (int i = 0; i < 6; ++i) {
      const std::size_t bytes = 1 + random() % longest_message[random() % 3];
      const std::size_t room = random() % 5 == 0 ? 1 + random() % bytes : bytes + random() % 2;
      all.push_back(std::make_unique<Exchange>(Exchange{blocks(bytes), blocks(room), nullptr, nullptr}));
    }
    for (unsigned seed = 0; const auto& each : all) {
      each->from.fill(++seed);
      each->receive = &pair.ireceive(buffer_of(each->to));
    }
    for (const auto& each : all)
      each->send = &pair.isend(buffer_of(each->from), random() % 4 == 0 ? Mode::synchronous : Mode::standard);
    for (const auto& each : all) {
      Bytes data = each->from.gathered();
      const bool too_long = data.size() > each->to.bytes();
      if (too_long) data.resize(each->to.bytes());
      const Bytes expected = each->to.with(data);
      EXPECT_EQ(pair.finish(*each->send, *each->receive), too_long ? ErrorClass::truncate : ErrorClass::success);
      EXPECT_TRUE(each->to.memory == expected)
          << each->from.bytes() << " bytes of " << each->from.list().size() << " blocks into " << each->to.bytes();
    }
  }
}

class AtRandom : public testing::TestWithParam<bool> {};

TEST_P(AtRandom, EveryMessageArrivesWhole) {
  const Ways before;
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Pair pair(GetParam() ? seed : 0);
    exchange_at_random(pair, random);
  }
  const Ways ways = Ways{}.since(before);
  EXPECT_GT(ways.lists, 0U);
  EXPECT_GT(ways.listed_pieces, 0U);
  EXPECT_GT(ways.packed_pieces, 0U);
}

TEST_P(AtRandom, WhereTheReceiverReadsContiguousDataToo) {
  const Setting reads{"ucx_remote_memory", "get"};
  const std::uint32_t seed = test::seeds().front();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Pair pair(GetParam() ? seed : 0);
  exchange_at_random(pair, random);
}

INSTANTIATE_TEST_SUITE_P(Faults, AtRandom, testing::Bool(),
                         [](const auto& each) { return each.param ? "Injected" : "None"; });

}  // namespace
}  // namespace bowline
