// SPDX-License-Identifier: BSD-3-Clause
// runtime/jobs/private_directory: a directory that others could use is refused.
#include "runtime/jobs/private_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace bowline::runtime {
namespace {

namespace fs = std::filesystem;

/// The sentence with which both functions refuse the directory for its kind; empty if they do not.
std::string refusal(const fs::path& path) {
  std::string told;
  for (const auto function : {make_private_directory, open_private_directory}) {
    try {
      function(path);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::access) << error.what();
      EXPECT_NE(std::string(error.what()).find("BOWLINE_NAMES_DIRECTORY"), std::string::npos) << error.what();
      told = error.what();
    }
  }
  return told;
}

TEST(PrivateDirectory, IsMadeForThisUserAlone) {
  const test::TemporaryFolder outer;
  const fs::path path = outer.path() / "a" / "b";
  EXPECT_FALSE(open_private_directory(path));
  EXPECT_TRUE(make_private_directory(path));
  for (const fs::path& each : {path, path.parent_path()}) {
    struct stat found {};
    ASSERT_EQ(stat(each.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0700U);
  }
  EXPECT_TRUE(open_private_directory(path));
  EXPECT_TRUE(make_private_directory(path.string() + "///"));
}

TEST(PrivateDirectory, MayLieBelowALink) {
  const test::TemporaryFolder outer;
  fs::create_directory(outer.path() / "home");
  fs::create_directory_symlink(outer.path() / "home", outer.path() / "link");
  EXPECT_TRUE(make_private_directory(outer.path() / "link" / "names"));
  EXPECT_TRUE(fs::is_directory(outer.path() / "home" / "names"));
}

TEST(PrivateDirectory, OfAnotherKindIsRefused) {
  const test::TemporaryFolder outer;
  fs::create_directory(outer.path() / "target");
  fs::permissions(outer.path() / "target", fs::perms::owner_all);
  fs::create_directory_symlink(outer.path() / "target", outer.path() / "link");
  std::ofstream(outer.path() / "file") << "text";
  EXPECT_NE(refusal(outer.path() / "link").find("is a link or a file"), std::string::npos);
  EXPECT_NE(refusal(outer.path() / "link/").find("is a link or a file"), std::string::npos);
  EXPECT_NE(refusal(outer.path() / "file").find("is a link or a file"), std::string::npos);
}

TEST(PrivateDirectory, ThatOthersMayEnterIsRefused) {
  const test::TemporaryFolder outer;
  for (const unsigned mode : {0755U, 0710U, 0702U}) {
    ASSERT_EQ(chmod(outer.path().c_str(), mode), 0);
    const std::string text = refusal(outer.path());
    EXPECT_NE(text.find("change it to 700"), std::string::npos) << text;
  }
  ASSERT_EQ(chmod(outer.path().c_str(), 02700), 0);
  EXPECT_EQ(refusal(outer.path()), "") << "the bit that files inherit the group changes nothing";
}

TEST(PrivateDirectory, OfAnotherUserIsRefused) {
  const test::TemporaryFolder outer;
  // Root can give a directory away; for other users there is one of root's.
  const bool given = chown(outer.path().c_str(), 12345, 12345) == 0;
  const fs::path foreign = given ? outer.path() : fs::path("/");
  EXPECT_NE(refusal(foreign).find(given ? "belongs to user 12345" : "belongs to user"), std::string::npos);
}

TEST(PrivateDirectory, WhatTheSystemRefusesIsSaid) {
  const std::string path = "/proc/self/no/names";
  EXPECT_FALSE(open_private_directory(path));
  try {
    make_private_directory(path);
    ADD_FAILURE() << "made";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("making " + path), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace bowline::runtime
