// SPDX-License-Identifier: BSD-3-Clause
// Progress that finds no memory, wherever it asks for some: one allocation fails, or all from that one on. A message
// waits in the transport until there is memory. Whatever else waits for rank 1, whose message needed it, ends, well or
// with an error; rank 2 does not notice.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <string>
#include <vector>

#include "broken_off.hpp"
#include "proto/exchange.hpp"
#include "proto/services/partitioned.hpp"
#include "support/allocations.hpp"

namespace bowline::proto {
namespace {

using Which = test::FailingAllocations::Which;

/// One engine, which has talked to ranks 1 and 2.
class World final : public BrokenOff {
 public:
  World() {
    device.recording = false;  // that needs no memory
    device.readable = false;   // the pipeline brings long messages
    engine.send(1, header(0, 0), buffer(data));
    engine.send(2, header(0, 0), buffer(data));
  }
  void TestBody() override {}

  /// Rank 1 has no room while there is no memory: what is to be sent to it has to wait.
  void fill_rank_1() {
    device.refuse = [](int rank) { return rank == 1; };
  }
  void expect_ended(Request& request, bool well) {
    EXPECT_TRUE(request.done);
    if (well) {
      EXPECT_EQ(request.failure, nullptr) << request.failure->what();
    }
    engine.release(request);
  }
  void expect_rank_2_served() {
    device.refuse = nullptr;
    device.recording = true;
    expect_others_served();
  }

  using BrokenOff::check_liveness;
  using BrokenOff::data;
  using BrokenOff::device;
  using BrokenOff::engine;
  using BrokenOff::large;
  using BrokenOff::target;
  using ProtocolTest::buffer;
  using ProtocolTest::context;
  using ProtocolTest::header;
  using ProtocolTest::ireceive;
  using ProtocolTest::isend;
  using ProtocolTest::latest;
  using ProtocolTest::offer;
  using Requests = std::vector<Request*>;
  Bytes whole = Bytes(100'000);
};

enum class End { well, when_there_is_memory, with_the_connection };

/// `prepare` begins operations and delivers messages. What it returns has to end: `well` if memory was there, well as
/// soon as there is memory, or when the connection is broken off later.
void expect_survived(const std::function<World::Requests(World&)>& prepare, End end = End::well) {
  for (const Which which : {Which::one, Which::all}) {
    bool failed = true;
    for (std::size_t after = 0; failed; ++after) {
      SCOPED_TRACE((which == Which::one ? "allocation " : "allocations from ") + std::to_string(after));
      ASSERT_LT(after, 200U);
      World world;
      const World::Requests requests = prepare(world);
      {
        const test::FailingAllocations failing(after, which);
        world.engine.progress();
        failed = test::FailingAllocations::failed();
      }
      world.device.refuse = nullptr;
      const bool delivered_again = end == End::when_there_is_memory;
      if (failed && !delivered_again) world.device.arriving.clear();
      world.engine.progress();
      EXPECT_TRUE(world.device.arriving.empty());
      if (end == End::with_the_connection)
        world.engine.liveness().break_off(1, Error(ErrorClass::other, "the test ends"));
      if (failed && !delivered_again) world.check_liveness();
      for (Request* const request : requests)
        world.expect_ended(*request, delivered_again || (!failed && end == End::well));
      world.expect_rank_2_served();
    }
  }
}

TEST(NoMemory, ForAMessageThatNobodyHasAskedFor) {
  expect_survived(
      [](World& world) -> World::Requests {
        world.device.deliver(1, World::header(1, 7), world.data);
        return {};
      },
      End::when_there_is_memory);
}

TEST(NoMemory, ForAMessageThatIsNotTheOneThatIsWaitedFor) {
  expect_survived(
      [](World& world) -> World::Requests {
        Request& request = world.ireceive(1, 8, world.target);
        world.device.deliver(1, World::header(1, 7), world.data);
        world.device.deliver(1, World::header(1, 8), world.data);
        return {&request};
      },
      End::when_there_is_memory);
}

TEST(NoMemory, ForAnAnnouncementThatNobodyHasAskedFor) {
  expect_survived(
      [](World& world) -> World::Requests {
        world.offer(1, 7, world.large, 9, pattern(40));
        return {};
      },
      End::when_there_is_memory);
}

TEST(NoMemory, ForTheSentenceAboutAMessageThatIsTooLong) {
  expect_survived(
      [](World& world) -> World::Requests {
        Bytes longer = pattern(200);
        Request& request = world.ireceive(1, 7, world.target);
        world.device.deliver(1, World::header(1, 7), longer);
        return {&request};
      },
      End::with_the_connection);
}

TEST(NoMemory, ForAnAnswerThatFindsNoRoom) {
  expect_survived([](World& world) -> World::Requests {
    Request& request = world.ireceive(1, 7, world.target);
    world.device.deliver(1, Kind::eager_synchronous, SendId{55}, World::header(1, 7), world.data);
    world.fill_rank_1();
    return {&request};
  });
}

TEST(NoMemory, ForTheRequestOfALongMessage) {
  expect_survived(
      [](World& world) -> World::Requests {
        Request& request = world.ireceive(1, 7, world.whole);
        world.offer(1, 7, world.large, 9);
        world.fill_rank_1();
        return {&request};
      },
      End::with_the_connection);
}

TEST(NoMemory, ForAHold) {
  expect_survived([](World& world) -> World::Requests {
    world.device.deliver(1, {.context = World::context, .kind = static_cast<std::uint8_t>(Kind::pause)});
    return {};
  });
}

TEST(NoMemory, ForAnOfferOfPartitions) {
  expect_survived(
      [](World& world) -> World::Requests {
        world.device.deliver(1, PartitionedKind::offer, PartitionedOffer{.send_id = 5, .bytes = 100},
                             World::header(1, 7, with_purpose(World::context, Purpose::partitioned)));
        return {};
      },
      End::when_there_is_memory);
}

TEST(NoMemory, ForPartitionsThatMayLeave) {
  expect_survived([](World& world) -> World::Requests {
    const std::uint32_t parts = with_purpose(World::context, Purpose::partitioned);
    world.device.recording = true;
    PartitionedSend& send = PartitionedSend::make(world.engine, 1, World::header(0, 7, parts),
                                                  {2, {world.data.data(), 50, &dtype::byte_type()}});
    const auto id = world.latest(PartitionedKind::offer).read<PartitionedOffer>().send_id;
    world.device.recording = false;
    world.engine.start(send);
    send.ready(0);
    send.ready(1);
    world.device.deliver(1, PartitionedKind::ready, PartitionedReady{.send_id = id, .receive_id = 77},
                         World::header(0, 7, parts));
    world.fill_rank_1();
    return {&send};
  });
}

// ---- a call that fails leaves nothing behind

TEST(NoMemory, ForAnExchange) {
  bool failed = true;
  for (std::size_t after = 0; failed; ++after) {
    SCOPED_TRACE(after);
    ASSERT_LT(after, 50U);
    World world;
    Bytes out = pattern(1000);
    const Outgoing outgoing{1, World::header(0, 7), World::buffer(out)};
    const Incoming incoming{{World::context, 1, 8}, World::buffer(world.target)};
    Request* exchange = nullptr;
    {
      const test::FailingAllocations failing(after, Which::one);
      try {
        exchange = &iexchange(world.engine, outgoing, incoming);
      } catch (const std::bad_alloc&) {
        EXPECT_TRUE(test::FailingAllocations::failed());
      }
      failed = test::FailingAllocations::failed();
    }
    if (exchange == nullptr) {
      EXPECT_TRUE(world.engine.matching().queue(World::context).posted.all().empty());
    } else {
      world.device.deliver(1, World::header(1, 8), world.data);
      world.engine.wait(*exchange);
      EXPECT_EQ(exchange->failure, nullptr);
      world.engine.release(*exchange);
    }
    world.engine.drain();
    world.expect_rank_2_served();
  }
}

}  // namespace
}  // namespace bowline::proto
