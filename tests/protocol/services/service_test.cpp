// SPDX-License-Identifier: BSD-3-Clause
// Services: what they tell arrives, in order, whether there is room or not; of lost peers they hear; no two have the
// same kinds of messages.
#include "proto/services/service.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "keeper.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

// ---- what is told

TEST_F(AService, TellsWhatItIsGiven) {
  service->tell(engine.peer(2), located, header(3, 9), {}, data);
  const Message& told = latest(located);
  EXPECT_EQ(told.rank, 2);
  EXPECT_EQ(told.header.context, context);
  EXPECT_EQ(told.header.source, 3);
  EXPECT_EQ(told.header.tag, 9);
  EXPECT_TRUE(told.prefix.empty());
  EXPECT_EQ(told.body, data);
  greet(5, data);
  EXPECT_EQ(latest(greeting).read<Greeting>().number, 5U);
  EXPECT_EQ(device.sent.back().body, data);
}

TEST_F(AService, TellsWhatWasGivenWhenThereWasNoRoom) {
  device.refuse = [](int rank) { return rank == 1; };
  Request& before = isend(1, 1, data);
  for (std::uint64_t number = 0; number < 100; ++number) {
    Bytes body = pattern(number, static_cast<unsigned>(number));
    greet(number, body);
    std::ranges::fill(body, std::byte{0});  // that is its owner's again
  }
  Request& after = isend(1, 2, data);
  EXPECT_TRUE(device.sent.empty());
  EXPECT_TRUE(engine.outstanding());
  device.refuse = nullptr;
  engine.drain();
  ASSERT_EQ(device.sent.size(), 102U);
  for (std::uint64_t number = 0; number < 100; ++number) {
    EXPECT_EQ(device.sent[number].kind(), greeting);
    EXPECT_EQ(device.sent[number].read<Greeting>().number, number);
    EXPECT_EQ(device.sent[number].body, pattern(number, static_cast<unsigned>(number)));
  }
  EXPECT_EQ(device.sent[100].header.tag, 1) << "a send that had to wait is overtaken";
  EXPECT_EQ(device.sent[101].header.tag, 2) << "one that was begun later does not overtake";
  engine.release(before);
  engine.release(after);
}

TEST_F(AService, DoesNotSayWhatHasNoForm) {
  const Bytes too_long(longest_greeting + 1);
  using Say = std::function<void()>;
  for (const Say& say :
       {Say([&] { greet(1, too_long); }), Say([&] { service->tell(engine.peer(1), greeting, {}, {}); }),
        Say([&] { service->tell(engine.peer(1), note, {}, {}, Bytes(1)); }),
        Say([&] { service->tell(engine.peer(1), unknown, {}, {}); }),
        Say([&] { service->tell(engine.peer(1), Kind::finished, {}, Bytes(8)); }),
        Say([&] { service->tell(engine.peer(1), part, {}, Bytes(16), Bytes(longest_told)); })}) {
    engine.peer(1).broken.reset();
    device.sent.clear();
    say();
    EXPECT_EQ(latest(Kind::broken_off).rank, 1);
    EXPECT_EQ(device.sent.size(), 1U);
    ASSERT_NE(engine.peer(1).broken, nullptr);
    EXPECT_NE(std::string(engine.peer(1).broken->what()).find("which it cannot have"), std::string::npos);
  }
}

TEST_F(AService, TellsTheLongestOverTheShortestRing) {
  const test::Setting ring_size("shm_ring_size", "8K");
  shm::Inbox inbox(2, 1), other(2, 1);
  shm::ShmDevice mine(inbox, 0, 0, {0, 1}), theirs(other, 0, 1, {0, 1});
  OwnerLock lock_of_theirs;
  Engine receiver(
      2, [&](int) { return theirs.connect(0, mine.address()); }, WaitPolicy{}, lock_of_theirs);
  Engine sender(
      2, [&](int) { return mine.connect(1, theirs.address()); }, WaitPolicy{}, lock);
  receiver.add_device(theirs);
  sender.add_device(mine);
  auto added = std::make_unique<Keeper>(receiver);
  Keeper& hears = *added;
  receiver.services().add(std::move(added));
  added = std::make_unique<Keeper>(sender);
  Keeper& tells = *added;
  sender.services().add(std::move(added));
  constexpr unsigned count = 100;
  for (unsigned i = 0; i < count; ++i)
    tells.tell(sender.peer(1), located, header(0, static_cast<int>(i)), {}, pattern(longest_told, i));
  EXPECT_TRUE(sender.outbox().waits_for_room()) << "the ring was to be full";
  Request& last = sender.isend(1, header(0, 7), buffer(data));
  for (int rounds = 0; !last.done && rounds < 100'000; ++rounds) {
    receiver.progress();
    sender.progress();
  }
  ASSERT_TRUE(last.done);
  sender.release(last);
  receiver.receive({context, 0, 7}, buffer(target));
  EXPECT_EQ(target, data);
  ASSERT_EQ(hears.kept.size(), count) << "told before";
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(hears.kept[i].header.tag, static_cast<int>(i));
    EXPECT_EQ(hears.kept[i].body, pattern(longest_told, i));
  }
}

// ---- who is lost

TEST_F(AService, KeepsTheProgressThreadUp) {
  EXPECT_FALSE(engine.outstanding());
  service->waits_for = 1;
  EXPECT_TRUE(engine.outstanding());
}

TEST_F(AService, HearsThatWhoItWaitsForIsLost) {
  engine.peer(1);
  engine.peer(2);
  device.only_lost = 1;
  check_liveness();
  EXPECT_TRUE(service->notices.empty()) << "nobody waits for that rank";
  service->waits_for = 1;
  check_liveness();
  ASSERT_FALSE(service->notices.empty());
  EXPECT_EQ(service->notices[0].first, 1);
  EXPECT_EQ(service->notices[0].second->error_class(), ErrorClass::proc_failed);
  EXPECT_NE(service->failure_of_origin, nullptr);
  EXPECT_EQ(service->failure, nullptr);
}

TEST_F(AService, HearsThatWhatItWaitsForWillNotCome) {
  engine.peer(1);
  service->wanted = {context, 1, 7};
  device.only_lost = 1;
  check_liveness();
  ASSERT_NE(service->failure, nullptr);
  EXPECT_EQ(service->failure->error_class(), ErrorClass::proc_failed);
}

// ---- what is registered

class Refused final : public Service {
 public:
  Refused(Engine& engine, std::span<const MessageKind> kinds) noexcept : Service(engine, kinds) {}
};

TEST_F(AService, HasKindsThatNobodyElseHas) {
  const auto refusal = [&](const MessageKind& kind) -> std::string {
    try {
      engine.services().add(std::make_unique<Refused>(engine, std::span(&kind, 1)));
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::intern);
      return error.what();
    }
    return "it was not";
  };
  const auto handler = [](Service&, const Arrival&) {};
  EXPECT_NE(refusal({greeting, {"x", 0, 0, false}, handler}).find("is taken"), std::string::npos);
  EXPECT_NE(refusal({Kind::failure, {"x", 0, 0, false}, handler}).find("is taken"), std::string::npos);
  EXPECT_NE(refusal({unknown, {"x", 33, 0, false}, handler}).find("its prefix"), std::string::npos);
  EXPECT_NE(refusal({unknown, {"x", 8, longest_told - 7, false}, handler}).find("its body"), std::string::npos);
  expect_refused(unknown, {}, {}, "its kind is 204");
  EXPECT_EQ(refusal({unknown, {"x", 8, longest_told - 8, false}, handler}), "it was not");
  EXPECT_EQ(refusal({Kind{255}, {"x", 0, any_length, false}, handler}), "it was not");
  EXPECT_EQ(&engine.services().of(greeting), service);
  EXPECT_THROW(engine.services().of(Kind{254}), Error);
}

}  // namespace
}  // namespace bowline::proto
