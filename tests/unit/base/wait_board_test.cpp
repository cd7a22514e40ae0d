// SPDX-License-Identifier: BSD-3-Clause
// base/wait_board: a process takes its slot of a real board only, and shows there what its threads wait for.
#include "base/waits/wait_board.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bowline {
namespace {

constexpr std::uint64_t key = 0x1234;
constexpr int fixed = F_SEAL_SHRINK | F_SEAL_GROW;

/// A memory file as mpiexec makes it, or not quite.
class File {
 public:
  explicit File(std::uint32_t slots, int seals = fixed, std::size_t bytes = WaitBoardTicket::bytes_for(2))
      : descriptor_(memfd_create("board", MFD_ALLOW_SEALING | MFD_CLOEXEC)) {
    const WaitBoardHeader header{.key = key, .slots = slots};
    EXPECT_EQ(ftruncate(descriptor_, static_cast<off_t>(bytes)), 0);
    EXPECT_GT(pwrite(descriptor_, &header, std::min(bytes, sizeof header), 0), 0);
    EXPECT_EQ(fcntl(descriptor_, F_ADD_SEALS, seals), 0);
    copy_ = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  }
  ~File() {
    close(descriptor_);
    close(copy_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Whether a process that is told so has a slot.
  bool joined_by(std::uint32_t slot, std::uint64_t told = key) const {
    return joined_by(WaitBoardTicket{.descriptor = descriptor_, .slot = slot, .key = told}.text());
  }
  static bool joined_by(const std::string& text) {
    setenv(WaitBoardTicket::variable, text.c_str(), 1);
    ShownWait::join_board();
    return ShownWait::board_joined();
  }
  WaitSlot::Line line(std::uint32_t slot) const {
    void* const memory = mmap(nullptr, WaitBoardTicket::bytes_for(2), PROT_READ, MAP_SHARED, copy_, 0);
    auto* const bytes = static_cast<const std::byte*>(memory);
    WaitSlot::Line line = reinterpret_cast<const WaitSlot*>(bytes + WaitBoardTicket::offset_of(slot))->read();
    munmap(memory, WaitBoardTicket::bytes_for(2));
    return line;
  }
  bool is_open() const { return fcntl(descriptor_, F_GETFD) >= 0; }

 private:
  int descriptor_;
  int copy_;
};

/// One test, because a process joins once.
TEST(WaitBoard, FromJoiningToTheEnd) {
  unsetenv(WaitBoardTicket::variable);
  ShownWait::join_board();
  EXPECT_FALSE(ShownWait::board_joined());
  { const ShownWait unseen("for nobody"); }

  for (const char* const text : {"", "x", "0:0:1234", "9999:0:1234"}) EXPECT_FALSE(File::joined_by(text)) << text;
  EXPECT_FALSE(File(2).joined_by(2)) << "no such slot";
  EXPECT_FALSE(File(2).joined_by(0, key + 1)) << "another file of the same kind";
  EXPECT_FALSE(File(2, F_SEAL_SHRINK).joined_by(0)) << "may grow";
  EXPECT_FALSE(File(2, F_SEAL_GROW).joined_by(0)) << "may shrink, and an access end the process";
  EXPECT_FALSE(File(2, fixed | F_SEAL_WRITE).joined_by(0)) << "cannot be written";
  EXPECT_FALSE(File(3).joined_by(0)) << "shorter than it says";
  EXPECT_FALSE(File(2, fixed, 8).joined_by(0)) << "has no whole header";
  const File wrong(2);
  EXPECT_FALSE(wrong.joined_by(7));
  EXPECT_TRUE(wrong.is_open()) << "a file that is not ours stays open";

  const File board(2);
  EXPECT_EQ(board.line(1).state, WaitSlot::State::unused);
  EXPECT_TRUE(board.joined_by(1));
  EXPECT_FALSE(board.is_open()) << "what the program starts does not inherit it";
  EXPECT_EQ(board.line(1).state, WaitSlot::State::idle);

  const auto since = ShownWait::Clock::now() - std::chrono::seconds(5);
  auto older = std::make_unique<ShownWait>(since);
  EXPECT_EQ(board.line(1).state, WaitSlot::State::idle) << "it has said nothing";
  older->tell("for a receive");
  EXPECT_EQ(board.line(1).text, "in MPI for a receive") << "no MPI function is on the stack";
  EXPECT_EQ(board.line(1).since, std::chrono::nanoseconds(since.time_since_epoch()).count());
  ShownWait younger("for the launcher");
  EXPECT_EQ(board.line(1).text, "in MPI for a receive");
  older->tell("");
  EXPECT_EQ(board.line(1).text, "in MPI");
  older.reset();
  EXPECT_EQ(board.line(1).state, WaitSlot::State::idle);
  younger.tell("for a send");
  EXPECT_EQ(board.line(1).text, "in MPI for a send");
  younger.tell(std::string(1000, 'x'));
  EXPECT_EQ(board.line(1).text, "in MPI " + std::string(WaitSlot::longest - 7, 'x'));
  EXPECT_EQ(board.line(0).state, WaitSlot::State::unused) << "the slot of another rank";
}

TEST(ThreadsWaitBoard, WaitsBeginAndEndInSeveralThreadsAtOnce) {
  const File board(2);
  EXPECT_TRUE(board.joined_by(1));
  const auto waits = [] {
    for (int i = 0; i < 2000; ++i) {
      const ShownWait shown("for a receive");
      ShownWait silent(ShownWait::Clock::now());
      if (i % 2 == 0) silent.tell("for a send");
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(waits);
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(board.line(1).state, WaitSlot::State::waiting) << "all have ended";
}

}  // namespace
}  // namespace bowline
