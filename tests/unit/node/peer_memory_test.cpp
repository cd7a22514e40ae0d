// SPDX-License-Identifier: BSD-3-Clause
// node/peer_memory: memory of the process that is meant is read and written, and that of no other.
#include "node/peer_memory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>

#include "node/recent_proofs.hpp"

namespace bowline::node {
namespace {

/// A process with the same memory at the same addresses, until it or this one writes.
class Sibling {
 public:
  Sibling() : pid_(fork()) {
    if (pid_ == 0) {
      alarm(60);
      while (true) pause();
    }
  }
  ~Sibling() { end(); }
  Sibling(const Sibling&) = delete;
  Sibling& operator=(const Sibling&) = delete;

  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

class PeerMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!reaches(mark())) GTEST_SKIP() << "this machine forbids processes to read each other's memory";
  }
  ProcessMark mark() const {
    ProcessMark theirs = own;  // made before the fork: the sibling has it too
    theirs.process = sibling.pid();
    return theirs;
  }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(text)); }

  std::array<char, 8> text{"before"};
  const ProcessMark own = own_mark();
  Sibling sibling;
};

TEST_F(PeerMemory, IsReadAndWritten) {
  std::array<char, 8> mine{"after"};
  EXPECT_EQ(write_memory(mark(), std::as_bytes(std::span(mine)), text.data()), 8);
  EXPECT_EQ(read_memory(mark(), text.data(), bytes()), 8);
  EXPECT_STREQ(text.data(), "after");
}

TEST_F(PeerMemory, AnotherProcessIsLeftAlone) {
  ProcessMark another = mark();
  another.value ^= 1;
  EXPECT_FALSE(reaches(another));
  const std::array<char, 8> mine{"after"};
  EXPECT_EQ(write_memory(another, std::as_bytes(std::span(mine)), text.data()), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_EQ(read_memory(another, text.data(), bytes()), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_EQ(read_memory(mark(), text.data(), bytes()), 8);
  EXPECT_STREQ(text.data(), "before");
}

TEST_F(PeerMemory, AProcessWithoutTheMarksPageIsAnother) {
  ProcessMark another = mark();
  another.address = 64;
  EXPECT_EQ(read_memory(another, text.data(), bytes()), -1);
  EXPECT_EQ(errno, ESRCH);
}

// The sibling's mark becomes wrong without the calls' knowledge, as if another process had the pid.
TEST_F(PeerMemory, AMarkIsReadAgainWhenItsProofIsOld) {
  const auto write_mark = [&](std::uint64_t value) {
    const iovec from{&value, sizeof value}, to{reinterpret_cast<void*>(own.address), sizeof value};
    return process_vm_writev(sibling.pid(), &from, 1, &to, 1, 0) == sizeof value;
  };
  const auto wait_until_old = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * RecentProofs::lifetime));
  };
  // This process may lose its core for longer than a proof holds, but not every time.
  bool read_without_mark = false;
  for (int tries = 0; tries < 100 && !read_without_mark; ++tries) {
    wait_until_old();
    ASSERT_EQ(read_memory(mark(), text.data(), bytes()), 8);
    ASSERT_TRUE(write_mark(own.value ^ 1));
    read_without_mark = read_memory(mark(), text.data(), bytes()) == 8;
    ASSERT_TRUE(write_mark(own.value));
  }
  EXPECT_TRUE(read_without_mark);
  ASSERT_TRUE(write_mark(own.value ^ 1));
  wait_until_old();
  EXPECT_EQ(read_memory(mark(), text.data(), bytes()), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_EQ(write_memory(mark(), bytes(), text.data()), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(PeerMemory, AProcessThatHasEndedIsNotFound) {
  const ProcessMark gone = mark();
  sibling.end();
  EXPECT_EQ(read_memory(gone, text.data(), bytes()), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_FALSE(reaches(gone));
}

TEST_F(PeerMemory, WhatIsNotMappedThereIsAnError) {
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);  // after the fork
  EXPECT_EQ(read_memory(mark(), page, bytes()), -1);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(write_memory(mark(), bytes(), page), -1);
  EXPECT_EQ(errno, EFAULT);
  munmap(page, 4096);
}

TEST_F(PeerMemory, NobodyIsReached) {
  ProcessMark nobody = mark();
  nobody.process = 0;
  EXPECT_FALSE(reaches(nobody));
}

}  // namespace
}  // namespace bowline::node
