// SPDX-License-Identifier: BSD-3-Clause
// mpiio/storage: names of files, kinds of file systems, and errors in words.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "mpiio/storage/file_name.hpp"
#include "mpiio/storage/file_system.hpp"
#include "mpiio/storage/io_errors.hpp"

namespace bowline::mpiio {
namespace {

TEST(FileName, LosesThePrefixOfAFileSystem) {
  EXPECT_EQ(path_in("ufs:/tmp/data"), "/tmp/data");
  EXPECT_EQ(path_in("lustre:data"), "data");
  EXPECT_EQ(path_in("nfs:dir/data"), "dir/data");
}

TEST(FileName, KeepsAColonOfThePath) {
  EXPECT_EQ(path_in("/tmp/ufs:data"), "/tmp/ufs:data");
  EXPECT_EQ(path_in("run:7"), "run:7");
  EXPECT_EQ(path_in(":data"), ":data");
  EXPECT_EQ(path_in(""), "");
}

TEST(FileSystem, IsKnownByItsNumber) {
  EXPECT_EQ(FileSystem::with_number(0xEF53).name, "ext4");
  EXPECT_FALSE(FileSystem::with_number(0xEF53).remote);
  EXPECT_EQ(FileSystem::with_number(0x0BD00BD0).name, "lustre");
  EXPECT_TRUE(FileSystem::with_number(0x6969).remote);
  // Some systems extend the sign of a 32-bit number.
  EXPECT_EQ(FileSystem::with_number(0xFFFFFFFF9123683E).name, "btrfs");
  EXPECT_EQ(FileSystem::with_number(1).name, "unknown");
}

TEST(FileSystem, ReadsTheStripesOfLustre) {
  std::array<std::byte, 32> attribute{};
  const auto put = [&](std::size_t at, auto value) { std::memcpy(attribute.data() + at, &value, sizeof value); };
  put(0, std::uint32_t{0x0BD10BD0});
  put(24, std::uint32_t{4 << 20});
  put(28, std::uint16_t{7});
  const auto stripes = lustre_stripes(attribute);
  ASSERT_TRUE(stripes);
  EXPECT_EQ(stripes->bytes, std::size_t{4} << 20);
  EXPECT_EQ(stripes->count, 7);
  EXPECT_FALSE(lustre_stripes(std::span(attribute).first(29)));
  put(28, std::uint16_t{0});
  EXPECT_FALSE(lustre_stripes(attribute)) << "a file without stripes";
  put(28, std::uint16_t{7});
  put(24, std::uint32_t{0});
  EXPECT_FALSE(lustre_stripes(attribute));
  put(24, std::uint32_t{4 << 20});
  put(0, std::uint32_t{0x12345678});
  EXPECT_FALSE(lustre_stripes(attribute));
}

TEST(IoErrors, HaveTheClassesOfMpi) {
  EXPECT_EQ(class_of(ENOENT), ErrorClass::no_such_file);
  EXPECT_EQ(class_of(EEXIST), ErrorClass::file_exists);
  EXPECT_EQ(class_of(EACCES), ErrorClass::access);
  EXPECT_EQ(class_of(EROFS), ErrorClass::read_only);
  EXPECT_EQ(class_of(ENOSPC), ErrorClass::no_space);
  EXPECT_EQ(class_of(EDQUOT), ErrorClass::quota);
  EXPECT_EQ(class_of(EIO), ErrorClass::io);
  EXPECT_EQ(class_of(ENAMETOOLONG), ErrorClass::bad_file);
  EXPECT_EQ(class_of(ECHRNG), ErrorClass::io) << "a number without a class of its own";
}

TEST(IoErrors, SayWhatFailedWhyAndWhatHelps) {
  const Error error = io_error(ENOSPC, access_in_words(true, 4096, 8192, "data.bin") + " by rank 2 on node7");
  EXPECT_EQ(error.error_class(), ErrorClass::no_space);
  EXPECT_STREQ(error.what(),
               "writing 4096 bytes at offset 8192 of data.bin by rank 2 on node7 failed: No space left on device; free "
               "some space, or write to another file system");
  EXPECT_STREQ(io_error(ECHRNG, "x").what(), "x failed: Channel number out of range");
}

}  // namespace
}  // namespace bowline::mpiio
