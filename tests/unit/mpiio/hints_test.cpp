// SPDX-License-Identifier: BSD-3-Clause
// mpiio/file: hints and access modes.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "mpiio/file/access_mode.hpp"
#include "mpiio/file/file_hints.hpp"

namespace bowline::mpiio {
namespace {

std::string in_use(const Hints& hints, std::string_view key) {
  const Info info = hints.info();
  const std::string* const value = info.find(std::string(key));
  return value == nullptr ? "(none)" : *value;
}

TEST(Hints, HaveTheDefaultsThatUsersKnow) {
  const Hints hints = Hints::defaults({.name = "lustre", .remote = true, .stripe_bytes = 1 << 20, .stripes = 4});
  EXPECT_EQ(in_use(hints, "cb_buffer_size"), "16777216");
  EXPECT_EQ(in_use(hints, "ind_rd_buffer_size"), "4194304");
  EXPECT_EQ(in_use(hints, "ind_wr_buffer_size"), "524288");
  EXPECT_EQ(in_use(hints, "romio_cb_write"), "automatic");
  EXPECT_EQ(in_use(hints, "striping_unit"), "1048576");
  EXPECT_EQ(in_use(hints, "striping_factor"), "4");
  EXPECT_EQ(in_use(Hints::defaults({}), "striping_unit"), "(none)");
}

TEST(Hints, AreTakenAndReportedBack) {
  Info info;
  info.set("cb_buffer_size", "1048576");
  info.set("cb_nodes", "3");
  info.set("romio_cb_write", "enable");
  info.set("romio_ds_read", "disable");
  info.set("access_style", "write_once,random");
  info.set("striping_unit", "65536");
  info.set("file_perm", "640");
  Hints hints = Hints::defaults({});
  hints.take(info, true);
  for (const char* const key :
       {"cb_buffer_size", "cb_nodes", "romio_cb_write", "romio_ds_read", "access_style", "striping_unit", "file_perm"})
    EXPECT_EQ(in_use(hints, key), *info.find(key)) << key;
  EXPECT_EQ(hints.file_perm, 0640U);
}

TEST(Hints, OfTheStandardConcernBothDirections) {
  Info info;
  info.set("collective_buffering", "false");
  info.set("romio_cb_read", "enable");  // the more precise one counts
  Hints hints = Hints::defaults({});
  hints.take(info, false);
  EXPECT_EQ(hints.cb_write, Use::disabled);
  EXPECT_EQ(hints.cb_read, Use::enabled);
}

TEST(Hints, WithoutAValidValueAreIgnored) {
  Info info;
  info.set("cb_buffer_size", "-5");
  info.set("cb_nodes", "many");
  info.set("romio_cb_write", "perhaps");
  info.set("file_perm", "999");
  info.set("striping_factor", "99999999999");
  Hints hints = Hints::defaults({});
  hints.take(info, true);
  for (const char* const key : {"cb_buffer_size", "cb_nodes", "romio_cb_write", "file_perm", "striping_factor"})
    EXPECT_EQ(in_use(hints, key), in_use(Hints::defaults({}), key)) << key;
  info.set("cb_buffer_size", "1");  // less than a page is no use
  hints.take(info, true);
  EXPECT_EQ(hints.cb_buffer_size, 4096U);
}

TEST(Hints, OfTheOpenCountOnlyThere) {
  Info info;
  info.set("striping_unit", "65536");
  info.set("file_perm", "600");
  Hints hints = Hints::defaults({});
  hints.take(info, false);
  EXPECT_EQ(hints.striping_unit, 0U);
  EXPECT_EQ(hints.file_perm, 0666U);
}

ErrorClass class_for(int amode) {
  try {
    check_mode(amode);
    return ErrorClass::success;
  } catch (const Error& error) {
    return error.error_class();
  }
}

TEST(AccessMode, HasOneDirectionAndNoForbiddenCombination) {
  EXPECT_EQ(class_for(mode::rdonly), ErrorClass::success);
  EXPECT_EQ(class_for(mode::rdwr | mode::create | mode::excl | mode::append | mode::delete_on_close),
            ErrorClass::success);
  EXPECT_EQ(class_for(mode::wronly | mode::create | mode::sequential | mode::unique_open), ErrorClass::success);
  for (const int wrong :
       {0, mode::create, mode::rdonly | mode::rdwr, mode::rdonly | mode::wronly, mode::rdonly | mode::create,
        mode::rdonly | mode::excl, mode::rdwr | mode::sequential, mode::rdwr | 0x4000})
    EXPECT_EQ(class_for(wrong), ErrorClass::amode) << wrong;
}

TEST(AccessMode, IsNamedInErrors) {
  EXPECT_EQ(mode_in_words(mode::wronly | mode::create), "MPI_MODE_WRONLY | MPI_MODE_CREATE");
  EXPECT_EQ(mode_in_words(mode::rdonly | 0x8000), "MPI_MODE_RDONLY | 0x8000");
  EXPECT_EQ(mode_in_words(0), "0x0");
}

}  // namespace
}  // namespace bowline::mpiio
