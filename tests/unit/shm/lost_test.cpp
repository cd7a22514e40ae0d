// SPDX-License-Identifier: BSD-3-Clause
// shm/endpoint: whether the owner of an inbox in another process still lives.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "shm_node.hpp"

namespace bowline::shm {
namespace {

using transport::Post;

/// Another process that has an inbox, tells its address through a pipe, and waits to be ended; by SIGTERM it ends as it
/// should.
class Owner {
 public:
  Owner() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      serve(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    EXPECT_EQ(read(ends[0], address_.data(), address_.size()), static_cast<ssize_t>(address_.size()));
    close(ends[0]);
  }
  ~Owner() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    reap();
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  const transport::Address& address() const { return address_; }
  void send(int signal) const { kill(pid_, signal); }
  /// Returns when it has ended; it stays a zombie.
  void wait_for_end() const {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void reap() {
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  static void serve(int pipe) {
    alarm(60);  // should this process be killed
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    const Inbox inbox(2, 1);
    const transport::Address address = inbox.address();
    if (write(pipe, address.data(), address.size()) < 0) _exit(1);
    int signal = 0;
    sigwait(&ends, &signal);
  }

  pid_t pid_ = -1;
  transport::Address address_ = transport::Address(sizeof(InboxAddress));
};

class ShmLoss : public testing::Test {
 protected:
  Owner owner;  // first: a fork carries as little as possible along
  Inbox inbox{2, 1};
  ShmDevice device{inbox, 0, 0, {0, 1}};
  std::unique_ptr<transport::Endpoint> endpoint = device.connect(1, owner.address());
};

TEST_F(ShmLoss, AnOwnerThatLivesIsNotLost) {
  EXPECT_FALSE(endpoint->lost());
  while (endpoint->send({}, {}, pattern(1000, 0)) == Post::done) {
  }
  EXPECT_FALSE(endpoint->lost()) << "it makes no room, but it lives";
  owner.send(SIGSTOP);
  EXPECT_FALSE(endpoint->lost());
}

TEST_F(ShmLoss, AnOwnerThatHasEndedIsLost) {
  EXPECT_FALSE(endpoint->lost());
  owner.send(SIGKILL);
  owner.wait_for_end();
  EXPECT_TRUE(endpoint->lost()) << "although nobody has reaped it";
  owner.reap();
  EXPECT_TRUE(endpoint->lost());
  EXPECT_FALSE(endpoint->left());
}

TEST_F(ShmLoss, AnOwnerThatEndsAsItShouldHasLeft) {
  EXPECT_FALSE(endpoint->left());
  owner.send(SIGTERM);
  owner.wait_for_end();
  EXPECT_TRUE(endpoint->left());
}

// ---- without contact

class Stranger : public testing::Test {
 protected:
  Owner owner;
};

TEST_F(Stranger, IsThereAsLongAsItHasNotSaidGoodBye) {
  EXPECT_EQ(owner_of(owner.address()), shm::Owner::there);
  owner.send(SIGSTOP);
  EXPECT_EQ(owner_of(owner.address()), shm::Owner::there);
}

TEST_F(Stranger, ThatHasSaidGoodByeHasLeft) {
  Inbox inbox(2, 1);
  EXPECT_EQ(owner_of(inbox.address()), shm::Owner::there);
  inbox.tell_end(ending);
  EXPECT_EQ(owner_of(inbox.address()), shm::Owner::there);
  const std::size_t before = memory_of(inbox);
  inbox.tell_end(good_bye);
  EXPECT_EQ(owner_of(inbox.address()), shm::Owner::left);
  EXPECT_EQ(memory_of(inbox), before) << "to look takes no ring";
}

TEST_F(Stranger, ThatHasClosedItsInboxIsGone) {
  transport::Address closed;
  {
    const Inbox inbox(2, 1);
    closed = inbox.address();
  }
  EXPECT_EQ(owner_of(closed), shm::Owner::gone);
  const Inbox another(2, 1);  // with the same descriptor
  EXPECT_EQ(owner_of(closed), shm::Owner::gone);
  EXPECT_EQ(owner_of(another.address()), shm::Owner::there);
}

TEST_F(Stranger, WhoseProcessIsGoneIsGone) {
  owner.send(SIGKILL);
  owner.wait_for_end();
  EXPECT_EQ(owner_of(owner.address()), shm::Owner::gone) << "although nobody has reaped it";
  owner.reap();
  EXPECT_EQ(owner_of(owner.address()), shm::Owner::gone);
}

TEST_F(Stranger, OfWhomNothingCanBeSeenMayBeThere) {
  InboxAddress address;
  std::memcpy(&address, owner.address().data(), sizeof address);
  owner.send(SIGKILL);
  owner.reap();
  ++address.pid_namespace;  // the number is another's there
  transport::Address elsewhere(sizeof address);
  std::memcpy(elsewhere.data(), &address, sizeof address);
  EXPECT_EQ(owner_of(elsewhere), shm::Owner::there);
  address.version = transport::wire_version + 1;
  std::memcpy(elsewhere.data(), &address, sizeof address);
  EXPECT_EQ(owner_of(elsewhere), shm::Owner::there);
  EXPECT_EQ(owner_of({}), shm::Owner::there);
}

TEST_F(ShmLoss, TheFirstQuestionMayComeAfterTheEnd) {
  owner.send(SIGKILL);
  owner.reap();
  EXPECT_TRUE(endpoint->lost());
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::done) << "the memory stays: nothing breaks";
}

TEST_F(ShmLoss, TheMemoryOfALostOwnerIsRefused) {
  owner.send(SIGKILL);
  owner.reap();
  Nobody nobody;
  std::vector<std::byte> data(100);
  EXPECT_EQ(endpoint->get({0x1000, {}}, data, nobody), transport::Access::refused);
  EXPECT_EQ(endpoint->put(data, {0x1000, {}}, nobody), transport::Access::refused);
}

}  // namespace
}  // namespace bowline::shm
