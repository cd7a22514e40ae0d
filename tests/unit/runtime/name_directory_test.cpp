// SPDX-License-Identifier: BSD-3-Clause
// runtime/jobs/name_directory: who may publish, find and remove a name; entries of processes that have ended; files and
// directories that are not what they should be.
#include "runtime/jobs/name_directory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace bowline::runtime {
namespace {

namespace fs = std::filesystem;
using Existing = NameDirectory::Existing;
using test::TemporaryFolder;

/// The error of a call as "CLASS SENTENCE"; empty if there is none.
std::string error_of(ErrorClass expected, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return (error.error_class() == expected ? "" : "wrong class: ") + std::string(error.what());
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

class Names : public testing::Test {
 protected:
  TemporaryFolder outer;
  fs::path folder = outer.path() / "new" / "names";
  NameDirectory names = NameDirectory::make(folder);

  std::string port_of(const std::string& service) const { return names.look_up(service).port.value_or("none"); }
  void publish(const std::string& service, const std::string& port, Existing existing = Existing::keep) const {
    names.publish(service, port, existing);
  }
  std::string publish_error(const std::string& service, Existing existing = Existing::keep) const {
    return error_of(ErrorClass::service, [&] { publish(service, "other port", existing); });
  }
  /// Publishes in a child, which ends at once by a signal and takes nothing back.
  void publish_and_die(const std::string& service) const {
    const pid_t child = fork();
    if (child == 0) {
      NameDirectory::make(folder).publish(service, "port of the dead", Existing::keep);
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
};

TEST_F(Names, ArePublishedFoundAndUnpublished) {
  EXPECT_EQ(port_of("ocean"), "none");
  EXPECT_TRUE(contains(names.look_up("ocean").why, "no process has published it in " + folder.string()));
  publish("ocean", "a port");
  publish("wind and / waves", "another");
  EXPECT_EQ(port_of("ocean"), "a port");
  EXPECT_EQ(port_of("wind and / waves"), "another");
  EXPECT_EQ(files_in(folder), 3U) << "two entries and the lock";
  names.unpublish("ocean", "a port");
  EXPECT_EQ(port_of("ocean"), "none");
  EXPECT_EQ(port_of("wind and / waves"), "another");
  publish("ocean", "a new port");
  EXPECT_EQ(port_of("ocean"), "a new port");
}

TEST_F(Names, APublishedNameIsKeptUnlessItIsToBeReplaced) {
  publish("ocean", "first");
  const std::string text = publish_error("ocean");
  EXPECT_TRUE(contains(text, "\"ocean\" is published already, by process " + std::to_string(getpid()))) << text;
  EXPECT_TRUE(contains(text, "ompi_unique")) << text;
  EXPECT_EQ(port_of("ocean"), "first");
  publish("ocean", "second", Existing::replace);
  EXPECT_EQ(port_of("ocean"), "second");
  EXPECT_EQ(files_in(folder), 2U);
}

TEST_F(Names, UnpublishingNeedsTheNameAndItsPort) {
  const auto unpublish = [&](const char* service, const char* port) {
    return error_of(ErrorClass::service, [&] { names.unpublish(service, port); });
  };
  EXPECT_TRUE(contains(unpublish("ocean", "p"), "service_name \"ocean\" cannot be unpublished: no process"));
  publish("ocean", "p");
  EXPECT_TRUE(contains(unpublish("ocean", "q"), "published with port_name \"p\", not with \"q\""));
  EXPECT_EQ(port_of("ocean"), "p");
  EXPECT_EQ(unpublish("ocean", "p"), "");
}

TEST_F(Names, AnyProcessOfTheUserMayUnpublish) {
  publish("ocean", "p");
  const pid_t child = fork();
  if (child == 0) {
    names.withdraw("ocean");  // does nothing: another process has published it
    if (port_of("ocean") != "p") _exit(1);
    names.unpublish("ocean", "p");
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(port_of("ocean"), "none");
}

TEST_F(Names, OwnEntriesAreWithdrawn) {
  publish("ocean", "p");
  names.withdraw("ocean");
  EXPECT_EQ(port_of("ocean"), "none");
  names.withdraw("ocean");  // nothing is left to do
}

TEST_F(Names, OfAnEndedProcessAreNotFoundAndAreRemoved) {
  publish_and_die("ocean");
  EXPECT_EQ(files_in(folder), 2U);
  const auto found = names.look_up("ocean");
  EXPECT_FALSE(found.port);
  EXPECT_TRUE(contains(found.why, "which published it, has ended")) << found.why;
  EXPECT_EQ(files_in(folder), 1U) << "the lock is left";
}

TEST_F(Names, OfAnEndedProcessCanBePublishedAnew) {
  publish_and_die("ocean");
  publish("ocean", "p");
  EXPECT_EQ(port_of("ocean"), "p");
}

TEST_F(Names, OfAnotherHostStayUntilTheyAreReplaced) {
  NameEntry elsewhere{"ocean", "far", Publisher::this_process()};
  elsewhere.publisher.host = "n1";
  elsewhere.publisher.process = 4711;
  write(folder / "ocean", elsewhere.text());
  EXPECT_EQ(port_of("ocean"), "far");
  EXPECT_TRUE(contains(publish_error("ocean"), "by process 4711 on host n1"));
  publish("ocean", "near", Existing::replace);
  EXPECT_EQ(port_of("ocean"), "near");
}

TEST_F(Names, UnfinishedEntriesCountAsNone) {
  const std::string whole = NameEntry{"ocean", "p", Publisher::this_process()}.text();
  for (const std::size_t length : {std::size_t{0}, std::size_t{9}, whole.size() / 2, whole.size() - 1}) {
    write(folder / "ocean", whole.substr(0, length));
    EXPECT_EQ(port_of("ocean"), "none");
    EXPECT_NE(error_of(ErrorClass::service, [&] { names.unpublish("ocean", "p"); }), "");
    publish("ocean", "q");
    EXPECT_EQ(port_of("ocean"), "q");
    names.unpublish("ocean", "q");
  }
}

TEST_F(Names, FilesOfTheUserAreLeftAlone) {
  const std::string precious = "years of work\n";
  write(outer.path() / "target", precious);
  fs::create_symlink(outer.path() / "target", folder / "link");
  fs::create_directory(folder / "directory");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  write(folder / "text", precious);
  write(folder / "long", std::string(3 << 20, 'x'));
  for (const char* const service : {"link", "directory", "pipe", "text", "long"}) {
    for (const Existing existing : {Existing::keep, Existing::replace}) {
      const std::string text = publish_error(service, existing);
      EXPECT_TRUE(contains(text, (folder / service).string() + " is no entry of this version")) << text;
    }
    EXPECT_TRUE(contains(error_of(ErrorClass::name, [&] { names.look_up(service); }), "is no entry")) << service;
    EXPECT_TRUE(contains(error_of(ErrorClass::service, [&] { names.unpublish(service, "p"); }), "is no entry"));
  }
  std::string kept;
  std::getline(std::ifstream(outer.path() / "target"), kept);
  EXPECT_EQ(kept + "\n", precious);
  EXPECT_TRUE(fs::is_symlink(folder / "link") && fs::is_directory(folder / "directory"));
  EXPECT_EQ(fs::file_size(folder / "text"), precious.size());
}

// Long names share a file only if their hashes are equal, which takes some effort; so the file is made by hand.
TEST_F(Names, ThatShareAFileAreToldApart) {
  const std::string service(300, 'x'), other = std::string(300, 'x') + "y";
  write(folder / file_name_of(service), NameEntry{other, "p", Publisher::this_process()}.text());
  EXPECT_EQ(port_of(service), "none");
  EXPECT_TRUE(contains(publish_error(service), "would have the same file as"));
  EXPECT_TRUE(contains(publish_error(service, Existing::replace), "would have the same file as"));
  EXPECT_NE(error_of(ErrorClass::service, [&] { names.unpublish(service, "p"); }), "");
  names.withdraw(service);
  EXPECT_EQ(files_in(folder), 2U);
}

TEST_F(Names, OfAnyLength) {
  const std::string longest(100'000, 'x');
  publish(longest, "p");
  EXPECT_EQ(port_of(longest), "p");
  const std::string too_long(2 << 20, 'x');
  EXPECT_TRUE(contains(publish_error(too_long), "at most 100000 characters"));
}

TEST_F(Names, AreFoundWithoutALock) {
  publish("ocean", "p");
  publish_and_die("lake");
  fs::remove(folder / ".lock");
  fs::create_directory(folder / ".lock");
  EXPECT_EQ(port_of("ocean"), "p");
  EXPECT_TRUE(contains(names.look_up("lake").why, "has ended"));
  EXPECT_EQ(files_in(folder), 3U) << "an entry that cannot be removed stays";
}

TEST_F(Names, WhatTheSystemRefusesIsSaid) {
  fs::remove(folder / ".lock");
  fs::create_directory(folder / ".lock");
  try {
    publish("ocean", "p");
    ADD_FAILURE() << "published without a lock";
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "opening " + (folder / ".lock").string() + " failed")) << error.what();
  }
  EXPECT_EQ(port_of("ocean"), "none");
}

TEST_F(Names, AreManyAtATime) {
  for (int i = 0; i < 2000; ++i) publish("service " + std::to_string(i), std::to_string(i));
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(port_of("service " + std::to_string(i)), std::to_string(i));
  EXPECT_EQ(files_in(folder), 2001U);
}

// Each round has one winner, and in the end nothing of the losers is left.
TEST_F(Names, OfTwoProcessesOnePublishes) {
  constexpr int rounds = 50, rivals = 3;
  std::vector<pid_t> children;
  for (int rival = 0; rival < rivals; ++rival) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    int won = 0;
    for (int round = 0; round < rounds; ++round)
      won += error_of(ErrorClass::service, [&] { publish("round " + std::to_string(round), "p"); }).empty() ? 1 : 0;
    write(outer.path() / ("won by " + std::to_string(rival)), std::to_string(won));
    pause();  // stays alive, so that its entries are not replaced
  }
  int won = 0;
  for (int rival = 0; rival < rivals; ++rival) {
    int here = -1;
    while (!(std::ifstream(outer.path() / ("won by " + std::to_string(rival))) >> here)) std::this_thread::yield();
    won += here;
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(won, rounds);
  EXPECT_EQ(files_in(folder), rounds + 1U);
}

TEST(ThreadsNames, OfSeveralThreadsOnePublishesAndOneUnpublishes) {
  constexpr int rounds = 100, rivals = 4;
  const TemporaryFolder outer;
  const fs::path folder = outer.path() / "names";
  std::atomic<int> published = 0, unpublished = 0;
  std::vector<std::thread> threads;
  for (int rival = 0; rival < rivals; ++rival) {
    threads.emplace_back([&] {
      const NameDirectory names = NameDirectory::make(folder);
      for (int round = 0; round < rounds; ++round) {
        const std::string service = "round " + std::to_string(round);
        const auto publish = [&] { names.publish(service, "p", Existing::keep); };
        if (error_of(ErrorClass::service, publish).empty()) {
          ++published;
        } else if (error_of(ErrorClass::service, [&] { names.unpublish(service, "p"); }).empty()) {
          ++unpublished;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(published, rounds);
  EXPECT_EQ(files_in(folder), static_cast<std::size_t>(published - unpublished) + 1);
}

}  // namespace
}  // namespace bowline::runtime
