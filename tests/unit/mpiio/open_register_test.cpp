// SPDX-License-Identifier: BSD-3-Clause
// mpiio/sharing: whether an open of a file knows of others. Each PosixStorage is an open as another process would have
// it.
#include "mpiio/sharing/open_register.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "mpiio/storage/faulty_storage.hpp"
#include "mpiio/storage/posix_storage.hpp"
#include "unit/mpiio/temporary_file.hpp"

namespace bowline::mpiio {
namespace {

TEST(OpenRegister, KnowsWhetherItIsAlone) {
  const TemporaryFile file;
  PosixStorage first(file.open());
  OpenRegister mine(first, 5);
  ASSERT_EQ(mine.enter(), 0);
  EXPECT_TRUE(OpenRegister::Alone(mine).holds());
  {
    PosixStorage second(file.open());
    OpenRegister other(second, 0);  // the lowest byte
    ASSERT_EQ(other.enter(), 0);
    EXPECT_FALSE(OpenRegister::Alone(mine).holds());
    EXPECT_FALSE(OpenRegister::Alone(other).holds());
  }
  EXPECT_TRUE(OpenRegister::Alone(mine).holds()) << "the other open has ended";
  PosixStorage third(file.open());
  OpenRegister highest(third, ~std::uint64_t{0});
  ASSERT_EQ(highest.enter(), 0);
  EXPECT_FALSE(OpenRegister::Alone(mine).holds());
}

TEST(OpenRegister, ProcessesOfOneOpenDoNotDisturbEachOther) {
  const TemporaryFile file;
  PosixStorage first(file.open()), second(file.open());
  OpenRegister leader(first, 77), follower(second, 77);
  ASSERT_EQ(leader.enter(), 0);
  const OpenRegister::Alone one(leader), two(follower), again(leader);
  EXPECT_TRUE(one.holds());
  EXPECT_TRUE(two.holds());
  EXPECT_TRUE(again.holds());
}

TEST(OpenRegister, ANewOpenWaitsForThoseThatAreAlone) {
  const TemporaryFile file;
  PosixStorage first(file.open());
  OpenRegister mine(first, 1);
  ASSERT_EQ(mine.enter(), 0);
  std::optional<OpenRegister::Alone> alone(mine);
  ASSERT_TRUE(alone->holds());
  PosixStorage second(file.open());
  OpenRegister other(second, 2);
  std::atomic<bool> entered = false;
  std::thread opener([&] {
    EXPECT_EQ(other.enter(), 0);
    entered = true;
  });
  bool seen = false;  // it has registered, and waits at the gate
  while (!seen) ASSERT_EQ(first.find_lock({(Offset{1} << 61) + 1, (Offset{1} << 61) + 100}, seen), 0);
  EXPECT_FALSE(entered);
  alone.reset();
  opener.join();
  EXPECT_TRUE(entered);
  EXPECT_FALSE(OpenRegister::Alone(mine).holds());
}

TEST(OpenRegister, WithoutLocksNobodyIsAlone) {
  const TemporaryFile file;
  FaultyStorage storage(std::make_unique<PosixStorage>(file.open()), Faults::parse("lock:ENOLCK"), 1);
  OpenRegister mine(storage, 1);
  EXPECT_EQ(mine.enter(), ENOLCK);
  EXPECT_FALSE(OpenRegister::Alone(mine).holds());
}

}  // namespace
}  // namespace bowline::mpiio
