// SPDX-License-Identifier: BSD-3-Clause
// wireup/rendezvous: threads in the place of processes meet over sockets.
#include "wireup/rendezvous/rendezvous.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/setting.hpp"

namespace bowline::wireup {
namespace {

using test::Setting;
using World = std::vector<std::unique_ptr<Wireup>>;

/// A socket on the loopback interface.
class Socket {
 public:
  Socket() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int listen() {
    sockaddr_in address = at(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size), 0);
    getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    ::listen(descriptor_, 8);
    return ntohs(address.sin_port);
  }
  bool binds(int port) const {
    const sockaddr_in address = at(port);
    return bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  int accept() const { return ::accept(descriptor_, nullptr, nullptr); }
  /// Tries until somebody listens.
  void connect(int port) const {
    const sockaddr_in address = at(port);
    while (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      std::this_thread::yield();
  }
  void say(const std::string& text) const {
    EXPECT_EQ(send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// Whether the other end closes the connection; waits until it does, or says something.
  bool is_hung_up() const {
    char c = 0;
    return recv(descriptor_, &c, 1, 0) <= 0;
  }

 private:
  static sockaddr_in at(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }
  int descriptor_;
};

/// A free port below those that the kernel gives to outgoing connections, which keep theirs for a minute.
int free_port() {
  std::random_device random;
  std::uniform_int_distribution<int> any(20000, 29999);
  while (true) {
    if (const int port = any(random); Socket().binds(port)) return port;
  }
}

RendezvousLine line_for(int size) {
  return {
      .host = "127.0.0.1", .port = static_cast<std::uint16_t>(free_port()), .secret = "0123456789abcdef", .size = size};
}

std::future<std::unique_ptr<Wireup>> come(const RendezvousLine& line) {
  return std::async(std::launch::async, [line] { return make_rendezvous(line); });
}

/// A whole world, by rank.
World meet(const RendezvousLine& line) {
  std::vector<std::future<std::unique_ptr<Wireup>>> coming;
  for (int i = 0; i < line.size; ++i) coming.push_back(come(line));
  World world(static_cast<std::size_t>(line.size));
  for (auto& each : coming) {
    auto wireup = each.get();
    auto& place = world[static_cast<std::size_t>(wireup->identity().rank)];
    EXPECT_EQ(place, nullptr);
    place = std::move(wireup);
  }
  return world;
}

/// Calls a function for all members at once.
template <class Function>
void for_all(World& world, Function function) {
  std::vector<std::future<void>> running;
  for (auto& each : world) running.push_back(std::async(std::launch::async, [&] { function(*each); }));
  for (auto& each : running) each.get();
}

void finalize(World& world) {
  for_all(world, [](Wireup& each) { each.finalize(); });
}

std::string refusal(std::future<std::unique_ptr<Wireup>> coming) {
  try {
    coming.get();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::other);
    return error.what();
  }
  return "none";
}

std::vector<std::byte> bytes(int value) {
  return {static_cast<std::byte>(value)};
}

TEST(ThreadsRendezvous, EachHasAPlaceAndFindsWhatOthersPublish) {
  World world = meet(line_for(5));
  for_all(world, [](Wireup& each) {
    const Identity& own = each.identity();
    EXPECT_EQ(own.size, 5);
    EXPECT_EQ(own.nodes, 1);
    EXPECT_EQ(own.local_ranks, (std::vector{0, 1, 2, 3, 4}));
    EXPECT_EQ(each.universe_size(), 5);
    EXPECT_EQ(each.node_of(3), 0);
    each.publish("rank", bytes(own.rank));
    each.publish("empty", {});
    each.exchange();
    for (int rank = 0; rank < 5; ++rank) {
      EXPECT_EQ(each.lookup({own.job, rank}, "rank"), bytes(rank));
      EXPECT_TRUE(each.lookup({own.job, rank}, "empty").empty());
    }
    EXPECT_THROW(each.lookup({own.job, 2}, "other"), Error);
    EXPECT_THROW(each.lookup({"another", 2}, "rank"), Error);
  });
  finalize(world);
}

TEST(ThreadsRendezvous, AnswersAQuestionInTheBackground) {
  World world = meet(line_for(2));
  const ProcessId other{world[0]->identity().job, 1};
  world[0]->ask(other, "rank");
  EXPECT_FALSE(world[0]->answers(other));
  for_all(world, [](Wireup& each) {
    each.publish("rank", bytes(each.identity().rank));
    each.exchange();
  });
  while (!world[0]->answers(other)) std::this_thread::yield();
  EXPECT_EQ(world[0]->lookup(other, "rank"), bytes(1));
  finalize(world);
}

TEST(ThreadsRendezvous, WantedRanksAreGiven) {
  RendezvousLine line = line_for(3);
  std::vector<std::future<std::unique_ptr<Wireup>>> coming;
  for (int rank : {2, 0, 1}) {
    line.rank = rank;
    coming.push_back(come(line));
  }
  World world;
  for (int i : {1, 2, 0}) world.push_back(coming[static_cast<std::size_t>(i)].get());
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(world[static_cast<std::size_t>(rank)]->identity().rank, rank);
  finalize(world);
}

TEST(ThreadsRendezvous, WhoHasAnotherLineIsRefusedAndTheOthersMeet) {
  const RendezvousLine line = line_for(2);
  auto first = come(line);
  Socket().connect(line.port);  // the first one serves
  RendezvousLine wrong = line;
  wrong.secret = "0123456789abcdeg";
  const std::string of_secret = refusal(come(wrong));
  EXPECT_NE(of_secret.find("the secret"), std::string::npos) << of_secret;
  EXPECT_EQ(of_secret.find(wrong.secret), std::string::npos) << of_secret;
  wrong = line;
  wrong.size = 3;
  EXPECT_NE(refusal(come(wrong)).find("size 3"), std::string::npos);
  auto second = come(line);
  World world;
  world.push_back(first.get());
  world.push_back(second.get());
  finalize(world);
}

TEST(ThreadsRendezvous, StrangersDoNotDisturb) {
  const RendezvousLine line = line_for(2);
  auto first = come(line);
  const Socket silent, talks, lies;
  silent.connect(line.port);
  talks.connect(line.port);
  talks.say("GET / HTTP/1.1\r\nHost: there\r\n\r\n");
  EXPECT_TRUE(talks.is_hung_up());
  lies.connect(line.port);
  lies.say(std::string("\x08\0\0\0\0\0\0\0abcdefgh", 16));  // a message of a well-formed length
  EXPECT_TRUE(lies.is_hung_up());
  auto second = come(line);
  World world;
  world.push_back(first.get());
  world.push_back(second.get());
  finalize(world);
}

TEST(ThreadsRendezvous, AnotherProgramAtThePortIsNoRendezvous) {
  RendezvousLine line = line_for(2);
  Socket other;
  line.port = static_cast<std::uint16_t>(other.listen());
  auto coming = come(line);
  const Socket connection(other.accept());
  connection.say("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n");
  EXPECT_NE(refusal(std::move(coming)).find("another program"), std::string::npos);
}

TEST(ThreadsRendezvous, TooFewSayHowManyHaveCome) {
  const Setting short_wait("rendezvous_timeout", "2");
  const RendezvousLine line = line_for(3);
  auto first = come(line), second = come(line);
  EXPECT_NE(refusal(std::move(first)).find("only 2 of the 3 processes have come in 2 s"), std::string::npos);
  EXPECT_NE(refusal(std::move(second)).find("only 2 of the 3"), std::string::npos);
}

TEST(ThreadsRendezvous, AHostThatIsElsewhereIsWaitedFor) {
  const Setting short_wait("rendezvous_timeout", "2");
  RendezvousLine line = line_for(2);
  line.host = "no-such-host.invalid";
  const std::string text = refusal(come(line));
  EXPECT_NE(text.find("no process has served there in 2 s"), std::string::npos) << text;
  EXPECT_NE(text.find("no-such-host.invalid has no address"), std::string::npos) << text;
}

TEST(ThreadsRendezvous, WorldsFollowEachOtherAtOnePort) {
  const RendezvousLine line = line_for(3);
  std::string job;
  for (int i = 0; i < 3; ++i) {
    World world = meet(line);
    EXPECT_NE(world[0]->identity().job, job);
    job = world[0]->identity().job;
    finalize(world);
  }
}

TEST(ThreadsRendezvous, TheNextWorldWaitsForTheEndOfThisOne) {
  const RendezvousLine line = line_for(2);
  World world = meet(line);
  auto next = std::async(std::launch::async, [&] { return meet(line); });
  finalize(world);
  World second = next.get();
  EXPECT_NE(second[0]->identity().job, world[0]->identity().job);
  finalize(second);
}

TEST(ThreadsRendezvous, GoesOnAfterFinalize) {
  World world = meet(line_for(2));
  for_all(world, [](Wireup& each) {
    each.publish("rank", bytes(each.identity().rank));
    each.exchange();
  });
  finalize(world);
  for (auto& each : world) each->reconnect();
  EXPECT_EQ(world[1]->lookup({world[1]->identity().job, 0}, "rank"), bytes(0));
  finalize(world);
}

TEST(ThreadsRendezvous, OneProcessIsAWorldToo) {
  World world = meet(line_for(1));
  EXPECT_EQ(world[0]->identity().local_ranks, std::vector{0});
  finalize(world);
}

}  // namespace
}  // namespace bowline::wireup
