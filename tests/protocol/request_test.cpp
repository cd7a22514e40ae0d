// SPDX-License-Identifier: BSD-3-Clause
// The life of requests: given back early or late, waited for by coroutines, and marked dead when they end.
#include <gtest/gtest.h>

#include <coroutine>

#include "base/task.hpp"
#include "recording.hpp"
#include "support/allocations.hpp"

namespace bowline::proto {
namespace {

class Requests : public ProtocolTest {};

/// Waits for the end of a request, as a collective's transfer does.
struct EndOf {
  Request& request;
  bool await_ready() const noexcept { return request.done; }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { request.waiter = handle; }
  void await_resume() const noexcept {}
};

Task wait_for(Request& request, int& stage) {
  stage = 1;
  EndOf end{request};
  co_await end;
  stage = 2;
}

TEST_F(Requests, AReceiveGivenBackEarlyEndsAndIsRecycled) {
  Bytes data(10);
  Request& early = ireceive(1, 1, data);
  engine.release(early);
  device.deliver(1, header(1, 1), pattern(10));
  engine.progress();
  EXPECT_EQ(data, pattern(10)) << "a freed request still receives";
  const std::size_t before = test::allocations();
  Request& next = ireceive(1, 2, data);
  EXPECT_EQ(&next, &early);
  EXPECT_EQ(test::allocations(), before);
  device.deliver(1, header(1, 2));
  engine.wait(next);
  engine.release(next);
}

TEST_F(Requests, ASendGivenBackEarlyEndsAndIsRecycled) {
  Bytes data = pattern(100'000);
  Request& early = isend(1, 1, data);
  engine.release(early);
  device.deliver(1, Kind::finished, SendId{device.sent.at(0).read<ReadyToSend>().send_id});
  engine.progress();
  Request& next = isend(1, 2, data);
  EXPECT_EQ(&next, &early);
  device.deliver(1, Kind::finished, SendId{device.sent.at(1).read<ReadyToSend>().send_id});
  engine.wait(next);
  engine.release(next);
}

TEST_F(Requests, AMarkTellsAnEndedRequestFromALivingOne) {
  Bytes data(10);
  Request& request = ireceive(1, 1, data);
  // The engine's pool keeps the memory, so a stale handle may be looked at: that is what the mark is for.
  const volatile std::uint32_t& mark = request.mark;
  EXPECT_EQ(mark, Request::alive);
  device.deliver(1, header(1, 1));
  engine.wait(request);
  EXPECT_EQ(mark, Request::alive) << "the user has not seen it end yet";
  engine.release(request);
  EXPECT_NE(mark, Request::alive);
}

TEST_F(Requests, AnEndedSendIsMarkedToo) {
  Bytes data = pattern(100'000);
  Request& request = isend(1, 1, data);
  const volatile std::uint32_t& mark = request.mark;
  EXPECT_EQ(mark, Request::alive);
  device.deliver(1, Kind::finished, SendId{device.sent.at(0).read<ReadyToSend>().send_id});
  engine.wait(request);
  engine.release(request);
  EXPECT_NE(mark, Request::alive);
}

TEST_F(Requests, ACoroutineGoesOnAfterTheEnd) {
  Bytes data(10);
  Request& request = ireceive(1, 1, data);
  int stage = 0;
  Task task = wait_for(request, stage);
  task.start();
  EXPECT_EQ(stage, 1);
  engine.progress();
  EXPECT_EQ(stage, 1);
  device.deliver(1, header(1, 1));
  EXPECT_GE(engine.progress(), 1U);
  EXPECT_EQ(stage, 2);
  EXPECT_TRUE(task.done());
  engine.release(request);
}

TEST_F(Requests, ManyCoroutinesGoOnEachOnce) {
  constexpr int count = 20;
  Bytes data(10);
  std::vector<Request*> requests;
  std::vector<int> stages(count, 0);
  std::vector<Task> tasks;
  for (int i = 0; i < count; ++i) {
    requests.push_back(&ireceive(1, i, data));
    tasks.push_back(wait_for(*requests.back(), stages[static_cast<std::size_t>(i)]));
    tasks.back().start();
  }
  for (int i = count - 1; i >= 0; --i) device.deliver(1, header(1, i));
  engine.progress();
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(stages[static_cast<std::size_t>(i)], 2);
    EXPECT_TRUE(tasks[static_cast<std::size_t>(i)].done());
    engine.release(*requests[static_cast<std::size_t>(i)]);
  }
}

TEST_F(Requests, AResumedCoroutineMayBeginOperations) {
  // Resumed from progress: it posts a receive for a message that is already here, and its waiter goes on a round later.
  Bytes first(10), second(10);
  int stage = 0;
  const auto chain = [&]() -> Task {
    Request& one = ireceive(1, 1, first);
    EndOf one_end{one};
    co_await one_end;
    engine.release(one);
    Request& two = ireceive(1, 2, second);
    EndOf two_end{two};
    co_await two_end;
    engine.release(two);
    stage = 1;
  };
  Task task = chain();
  task.start();
  device.deliver(1, header(1, 2), pattern(10, 2));
  device.deliver(1, header(1, 1), pattern(10, 1));
  for (int i = 0; i < 3 && !task.done(); ++i) engine.progress();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(stage, 1);
  EXPECT_EQ(first, pattern(10, 1));
  EXPECT_EQ(second, pattern(10, 2));
}

}  // namespace
}  // namespace bowline::proto
