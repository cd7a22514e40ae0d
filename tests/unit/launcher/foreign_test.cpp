// SPDX-License-Identifier: BSD-3-Clause
// The table of other launchers' options: each row leads to options that mpiexec has, or to a sentence.
#include "launcher/command_line/foreign.hpp"

#include <gtest/gtest.h>

#include <set>

#include "launcher/command_line/values.hpp"
#include "launcher/job_options.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using Words = std::vector<std::string>;

/// An option as a user writes it, with values that fit all of them.
Words written(const std::string& name, const ForeignOption& row) {
  Words words = {name[0] == '-' ? name : "-" + name};
  for (int i = 0; i < row.values; ++i) {
    const std::string text(row.text);
    words.push_back(text.starts_with("--bind-to") ? "core"
                    : text == "--map-by ppr:$1"   ? "1:socket"
                    : text == "--cpu-set $1"      ? "0"
                                                  : "1");
  }
  return words;
}

TEST(Foreign, NamesStandInOneRowOnly) {
  std::set<std::string> seen;
  for (const ForeignOption& row : foreign_options()) {
    for (const std::string& name : split(row.names, ' ')) EXPECT_TRUE(seen.insert(name).second) << name;
  }
  EXPECT_GT(seen.size(), 100U);
}

TEST(Foreign, EachOptionIsUnderstood) {
  const std::set<std::string_view> reads_files = {"--hostfile $1", "--configfile $1"};
  for (const ForeignOption& row : foreign_options()) {
    for (const std::string& name : split(row.names, ' ')) {
      if (reads_files.contains(row.text)) continue;  // tests/launcher
      Words words = written(name, row);
      words.insert(words.end(), {"prog", "argument"});
      const Parsed parsed = parse_options(words);
      if (row.text == "--version") {
        EXPECT_TRUE(parsed.print.has_value()) << name;
        continue;
      }
      EXPECT_EQ(parsed.options.apps.at(0).command, (Words{"prog", "argument"})) << name;
      const bool warns =
          row.effect == Effect::none || row.effect == Effect::parameters || row.text.ends_with(":nolocal");
      EXPECT_EQ(parsed.options.warnings.size(), warns ? 1U : 0U) << name;
    }
  }
}

TEST(Foreign, OneDashOrTwo) {
  for (const char* dashes : {"-", "--"}) {
    EXPECT_EQ(parse_options(Words{std::string(dashes) + "np", "3", "p"}).options.ranks(), 3);
    EXPECT_EQ(parse_options(Words{std::string(dashes) + "npernode", "2", "p"}).options.ranks_per_node, 2);
  }
  // The same name after two dashes is mpiexec's own, with one value.
  EXPECT_EQ(parse_options(Words{"-env", "A", "1", "p"}).options.apps[0].command, Words{"p"});
  EXPECT_EQ(parse_options(Words{"--env", "A=1", "p"}).options.apps[0].command, Words{"p"});
}

TEST(Foreign, WarningsNameWhatTakesThePlace) {
  const auto warning = [](const Words& words) { return parse_options(words).options.warnings.at(0); };
  EXPECT_EQ(
      warning({"--mca", "btl", "self,vader", "p"}),
      "--mca btl self,vader has no effect here: ranks of a node share memory, others talk over UCX, whose UCX_TLS "
      "chooses transports");
  EXPECT_NE(warning({"-mca", "rmaps_base_mapping_policy", "core", "p"}).find("--map-by"), std::string::npos);
  EXPECT_NE(warning({"-gmca", "something_else", "1", "p"}).find("bowline-info --tunables"), std::string::npos);
  EXPECT_NE(warning({"-iface", "eth0", "p"}).find("UCX_NET_DEVICES"), std::string::npos);
  EXPECT_TRUE(parse_options(Words{"-quiet", "--mca", "a", "b", "p"}).options.warnings.empty());
  EXPECT_TRUE(parse_options(Words{"--mca", "a", "b", "-q", "--bind-to", "gpu0", "p"}).options.warnings.empty());
}

TEST(Foreign, ValuesThatAreMissing) {
  for (const Words& words : {Words{"--mca", "btl"}, Words{"-mca"}, Words{"-genv"}, Words{"-iface"}}) {
    try {
      parse_options(words);
      ADD_FAILURE() << words[0];
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("option " + words[0] + " needs "), std::string::npos) << error.what();
    }
  }
}

TEST(Foreign, WhatTheProgramGetsIsLeftAlone) {
  EXPECT_EQ(parse_options(Words{"-n", "1", "prog", "--mca", "a", "b", "-genv"}).options.apps[0].command,
            (Words{"prog", "--mca", "a", "b", "-genv"}));
}

}  // namespace
}  // namespace bowline::launcher
