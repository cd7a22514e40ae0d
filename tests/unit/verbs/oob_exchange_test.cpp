// SPDX-License-Identifier: BSD-3-Clause
// verbs: how exchanges that other processes initiate end.
#include "verbs/connection/oob_exchange.hpp"

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

class ListeningHost final : public OobHost {
 public:
  std::vector<std::byte> handshake_for(int) override {
    Handshake handshake;
    handshake.sender = 2;
    const auto bytes = std::as_bytes(std::span(&handshake, 1));
    return {bytes.begin(), bytes.end()};
  }
  Answer handshake_received(const Handshake&, std::span<const std::byte>) override { return Answer::handshake; }
  bool answer_received(int, const Handshake&) override {
    if (refusals-- > 0) throw Error(ErrorClass::other, "not now");
    return true;
  }
  void ready_is(int peer, std::uint32_t epoch) override { ready.emplace_back(peer, epoch); }
  void hung_up(int peer, std::uint32_t epoch) noexcept override { silent.emplace_back(peer, epoch); }
  void unreachable(int, const std::string& why) noexcept override { ends.push_back(why); }
  std::chrono::seconds patience() const noexcept override { return test::patience; }
  void other_version_received(int, std::uint32_t) noexcept override {}

  using Heard = std::vector<std::pair<int, std::uint32_t>>;  ///< peer and epoch
  Heard ready, silent;
  int refusals = 0;  ///< of answers
  std::vector<std::string> ends;
};

/// Sends the handshake on a TCP connection of its own, and closes that.
void say_and_leave(const SocketAddress& place, Handshake handshake, std::span<const std::byte> address,
                   std::string_view words) {
  handshake.address_bytes = static_cast<std::uint16_t>(address.size());
  std::string all(sizeof handshake, '\0');
  std::memcpy(all.data(), static_cast<const void*>(&handshake), sizeof handshake);
  all.append(reinterpret_cast<const char*>(address.data()), address.size());
  all += words;
  const Descriptor socket = begin_connecting(place);
  pollfd writable{socket.number(), POLLOUT, 0};
  ASSERT_EQ(::poll(&writable, 1, 10'000), 1);
  ASSERT_EQ(::send(socket.number(), all.data(), all.size(), MSG_NOSIGNAL), static_cast<ssize_t>(all.size()));
  ASSERT_EQ(shutdown(socket.number(), SHUT_WR), 0);
}

class VerbsOobExchange : public testing::Test {
 protected:
  /// Sends a handshake, and these words behind it, and closes the connection before the exchange has heard anything.
  void contact_and_leave(std::string_view words) {
    Handshake handshake;
    handshake.front.cookie = cookie;
    handshake.sender = 2;
    handshake.epoch = 6;
    say_and_leave(exchange.listening().places({}).front(), handshake, {}, words);
    const auto deadline = Clock::now() + patience;
    while (host.ready.empty() && host.silent.empty() && Clock::now() < deadline) exchange.progress();
    exchange.progress();
  }

  ListeningHost host;
  OobExchange exchange{host, cookie};
};

/// So it is when this process is interrupted after it has sent the answer, and before it looks for more words.
TEST_F(VerbsOobExchange, HearsThatAnInitiatorIsReadyThoughItHasClosedTheConnection) {
  contact_and_leave("r");
  EXPECT_EQ(host.ready, (ListeningHost::Heard{{2, 6}}));
  EXPECT_TRUE(host.silent.empty());
}

TEST_F(VerbsOobExchange, TellsOfAnInitiatorThatHangsUpBeforeItIsReady) {
  contact_and_leave("");
  EXPECT_TRUE(host.ready.empty());
  EXPECT_EQ(host.silent, (ListeningHost::Heard{{2, 6}}));
}

/// The adapter may refuse to connect a queue pair as long as its port is down.
TEST_F(VerbsOobExchange, ContactsAPeerAgainIfItCouldNotConnectWithTheAnswer) {
  ListeningHost other;
  OobExchange responder{other, 815};
  const auto is_ready = [&](bool again) {
    host.refusals = 1;
    exchange.contact(0, responder.listening().places({}), 815, again);
    const auto deadline = Clock::now() + patience;
    while (host.ends.empty() && other.ready.empty() && Clock::now() < deadline) {
      exchange.progress();
      responder.progress();
    }
    return !other.ready.empty();
  };
  EXPECT_TRUE(is_ready(true));
  other.ready.clear();
  EXPECT_FALSE(is_ready(false)) << "at first contact";
  EXPECT_EQ(host.ends, std::vector<std::string>{"not now"});
}

/// Between devices whose queue pairs are connected directly.
class VerbsHandshake : public Verbs {};

/// The peer's queue pair has no packet length, so that of the second device cannot be connected. But the queue
/// pair before is destroyed by then.
TEST_F(VerbsHandshake, WhoCannotConnectWithANewerQueuePairOfThePeerContactsIt) {
  const auto to_first = connect(second, 3, first);
  send(*to_first, {}, {}, {});
  Handshake handshake;
  handshake.front.cookie = read_address(8, second.address()).cookie;
  handshake.sender = 3;
  handshake.epoch = 1;
  const std::vector<SocketAddress> places = read_address(8, second.address()).places;
  testing::internal::CaptureStderr();
  say_and_leave(places.front(), handshake, first.address(), {});
  for (int i = 0; i < 1000; ++i) second.poll(at_second);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("connecting a queue pair"), std::string::npos);
  EXPECT_FALSE(to_first->connected());
  send(*to_first, {.tag = 6}, {}, {});
  until([&] { return at_first.arrivals.size() == 2; });
}

/// The peer's Handshake has come, so the queue pairs are connected, but whether the peer's can receive is never said.
TEST_F(VerbsHandshake, APeerThatEndsDuringTheHandshakeIsLost) {
  const test::Setting impatient{"verbs_contact_patience", "0"};
  Bytes data(100'000);
  Adapter::Region& region = adapter.acquire(data);
  const Bytes unknown = write_key(region);  // the peer does not know this key
  for (const bool before : {false, true}) {
    const int index = before ? 5 : 6;
    auto initiator = std::make_unique<VerbsDevice>(adapter, index, 9, "elsewhere");
    const transport::Address address = initiator->address();
    const auto from_initiator = connect(*initiator, 8, second);
    Collector at_initiator;
    for (int i = 0; i < 100; ++i) initiator->poll(at_initiator);
    std::unique_ptr<transport::Endpoint> back;
    if (before) back = second.connect(index, address);
    for (int i = 0; i < 1000; ++i) second.poll(at_second);
    initiator.reset();
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
