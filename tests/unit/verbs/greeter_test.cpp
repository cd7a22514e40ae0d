// SPDX-License-Identifier: BSD-3-Clause
// verbs: how conversations with processes that greet end.
#include "verbs/connection/greeter.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

constexpr std::uint64_t cookie = 4711;

class ListeningHost final : public GreetingHost {
 public:
  std::vector<std::byte> hello_to(int) override { return Bytes(sizeof(Hello)); }
  Answer greeted_by(const Hello&, std::span<const std::byte>) override { return Answer::hello; }
  bool answered_by(int, const Hello&) override { return true; }
  void ready_is(int peer, std::uint32_t epoch) override { ready.emplace_back(peer, epoch); }
  void hung_up(int peer, std::uint32_t epoch) noexcept override { silent.emplace_back(peer, epoch); }
  void unreachable(int, const std::string&) noexcept override {}
  std::chrono::seconds patience() const noexcept override { return {}; }
  void greeted_by_version(int, std::uint32_t) noexcept override {}

  using Heard = std::vector<std::pair<int, std::uint32_t>>;  ///< peer and epoch
  Heard ready, silent;
};

class VerbsGreeter : public testing::Test {
 protected:
  /// Says a greeting, and these words behind it, and ends the conversation before the greeter has heard anything.
  void greet_and_leave(std::string_view words) {
    Hello hello;
    hello.front.cookie = cookie;
    hello.sender = 2;
    hello.epoch = 6;
    std::string all(sizeof hello, '\0');
    std::memcpy(all.data(), static_cast<const void*>(&hello), sizeof hello);
    all += words;
    const Descriptor socket = begin_connecting(greeter.listening().places({}).front());
    pollfd writable{socket.number(), POLLOUT, 0};
    ASSERT_EQ(::poll(&writable, 1, 10'000), 1);
    ASSERT_EQ(::send(socket.number(), all.data(), all.size(), MSG_NOSIGNAL), static_cast<ssize_t>(all.size()));
    ASSERT_EQ(shutdown(socket.number(), SHUT_WR), 0);
    const auto deadline = Clock::now() + patience;
    while (host.ready.empty() && host.silent.empty() && Clock::now() < deadline) greeter.progress();
    greeter.progress();
  }

  ListeningHost host;
  Greeter greeter{host, cookie};
};

/// So it is when this process is interrupted after it has sent the answer, and before it looks for more words.
TEST_F(VerbsGreeter, HearsThatAGuestIsReadyThoughItHasEndedTheConversation) {
  greet_and_leave("r");
  EXPECT_EQ(host.ready, (ListeningHost::Heard{{2, 6}}));
  EXPECT_TRUE(host.silent.empty());
}

TEST_F(VerbsGreeter, TellsOfAGuestThatHangsUpBeforeItIsReady) {
  greet_and_leave("");
  EXPECT_TRUE(host.ready.empty());
  EXPECT_EQ(host.silent, (ListeningHost::Heard{{2, 6}}));
}

/// The peer's Hello has come, so the queue pairs are connected, but whether the peer's can receive is never said.
TEST_F(Verbs, APeerThatEndsWhileItGreetsIsLost) {
  const test::Setting impatient{"verbs_contact_patience", "0"};
  Bytes data(100'000);
  Adapter::Region& region = adapter.acquire(data);
  const Bytes unknown = write_key(region);  // the peer does not know this key
  for (const bool before : {false, true}) {
    const int index = before ? 5 : 6;
    auto guest = std::make_unique<VerbsDevice>(adapter, index, 9, "elsewhere");
    const transport::Address address = guest->address();
    const auto from_guest = connect(*guest, 8, second);
    Collector at_guest;
    for (int i = 0; i < 100; ++i) guest->poll(at_guest);
    std::unique_ptr<transport::Endpoint> back;
    if (before) back = second.connect(index, address);
    for (int i = 0; i < 1000; ++i) second.poll(at_second);
    guest.reset();
    if (!before) back = second.connect(index, address);
    Ends ends;
    ASSERT_EQ(back->get({0x1000, unknown}, data, ends), Access::begun);
    until([&] { return ends.count == 1; });
    EXPECT_TRUE(back->lost());
    ASSERT_EQ(ends.failures.size(), 1U);
    EXPECT_NE(ends.failures[0].find("on elsewhere cannot be reached any more"), std::string::npos) << ends.failures[0];
  }
  adapter.release(region);
}

}  // namespace
}  // namespace bowline::verbs
