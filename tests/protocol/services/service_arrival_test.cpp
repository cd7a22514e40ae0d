// SPDX-License-Identifier: BSD-3-Clause
// What arrives for a service: its handlers get it as it was told and in order, and nothing that has another form.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "base/error.hpp"
#include "keeper.hpp"

namespace bowline::proto {
namespace {

TEST_F(AService, HearsWhatWasTold) {
  be_greeted(1, 5, data);
  device.deliver(2, located, Bytes(), header(3, 9), pattern(longest_told));
  device.arriving.back().prefix.clear();
  transport::Header bare;
  bare.kind = static_cast<std::uint8_t>(note);
  device.deliver(3, bare);
  engine.progress();
  ASSERT_EQ(service->kept.size(), 3U);
  const auto& [greeted, placed, noted] = std::tie(service->kept[0], service->kept[1], service->kept[2]);
  EXPECT_EQ(greeted.origin, 1);
  EXPECT_EQ(greeted.kind, "greeting");
  EXPECT_EQ(greeted.number(), 5U);
  EXPECT_EQ(greeted.body, data);
  EXPECT_EQ(placed.origin, 2);
  EXPECT_EQ(placed.kind, "located");
  EXPECT_EQ(placed.header.context, context);
  EXPECT_EQ(placed.header.source, 3);
  EXPECT_EQ(placed.header.tag, 9);
  EXPECT_EQ(placed.body, pattern(longest_told));
  EXPECT_EQ(noted.origin, 3);
  EXPECT_EQ(noted.kind, "note");
  EXPECT_TRUE(noted.body.empty());
}

TEST_F(AService, HearsInTheOrderOfAllMessagesOfAPeer) {
  Bytes first(10), second(10);
  Request& early = ireceive(1, 7, first);
  Request& late = ireceive(1, 7, second);
  service->then = [&](const Arrival&) {
    EXPECT_TRUE(early.done);
    EXPECT_FALSE(late.done);
  };
  device.deliver(1, header(1, 7), pattern(10));
  be_greeted(1, 1);
  be_greeted(1, 2);
  device.deliver(1, header(1, 7), pattern(10));
  engine.wait(late);
  ASSERT_EQ(service->kept.size(), 2U);
  EXPECT_EQ(service->kept[0].number(), 1U);
  EXPECT_EQ(service->kept[1].number(), 2U);
  engine.release(early);
  engine.release(late);
}

TEST_F(AService, AnswersWhileItHears) {
  service->then = [&](const Arrival& message) { greet(message.read<Greeting>().number + 1); };
  be_greeted(1, 5);
  engine.progress();
  EXPECT_EQ(latest(greeting).read<Greeting>().number, 6U);
}

TEST_F(AService, HearsAgainWhatItCouldNotAnswerYet) {
  device.not_yet = true;
  service->then = [&](const Arrival& message) {
    service->kept.pop_back();
    engine.peer(message.origin);
    service->kept.push_back({});
  };
  be_greeted(1, 5);
  for (int i = 0; i < 3; ++i) engine.progress();
  EXPECT_TRUE(service->kept.empty());
  device.not_yet = false;
  engine.progress();
  EXPECT_EQ(service->kept.size(), 1U);
}

TEST_F(AService, DoesNotHearWhatHasAnotherForm) {
  expect_refused(unknown, {}, {}, "its kind is 204");
  expect_refused(Kind{199}, {}, {}, "its kind is 199");
  expect_refused(greeting, {}, {}, "greeting: 0 bytes stand before its body, not 8");
  expect_refused(greeting, Bytes(16), {}, "greeting: 16 bytes stand before its body, not 8");
  expect_refused(greeting, Bytes(8), Bytes(longest_greeting + 1), "greeting: it has a body of 101 bytes, 100 at most");
  expect_refused(located, {}, Bytes(longest_told + 1), "located: it has a body of 1025 bytes, 1024 at most");
  expect_refused(note, {}, Bytes(1), "note: it has a body of 1 bytes, 0 at most");
  expect_refused(located, {}, {}, "located: its source is 4", header(4, 7));
  expect_refused(located, {}, {}, "located: its source is 1 (0 to 3 are allowed), its tag is -1", header(1, -1));
}

TEST_F(AService, IsRidOfAPeerThatSaysWhatItCannotDealWith) {
  service->then = [](const Arrival& message) { throw message.wrong("nobody is greeted so"); };
  engine.peer(1);
  Request& request = ireceive(1, 7, target);
  be_greeted(1, 5);
  be_greeted(1, 6);
  engine.progress();
  expect_failed(request, ErrorClass::intern, "greeting: nobody is greeted so");
  engine.release(request);
  EXPECT_EQ(sent(Kind::broken_off), 1);
  EXPECT_EQ(service->kept.size(), 1U) << "it is not heard any more";
  service->then = nullptr;
  be_greeted(2, 7);
  engine.progress();
  EXPECT_EQ(service->kept.size(), 2U);
  expect_others_served();
}

}  // namespace
}  // namespace bowline::proto
