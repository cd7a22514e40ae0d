// SPDX-License-Identifier: BSD-3-Clause
// The command line becomes the right values, or the right complaint.
#include <gtest/gtest.h>

#include <cstdlib>

#include "launcher/job_options.hpp"
#include "launcher/usage_error.hpp"

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
  EXPECT_EQ(options.placement.bind_to, Place::automatic);
  EXPECT_FALSE(options.timeout_s.has_value());
  EXPECT_EQ(options.grace_s, 5);
}

TEST(Options, Debuggers) {
  EXPECT_FALSE(parse({"p"}).for_gdb());
  for (const Words& words : {Words{"--gdb", "p", "0"}, Words{"-gdb", "p", "0"}}) {
    const Options options = parse(words);
    EXPECT_TRUE(options.all_under_gdb);
    EXPECT_EQ(options.apps[0].command, (Words{"p", "0"}));
  }
  const Options some = parse({"--gdb=3-5,0,4", "-n", "8", "p"});
  EXPECT_FALSE(some.all_under_gdb);
  EXPECT_EQ(some.gdb_ranks, (std::vector<int>{0, 3, 4, 5}));
  EXPECT_EQ(complaint({"--gdb=1,x", "p"}), "--gdb=1,x: \"x\" is neither a rank nor a range of ranks such as 0-3");
  EXPECT_EQ(complaint({"--gdb=5-3", "p"}), "--gdb=5-3: \"5-3\" is neither a rank nor a range of ranks such as 0-3");
}

TEST(Options, LostRanks) {
  EXPECT_FALSE(parse({"p"}).keep_going);
  for (const Words& words :
       {Words{"--keep-going", "p"}, Words{"-keep-going", "p"}, Words{"--with-ft", "mpi", "p"},
        Words{"-with-ft", "ulfm", "p"}, Words{"--with-ft=yes", "p"}, Words{"--with-ft", "1", "p"},
        Words{"-disable-auto-cleanup", "p"}, Words{"--enable-recovery", "p"}, Words{"--continuous", "p"},
        Words{"-am", "ft-enable-mpi", "p"}, Words{"--am", "ft-mpi", "p"}, Words{"--amca", "ft-mpi", "p"},
        Words{"--chaos", "42", "p"}}) {
    const Options options = parse(words);
    EXPECT_TRUE(options.keep_going) << words[0];
    EXPECT_TRUE(options.warnings.empty()) << words[0];
    EXPECT_EQ(options.apps[0].command, Words{"p"});
  }
  for (const char* no : {"no", "none", "false", "0", "off"}) {
    const Options options = parse({"--with-ft", no, "p"});
    EXPECT_FALSE(options.keep_going) << no;
    EXPECT_TRUE(options.warnings.empty()) << no;
  }
  EXPECT_EQ(complaint({"--with-ft", "maybe", "p"}), "--keep-going maybe: must be one of yes, no");
  const Options other = parse({"-am", "my-parameters", "p"});
  EXPECT_FALSE(other.keep_going);
  EXPECT_EQ(other.warnings.size(), 1U);
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
  EXPECT_EQ(options.hosts, (std::vector<Host>{{"a", 1}, {"b", 1}}));
  EXPECT_EQ(options.apps[0].wdir, "/d");
  EXPECT_EQ(options.timeout_s, 2.5);
  EXPECT_EQ(options.placement.bind_to, Place::none);
  EXPECT_EQ(options.tag, "[%r]<%s> ");
  EXPECT_EQ(options.apps[0].command, (Words{"p", "-np"}));
}

TEST(Options, TheProgramKeepsItsArguments) {
  const Words command = {"prog", "-n", "9", "--nonsense", "--", "-x", "", "--help"};
  Words words = {"-n", "2"};
  words.insert(words.end(), command.begin(), command.end());
  EXPECT_EQ(parse(words).apps[0].command, command);
  EXPECT_EQ(parse({"-n", "2", "--", "-odd", "a"}).apps[0].command, (Words{"-odd", "a"}));
}

TEST(Options, AnotherWordSeparatesPrograms) {
  const Options options = parse({"--separator", "::", "-n", "2", "a", ":", "::", "b", "--separator"});
  ASSERT_EQ(options.apps.size(), 2U);
  EXPECT_EQ(options.apps[0].command, (Words{"a", ":"}));
  EXPECT_EQ(options.apps[1].command, (Words{"b", "--separator"}));
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
  EXPECT_EQ(options.tag, "[%r]<%s> ");  // job-wide, wherever it stands
}

TEST(Options, Environment) {
  ASSERT_EQ(setenv("OPTIONS_TEST", "from outside", 1), 0);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse({"-x", "A=b=c", "--env", "E=", "-x", "OPTIONS_TEST", "p"}).apps[0].environment,
            (Pairs{{"A", "b=c"}, {"E", ""}, {"OPTIONS_TEST", "from outside"}}));
  unsetenv("OPTIONS_TEST");
  const Options without = parse({"-x", "OPTIONS_TEST", "-x", "A=1", "p"});  // the job goes on, as under Open MPI
  EXPECT_EQ(without.apps[0].environment, (Pairs{{"A", "1"}}));
  EXPECT_EQ(without.warnings, Words{"-x OPTIONS_TEST: is not set in the environment; -x OPTIONS_TEST=VALUE sets it"});
}

TEST(Options, LastOneWins) {
  const Options options = parse({"-n", "1", "--bind-to", "core", "-n", "4", "--bind-to", "socket", "p"});
  EXPECT_EQ(options.ranks(), 4);
  EXPECT_EQ(options.placement.bind_to, Place::socket);
}

TEST(Options, EveryObject) {
  for (const auto& [word, place] :
       {std::pair{"hwthread", Place::hwthread}, std::pair{"core", Place::core}, std::pair{"L3Cache", Place::l3cache},
        std::pair{"numa", Place::numa}, std::pair{"socket", Place::socket}, std::pair{"package", Place::socket},
        std::pair{"board", Place::node}, std::pair{"machine", Place::node}}) {
    EXPECT_EQ(parse({"--bind-to", word, "p"}).placement.bind_to, place) << word;
    EXPECT_EQ(parse({"--map-by", word, "p"}).placement.map_by, place) << word;
    EXPECT_EQ(parse({"--rank-by", word, "p"}).placement.rank_by, place) << word;
  }
  EXPECT_EQ(parse({"--bind-to", "none", "p"}).placement.bind_to, Place::none);
  EXPECT_EQ(parse({"--map-by", "slot", "p"}).placement.map_by, Place::slot);
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

TEST(Options, VariablesInMpichsForm) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const Options options =
      parse({"-genv", "A", "1", "-env", "B", "2 3", "-genv", "C=x=y", "p", ":", "-env", "A", "4", "q"});
  EXPECT_EQ(options.apps[0].environment, (Pairs{{"A", "1"}, {"C", "x=y"}, {"B", "2 3"}}));
  EXPECT_EQ(options.apps[1].environment, (Pairs{{"A", "1"}, {"C", "x=y"}, {"A", "4"}}));  // the last one counts
  EXPECT_EQ(parse({"p", ":", "-genv", "A", "1", "q", ":", "-genv", "B", "2", "r"}).apps[0].environment,
            (Pairs{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(complaint({"-genv", "A"}), "option -genv needs two values; mpiexec --help lists the options");
  EXPECT_NE(complaint({"-env", "", "1", "p"}).find("name of the variable is missing"), std::string::npos);
}

TEST(Options, WhatIsInherited) {
  const auto inherit = [](const Words& words) {
    std::vector<bool> found;
    for (const App& app : parse(words).apps) found.push_back(app.inherit.value());
    return found;
  };
  ASSERT_EQ(setenv("OPTIONS_TEST", "listed", 1), 0);
  EXPECT_EQ(inherit({"p", ":", "q"}), (std::vector<bool>{true, true}));
  EXPECT_EQ(inherit({"-genvnone", "p", ":", "-envall", "q"}), (std::vector<bool>{false, true}));
  EXPECT_EQ(inherit({"-envnone", "p", ":", "q"}), (std::vector<bool>{false, true}));
  EXPECT_EQ(inherit({"-envlist", "OPTIONS_TEST", "p", ":", "q"}), (std::vector<bool>{false, true}));
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse({"-genvlist", "OPTIONS_TEST,NOT_SET_ANYWHERE", "p"}).apps[0].environment,
            (Pairs{{"OPTIONS_TEST", "listed"}}));
  unsetenv("OPTIONS_TEST");
}

TEST(Options, TimeoutOfTheEnvironment) {
  ASSERT_EQ(setenv("MPIEXEC_TIMEOUT", "7", 1), 0);
  EXPECT_EQ(parse({"p"}).timeout_s, 7);
  EXPECT_EQ(parse({"--timeout", "3", "p"}).timeout_s, 3);  // the option wins
  setenv("MPIEXEC_TIMEOUT", "0", 1);
  EXPECT_FALSE(parse({"p"}).timeout_s.has_value());
  setenv("MPIEXEC_TIMEOUT", "soon", 1);
  EXPECT_NE(complaint({"p"}).find("MPIEXEC_TIMEOUT soon"), std::string::npos);
  unsetenv("MPIEXEC_TIMEOUT");
}

TEST(Options, TheSizeOfTheUniverse) {
  EXPECT_EQ(parse({"p"}).universe, std::nullopt);
  EXPECT_EQ(parse({"-usize", "5", "p"}).universe, 5);
  EXPECT_EQ(parse({"--usize", "System", "p"}).universe, std::nullopt);
  EXPECT_EQ(parse({"--usize", "infinite", "p"}).universe, Options::most_ranks);
  EXPECT_NE(complaint({"--usize", "0", "p"}).find("--usize 0: "), std::string::npos);
  setenv("OMPI_UNIVERSE_SIZE", "6", 1);
  EXPECT_EQ(parse({"p"}).universe, 6);
  setenv("MPIEXEC_UNIVERSE_SIZE", "x", 1);
  EXPECT_NE(complaint({"p"}).find("MPIEXEC_UNIVERSE_SIZE x: "), std::string::npos);
  EXPECT_EQ(parse({"--usize", "5", "p"}).universe, 5);
  unsetenv("OMPI_UNIVERSE_SIZE");
  unsetenv("MPIEXEC_UNIVERSE_SIZE");
}

TEST(Options, ListsOfOpenMpi5) {
  const Options options = parse({"--output", "tag,merge,dir=o", "--display", "map,bind,allocation", "p"});
  EXPECT_EQ(options.tag, "[%r]<%s> ");
  EXPECT_TRUE(options.merge_stderr && options.display_map && options.report_bindings && options.display_allocation);
  EXPECT_EQ(options.files.out, "o/1/rank.%0/stdout");
  EXPECT_TRUE(options.files.forwarded);
  EXPECT_NE(complaint({"--display", "nothing", "p"}).find("map, allocation, bind"), std::string::npos);
}

TEST(Options, PlacementIsReadInItsOrder) {
  const Placement placement = parse({"--nooversubscribe", "--map-by", "socket", "--use-hwthread-cpus", "p"}).placement;
  EXPECT_EQ(placement.map_by, Place::socket);
  EXPECT_TRUE(placement.no_sharing && placement.hwthreads);
  EXPECT_FALSE(parse({"--nooversubscribe", "--map-by", ":OVERSUBSCRIBE", "p"}).placement.no_sharing);
  EXPECT_EQ(parse({"--map-by", "ppr:2:node", "p"}).ranks_per_node, 2);
}

}  // namespace
}  // namespace bowline::launcher
