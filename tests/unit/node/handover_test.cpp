// SPDX-License-Identifier: BSD-3-Clause
// node/handover: descriptors are taken through /proc or from the socket of the owner, by who knows the secret, and only
// if they are what they should be; whoever took one there sees when its owner ends.
#include "node/handover.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/job_folder.hpp"
#include "node/handover_socket.hpp"

namespace bowline::node {
namespace {

/// A pipe, whose end for writing is handed over.
class Pipe {
 public:
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    in_ = Descriptor(ends[0]);
    out_ = Descriptor(ends[1]);
  }
  int end() const { return out_.number(); }
  bool is(int descriptor) const {
    struct stat mine {
    }, theirs{};
    return fstat(end(), &mine) == 0 && fstat(descriptor, &theirs) == 0 && mine.st_ino == theirs.st_ino;
  }
  auto same() const {
    return [this](int descriptor) { return is(descriptor); };
  }

 private:
  Descriptor in_, out_;
};

/// The ticket as a process of another pid namespace would find it: what /proc shows there is something else.
Ticket elsewhere(Ticket ticket) {
  ticket.descriptor = STDIN_FILENO;
  ticket.process = 1;
  return ticket;
}

bool refused(const Ticket& ticket, const Pipe& pipe) {
  try {
    take(ticket, pipe.same());
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::other);
    return true;
  }
}

std::size_t threads() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

/// Whether the other side has closed within some seconds.
bool closes(int connection) {
  pollfd polled{connection, POLLIN, 0};
  return poll(&polled, 1, 30'000) == 1;
}

TEST(Handover, IsTakenThroughProcWithoutTheOwner) {
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  const Taken taken = take(handover.ticket(), pipe.same());
  EXPECT_TRUE(pipe.is(taken.descriptor.number()));
  EXPECT_EQ(taken.process, getpid());
  EXPECT_LT(taken.connection.number(), 0);
}

TEST(Handover, IsTakenAtTheDoorWhereProcShowsSomethingElse) {
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  const Taken taken = take(elsewhere(handover.ticket()), pipe.same());
  EXPECT_TRUE(pipe.is(taken.descriptor.number()));
  EXPECT_NE(fcntl(taken.descriptor.number(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(taken.process, getpid());
  ASSERT_GE(taken.connection.number(), 0);
  pollfd polled{taken.connection.number(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 0), 0);  // the owner lives
}

// Processes of other network namespaces find no name in the abstract namespace.
TEST(Handover, TheDoorIsInTheFolderOfTheJobIfThereIsOne) {
  namespace fs = std::filesystem;
  std::string path = testing::TempDir() + "handover-XXXXXX";
  ASSERT_NE(mkdtemp(path.data()), nullptr);
  {
    const Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    setenv(JobFolderTicket::variable, JobFolderTicket::of(folder.number())->text().c_str(), 1);
    const Pipe pipe;
    const Handover handover(pipe.end(), 7);
    EXPECT_FALSE(fs::is_empty(path));
    EXPECT_FALSE(refused(elsewhere(handover.ticket()), pipe));
    const UnixSocketAddress nameless(handover.ticket().socket);
    const Descriptor visitor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_NE(connect(visitor.number(), nameless.get(), nameless.size()), 0);
  }
  EXPECT_TRUE(fs::is_empty(path));
  unsetenv(JobFolderTicket::variable);
  fs::remove(path);
}

// The offering process may have lost the folder.
TEST(Handover, AProcessWithAFolderFindsADoorElsewhere) {
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  const Descriptor folder(open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
  setenv(JobFolderTicket::variable, JobFolderTicket::of(folder.number())->text().c_str(), 1);
  EXPECT_FALSE(refused(elsewhere(handover.ticket()), pipe));
  unsetenv(JobFolderTicket::variable);
}

TEST(Handover, TheSecretIsNeeded) {
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  Ticket wrong = elsewhere(handover.ticket());
  wrong.secret = 8;
  EXPECT_TRUE(refused(wrong, pipe));
  EXPECT_FALSE(refused(elsewhere(handover.ticket()), pipe));
}

TEST(Handover, EachSecretHasItsDescriptor) {
  const Pipe one, two;
  const Handover first(one.end(), 1), second(two.end(), 2);
  EXPECT_EQ(first.ticket().socket, second.ticket().socket);
  EXPECT_TRUE(one.is(take(elsewhere(first.ticket()), one.same()).descriptor.number()));
  EXPECT_TRUE(two.is(take(elsewhere(second.ticket()), two.same()).descriptor.number()));
  Ticket crossed = elsewhere(first.ticket());
  crossed.secret = 2;
  EXPECT_TRUE(refused(crossed, one));  // what is given is not what is expected
}

TEST(Handover, EndsWithTheObjectAndTheDoorWithTheLast) {
  const std::size_t before = threads();
  const Pipe pipe;
  std::optional<Handover> first(std::in_place, pipe.end(), 1);
  std::optional<Handover> second(std::in_place, pipe.end(), 2);
  EXPECT_EQ(threads(), before + 1);
  const Ticket gone = elsewhere(first->ticket());
  first.reset();
  EXPECT_TRUE(refused(gone, pipe));
  EXPECT_FALSE(refused(elsewhere(second->ticket()), pipe));
  const Ticket closed = elsewhere(second->ticket());
  second.reset();
  EXPECT_EQ(threads(), before);
  EXPECT_TRUE(refused(closed, pipe));
  const Handover again(pipe.end(), 3);
  EXPECT_FALSE(refused(elsewhere(again.ticket()), pipe));
}

TEST(Handover, MovingKeepsOneOffer) {
  const Pipe pipe;
  Handover one(pipe.end(), 1);
  Handover two(std::move(one));
  EXPECT_FALSE(refused(elsewhere(two.ticket()), pipe));
  Handover three;
  three = std::move(two);
  EXPECT_FALSE(refused(elsewhere(three.ticket()), pipe));
}

// Strangers that connect and say nothing, or something else, keep nobody waiting.
TEST(Handover, SilentAndWrongVisitorsKeepNobodyWaiting) {
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  const UnixSocketAddress address(handover.ticket().socket);
  std::vector<Descriptor> visitors;
  for (int i = 0; i < 200; ++i) {
    visitors.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(visitors.back().number(), address.get(), address.size()), 0);
    if (i % 3 != 0) continue;
    ASSERT_EQ(send(visitors.back().number(), "short", 5, MSG_NOSIGNAL), 5);
  }
  EXPECT_FALSE(refused(elsewhere(handover.ticket()), pipe));
  EXPECT_TRUE(closes(visitors.front().number()));
}

TEST(ThreadsHandover, ManyTakeAtOnce) {
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  std::vector<std::thread> threads;
  std::atomic<int> taken{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) taken += refused(elsewhere(handover.ticket()), pipe) ? 0 : 1;
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(taken, 400);
}

TEST(Handover, TheEndOfTheOwnerIsSeen) {
  const Pipe pipe;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const Handover handover(pipe.end(), 7);
    const Ticket ticket = handover.ticket();
    if (write(ends[1], &ticket, sizeof ticket) != sizeof ticket) _exit(1);
    while (true) pause();
  }
  Ticket ticket;
  ASSERT_EQ(read(ends[0], &ticket, sizeof ticket), static_cast<ssize_t>(sizeof ticket));
  const Taken taken = take(elsewhere(ticket), pipe.same());
  EXPECT_EQ(taken.process, owner);
  pollfd polled{taken.connection.number(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 0), 0);
  kill(owner, SIGKILL);
  EXPECT_TRUE(closes(taken.connection.number()));
  waitpid(owner, nullptr, 0);
  for (const int end : ends) close(end);
}

TEST(Handover, AnotherUserGetsNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Pipe pipe;
  const Handover handover(pipe.end(), 7);
  const pid_t other_user = fork();
  if (other_user == 0) {
    // The owner is root, to whom another user would talk; the owner does not talk to another user.
    if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(2);
    _exit(refused(elsewhere(handover.ticket()), pipe) ? 0 : 1);
  }
  int status = -1;
  waitpid(other_user, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace bowline::node
