// SPDX-License-Identifier: BSD-3-Clause
// runtime/jobs/name_entry: names of files, the text of an entry, and whether its publisher has ended.
#include "runtime/jobs/name_entry.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <string>

namespace bowline::runtime {
namespace {

using Kind = NameFile::Kind;

const std::string of_two_bytes = "\xc3\xa9";

NameEntry entry_of(const std::string& service, const std::string& port) {
  return {service, port, Publisher::this_process()};
}

TEST(NameEntry, FileNamesAreReadableAndStayInTheDirectory) {
  EXPECT_EQ(file_name_of("Server-1_x.y"), "Server-1_x.y");
  EXPECT_EQ(file_name_of("a/b c"), "a%2fb%20c");
  EXPECT_EQ(file_name_of(of_two_bytes), "%c3%a9");
  EXPECT_EQ(file_name_of("."), "%2e");
  EXPECT_EQ(file_name_of(".."), "%2e.");
  EXPECT_EQ(file_name_of(".lock"), "%2elock");
}

TEST(NameEntry, DifferentServicesHaveDifferentFiles) {
  const std::string tail(1000, 'x');
  std::set<std::string> files;
  const std::set<std::string> services{"a",
                                       "A",
                                       "a ",
                                       "%61",
                                       "a/",
                                       "a%2f",
                                       "a+",
                                       "a\n",
                                       tail,
                                       tail + "x",
                                       "y" + tail,
                                       of_two_bytes,
                                       std::string(100, ' '),
                                       std::string(101, ' ')};
  for (const std::string& service : services) {
    const std::string file = file_name_of(service);
    EXPECT_LE(file.size(), 200U);
    EXPECT_EQ(file.find_first_of("/ \n"), std::string::npos) << file;
    files.insert(file);
  }
  EXPECT_EQ(files.size(), services.size());
}

TEST(NameEntry, EntriesAreReadAsTheyWereWritten) {
  for (const std::string& service :
       {std::string("ocean"), std::string("with spaces and\nlines\n"), std::string("100%"), std::string("the end\nend"),
        of_two_bytes, std::string(5000, 'z'), std::string(" ")}) {
    const NameEntry written = entry_of(service, "port " + service);
    const NameFile read = NameFile::parse(written.text());
    ASSERT_EQ(read.kind, Kind::entry) << service;
    EXPECT_EQ(read.entry.service, service);
    EXPECT_EQ(read.entry.port, "port " + service);
    EXPECT_EQ(read.entry.publisher, Publisher::this_process());
  }
}

TEST(NameEntry, TheBeginningOfAnEntryIsUnfinished) {
  const std::string text = entry_of("legend\nend", "bend").text();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_EQ(NameFile::parse(text.substr(0, length)).kind, Kind::unfinished) << length;
}

TEST(NameEntry, AnythingElseIsForeign) {
  const std::string first = "bowline name 1\n";
  for (const std::string& text :
       {std::string("chapter one"), std::string("bowline name 2\nservice x\nend\n"), std::string("\0", 1),
        first + "service x\nend\n", first + "nothing\nend\n", first + "\nend\n", first + "service %zz\nend\n",
        first + "service %4\nend\n", " " + entry_of("a", "b").text(), entry_of("a", "b").text() + "x\nend\n"})
    EXPECT_EQ(NameFile::parse(text).kind, Kind::foreign) << text;
  for (const char* const process : {"0", "-1", "x", "99999999999"}) {
    EXPECT_EQ(NameFile::parse(first + "service a\nport b\nhost c\nboot d\npid_namespace 1\nprocess " + process +
                              "\nstarted 1\nend\n")
                  .kind,
              Kind::foreign)
        << process;
  }
}

TEST(Publisher, HasEndedOnceItsProcessHas) {
  EXPECT_FALSE(Publisher::this_process().has_ended());
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  Publisher other = Publisher::this_process();
  const std::uint64_t own_start = other.started;
  other.process = child;
  other.started = 0;  // not known
  EXPECT_FALSE(other.has_ended());
  kill(child, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(other.has_ended()) << "its parent has not asked for its end yet";
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(other.has_ended());
  EXPECT_NE(own_start, 0U);
}

TEST(Publisher, AnotherProcessWithTheSameIdIsNotTheSame) {
  Publisher earlier = Publisher::this_process();
  --earlier.started;
  EXPECT_TRUE(earlier.has_ended());
  Publisher of_parent = Publisher::this_process();
  of_parent.process = getppid();
  of_parent.started = 1;
  EXPECT_TRUE(of_parent.has_ended());
}

TEST(Publisher, NothingIsKnownOfProcessesElsewhere) {
  Publisher ended = Publisher::this_process();
  --ended.started;
  for (const int what : {0, 1, 2}) {
    Publisher elsewhere = ended;
    if (what == 0) elsewhere.host += "x";
    if (what == 1) elsewhere.boot += "x";
    if (what == 2) ++elsewhere.pid_namespace;
    EXPECT_FALSE(elsewhere.has_ended()) << what;
  }
}

TEST(InQuotes, NamesAreCutAndHaveNoControlCharacters) {
  EXPECT_EQ(in_quotes("a b"), "\"a b\"");
  EXPECT_EQ(in_quotes("a\nb"), "\"a?b\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(100, 'x') + "\"");
  EXPECT_EQ(in_quotes(std::string(101, 'x')), "\"" + std::string(100, 'x') + "...\"");
  EXPECT_EQ(in_quotes(std::string(99, 'x') + of_two_bytes), "\"" + std::string(99, 'x') + "...\"");
}

}  // namespace
}  // namespace bowline::runtime
