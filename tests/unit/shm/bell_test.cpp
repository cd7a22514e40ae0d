// SPDX-License-Identifier: BSD-3-Clause
// shm/endpoint: ringing a peer that sleeps where it hears from networks too.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "shm_node.hpp"
#include "transport/descriptor_sleeper.hpp"

namespace bowline::shm {
namespace {

using transport::Post;

volatile std::sig_atomic_t broken_pipes = 0;

class Bell : public ShmNode {
 protected:
  Bell() {
    of_second.ring_at(sleeper->bell());
    sleeper->announce_to(of_second, 60'000);
    previous_ = std::signal(SIGPIPE, [](int) { broken_pipes = broken_pipes + 1; });
  }
  ~Bell() override { std::signal(SIGPIPE, previous_); }

  std::optional<transport::DescriptorSleeper> sleeper{std::in_place};

 private:
  void (*previous_)(int);
};

TEST_F(Bell, AMessageWakesTheSleeper) {
  const auto endpoint = first.connect(7, second.address());
  const auto start = std::chrono::steady_clock::now();
  sleeper->announce();
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  sleeper->sleep(60'000);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// It fell asleep, woke for another reason and ended, while the sender was about to ring.
TEST_F(Bell, APeerThatHasEndedBreaksNoPipe) {
  const auto endpoint = first.connect(7, second.address());
  sleeper->announce();
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);  // has opened the pipe
  sleeper->announce();
  sleeper.reset();
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::done);
  EXPECT_EQ(broken_pipes, 0);
}

TEST_F(Bell, APeerThatHasEndedBeforeItWasEverRungIsLeftAlone) {
  const auto endpoint = first.connect(7, second.address());
  sleeper->announce();
  sleeper.reset();
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::done);
  EXPECT_EQ(broken_pipes, 0);
}

}  // namespace
}  // namespace bowline::shm
