// SPDX-License-Identifier: BSD-3-Clause
// The command line becomes the right values, or the right complaint.
#include "launcher/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "launcher/error.hpp"

namespace bowline::launcher {
namespace {

using Words = std::vector<std::string>;

Options parse(const Words& words) {
  return parse_options(words).options;
}

std::string complaint(const Words& words) {
  try {
    parse_options(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Options, Defaults) {
  const Options options = parse({"prog"});
  ASSERT_EQ(options.apps.size(), 1U);
  EXPECT_EQ(options.apps[0].command, Words{"prog"});
  EXPECT_EQ(options.ranks(), 1);
  EXPECT_FALSE(options.apps[0].ranks_given);
  EXPECT_EQ(options.bind_to, BindTo::automatic);
  EXPECT_FALSE(options.timeout_s.has_value());
  EXPECT_EQ(options.grace_s, 5);
}

TEST(Options, NumberOfRanksInAllSpellings) {
  for (const Words& words : {Words{"-n", "3", "p"}, Words{"-n3", "p"}, Words{"-np", "3", "p"}, Words{"--np", "3", "p"},
                             Words{"--np=3", "p"}, Words{"-np=3", "p"}, Words{"--n", "3", "p"}}) {
    const Options options = parse(words);
    EXPECT_EQ(options.ranks(), 3) << words[0];
    EXPECT_EQ(options.apps[0].command, Words{"p"});
  }
}

TEST(Options, LongNamesAfterOneDash) {
  const Options options = parse(
      {"-host", "a,b", "-wdir", "/d", "-timeout", "2.5", "-bind-to", "none", "-tag-output", "-np", "2", "p", "-np"});
  EXPECT_EQ(options.hosts, (Words{"a", "b"}));
  EXPECT_EQ(options.apps[0].wdir, "/d");
  EXPECT_EQ(options.timeout_s, 2.5);
  EXPECT_EQ(options.bind_to, BindTo::none);
  EXPECT_TRUE(options.tag_output);
  EXPECT_EQ(options.apps[0].command, (Words{"p", "-np"}));
}

TEST(Options, TheProgramKeepsItsArguments) {
  const Words command = {"prog", "-n", "9", "--nonsense", "--", "-x", "", "--help"};
  Words words = {"-n", "2"};
  words.insert(words.end(), command.begin(), command.end());
  EXPECT_EQ(parse(words).apps[0].command, command);
  EXPECT_EQ(parse({"-n", "2", "--", "-odd", "a"}).apps[0].command, (Words{"-odd", "a"}));
}

TEST(Options, SeveralPrograms) {
  const Options options =
      parse({"-n", "2", "-x", "A=1", "a", "x", ":", "-n", "3", "--wdir", "/w", "--tag-output", "b", ":", "c"});
  ASSERT_EQ(options.apps.size(), 3U);
  EXPECT_EQ(options.ranks(), 6);
  EXPECT_EQ(options.apps[0].command, (Words{"a", "x"}));
  EXPECT_EQ(options.apps[0].environment.size(), 1U);
  EXPECT_EQ(options.apps[1].wdir, "/w");
  EXPECT_TRUE(options.apps[1].environment.empty());
  EXPECT_EQ(options.apps[2].wdir, "");
  EXPECT_TRUE(options.tag_output);  // job-wide, wherever it stands
}

TEST(Options, Environment) {
  ASSERT_EQ(setenv("OPTIONS_TEST", "from outside", 1), 0);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse({"-x", "A=b=c", "--env", "E=", "-x", "OPTIONS_TEST", "p"}).apps[0].environment,
            (Pairs{{"A", "b=c"}, {"E", ""}, {"OPTIONS_TEST", "from outside"}}));
  unsetenv("OPTIONS_TEST");
  EXPECT_NE(complaint({"-x", "OPTIONS_TEST", "p"}).find("not set"), std::string::npos);
}

TEST(Options, LastOneWins) {
  const Options options = parse({"-n", "1", "--bind-to", "core", "-n", "4", "--bind-to", "socket", "p"});
  EXPECT_EQ(options.ranks(), 4);
  EXPECT_EQ(options.bind_to, BindTo::socket);
}

TEST(Options, EveryObject) {
  EXPECT_EQ(parse({"--bind-to", "core", "p"}).bind_to, BindTo::core);
  EXPECT_EQ(parse({"--bind-to", "numa", "p"}).bind_to, BindTo::numa);
  EXPECT_EQ(parse({"--map-by", "slot", "p"}).map_by, MapBy::slot);
  EXPECT_EQ(parse({"--map-by", "core", "p"}).map_by, MapBy::core);
  EXPECT_EQ(parse({"--map-by", "numa", "p"}).map_by, MapBy::numa);
  EXPECT_EQ(parse({"--map-by", "socket", "p"}).map_by, MapBy::socket);
}

TEST(Options, HelpAndVersionPrint) {
  EXPECT_NE(parse_options(Words{"--help"}).print.value_or("").find("--timeout"), std::string::npos);
  EXPECT_NE(parse_options(Words{"--version"}).print.value_or("").find("Bowline"), std::string::npos);
  EXPECT_FALSE(parse_options(Words{"prog", "--help"}).print.has_value());
}

TEST(Options, Complaints) {
  EXPECT_NE(complaint({}).find("no program"), std::string::npos);
  EXPECT_NE(complaint({"-n", "0", "p"}).find("-n 0"), std::string::npos);
  EXPECT_NE(complaint({"-n", "1x", "p"}).find("-n 1x"), std::string::npos);
  EXPECT_NE(complaint({"-n", "2147483648", "p"}).find("-n 2147483648"), std::string::npos);
  EXPECT_NE(complaint({"--timeout", "-1", "p"}).find("--timeout -1"), std::string::npos);
  EXPECT_NE(complaint({"--timeout", "inf", "p"}).find("--timeout inf"), std::string::npos);
  EXPECT_NE(complaint({"--bind", "core", "p"}).find("--bind"), std::string::npos);
  EXPECT_NE(complaint({"--report-bindngs", "p"}).find("did you mean --report-bindings?"), std::string::npos);
  EXPECT_NE(complaint({"p", ":"}).find("no program"), std::string::npos);
  EXPECT_EQ(complaint({"p"}), "none");
}

}  // namespace
}  // namespace bowline::launcher
