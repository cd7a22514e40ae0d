// SPDX-License-Identifier: BSD-3-Clause
// launcher/job/scratch: where the directory of a job is made, and which directories of other jobs are dead.
#include "launcher/job/scratch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

class ScratchTest : public testing::Test {
 protected:
  ScratchTest() : place_(testing::TempDir() + "scratch-" + std::to_string(getpid())) { fs::create_directory(place_); }
  ~ScratchTest() override { fs::remove_all(place_); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(place_), fs::directory_iterator()));
  }
  /// A directory as a job leaves it if all its processes are killed.
  fs::path leave_dead() const {
    Scratch gone({place_});
    const std::string name = gone.make().filename().string();
    gone.remove();
    const fs::path dead = place_ / (name.substr(0, name.size() - 4) + "dead");
    fs::create_directory(dead);
    fs::create_directories(dead / "of PMIx");
    std::ofstream(dead / "of PMIx" / "file") << "text";
    return dead;
  }

  const fs::path place_;
};

TEST_F(ScratchTest, IsMadeInTheFirstPlaceThatCanBeWritten) {
  Scratch scratch({"/no/such/place", "/dev/null", place_, "/tmp"});
  const fs::path made = scratch.make();
  EXPECT_EQ(made.parent_path(), place_);
  EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all);
  std::ofstream(made / "file") << "text";
  scratch.remove();
  EXPECT_EQ(entries(), 0U);
  scratch.remove();  // once more: the other process does that
}

TEST_F(ScratchTest, IsNowhereIfNoPlaceCanBeWritten) {
  EXPECT_EQ(Scratch({"/no/such/place"}).make(), fs::path());
}

TEST_F(ScratchTest, IsGoneAfterTheExitOfAProcessThatMakesFilesInItUntilItsEnd) {
  Scratch scratch({place_});
  const pid_t job = fork();
  if (job == 0) {
    const fs::path made = scratch.make();
    std::thread([made] {
      for (int number = 0;; ++number) fs::create_directories(made / "of PMIx" / std::to_string(number % 100));
    }).detach();
    while (!fs::exists(made / "of PMIx" / "9")) std::this_thread::yield();
    scratch.remove_after_exit();
    usleep(1000);  // in which the other thread fills a directory that was removed too early
    _exit(0);
  }
  waitpid(job, nullptr, 0);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (entries() != 0 && std::chrono::steady_clock::now() < deadline) usleep(1000);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(ScratchTest, DirectoriesOfDeadJobsAreRemoved) {
  const fs::path dead = leave_dead();
  Scratch({place_}).remove_dead();
  EXPECT_FALSE(fs::exists(dead));
}

TEST_F(ScratchTest, DirectoriesOfLivingJobsStay) {
  const fs::path living = leave_dead();
  const int lock = open(living.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(lock, LOCK_SH), 0);
  Scratch({place_}).remove_dead();
  EXPECT_TRUE(fs::exists(living / "of PMIx" / "file"));
  close(lock);
  Scratch({place_}).remove_dead();
  EXPECT_FALSE(fs::exists(living));
}

TEST_F(ScratchTest, WhatIsNoScratchDirectoryStays) {
  const fs::path dead = leave_dead();
  const std::string name = dead.filename().string();
  fs::create_directory(place_ / "other");
  const fs::path kept = place_ / "other" / "kept";
  std::ofstream(kept) << "text";
  const fs::path link = place_ / (name.substr(0, name.size() - 4) + "0000");
  fs::create_symlink(place_ / "other", link);
  fs::create_symlink(kept, dead / "link");
  fs::create_directory(place_ / (name + "0"));
  fs::create_directory(place_ / "bowline-another00000-0123456789abcdef");  // of another boot or machine
  Scratch({place_}).remove_dead();
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_EQ(entries(), 4U);
}

TEST(ScratchPlaces, BeginWithTmpdirAndNameEachOnce) {
  const auto without = scratch_places([](const char*) -> const char* { return nullptr; });
  ASSERT_FALSE(without.empty());
  EXPECT_EQ(without.front(), "/tmp");
  const auto with = scratch_places([](const char* name) { return strcmp(name, "TMPDIR") == 0 ? "/mine" : "/dev/shm"; });
  EXPECT_EQ(with.front(), "/mine");
  EXPECT_EQ(with.size(), without.size() + 1);
}

}  // namespace
}  // namespace bowline::launcher
