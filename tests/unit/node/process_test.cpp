// SPDX-License-Identifier: BSD-3-Clause
// node/process: a peer is alive until it ends, however it ends, also when its number is all that is known.
#include "node/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace bowline::node {
namespace {

/// A child that waits for a signal; ended and reaped with this object.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      alarm(60);  // should this process be killed
      while (true) pause();
    }
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
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
  pid_t pid_;
};

/// For the life of this object no descriptor can be opened, as if there were no pidfd.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

int lowest_free_descriptor() {
  const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(descriptor);
  return descriptor;
}

TEST(PeerProcess, IsAliveUntilItIsKilled) {
  const Child child;
  const PeerProcess peer(child.pid());
  EXPECT_EQ(peer.pid(), child.pid());
  EXPECT_TRUE(peer.alive());
  EXPECT_TRUE(peer.alive());
  child.send(SIGKILL);
  child.wait_for_end();
  EXPECT_FALSE(peer.alive()) << "although nobody has reaped it";
  EXPECT_FALSE(peer.alive());
}

TEST(PeerProcess, IsAliveWhileStopped) {
  const Child child;
  const PeerProcess peer(child.pid());
  child.send(SIGSTOP);
  waitpid(child.pid(), nullptr, WUNTRACED);
  EXPECT_TRUE(peer.alive());
}

TEST(PeerProcess, IsGoneAfterItWasReaped) {
  Child child;
  const PeerProcess peer(child.pid());
  child.send(SIGTERM);
  child.reap();
  EXPECT_FALSE(peer.alive());
}

TEST(PeerProcess, MayBeGoneAlready) {
  Child child;
  const pid_t pid = child.pid();
  child.send(SIGKILL);
  child.reap();
  EXPECT_FALSE(PeerProcess(pid).alive());
}

TEST(PeerProcess, WithoutDescriptorsTheNumberIsWatched) {
  Child child;
  const NoDescriptors none;
  const PeerProcess peer(child.pid());
  EXPECT_TRUE(peer.alive());
  child.send(SIGKILL);
  const pid_t pid = child.pid();
  child.reap();
  EXPECT_FALSE(peer.alive());
  EXPECT_FALSE(PeerProcess(pid).alive());
}

TEST(PeerProcess, OfAnotherUserIsAlive) {
  EXPECT_TRUE(PeerProcess(1).alive());
}

TEST(PeerProcess, MovesAndGivesItsDescriptorBack) {
  const int before = lowest_free_descriptor();
  {
    const Child one;
    const Child two;
    PeerProcess first(one.pid());
    PeerProcess second(std::move(first));
    EXPECT_EQ(second.pid(), one.pid());
    EXPECT_TRUE(second.alive());
    PeerProcess third(two.pid());
    third = std::move(second);
    EXPECT_EQ(third.pid(), one.pid());
    one.send(SIGKILL);
    one.wait_for_end();
    EXPECT_FALSE(third.alive());
  }
  EXPECT_EQ(lowest_free_descriptor(), before);
}

TEST(PeerProcess, IsNotInheritedByOtherPrograms) {
  const int descriptor = lowest_free_descriptor();
  const Child child;
  const PeerProcess peer(child.pid());
  const int flags = fcntl(descriptor, F_GETFD);
  if (flags < 0) GTEST_SKIP() << "this kernel has no pidfd";
  EXPECT_NE(flags & FD_CLOEXEC, 0);
}

}  // namespace
}  // namespace bowline::node
