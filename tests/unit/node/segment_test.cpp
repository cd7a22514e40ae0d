// SPDX-License-Identifier: BSD-3-Clause
// node/segment: anonymous shared memory, opened by another descriptor, backed where it was reserved, and given back.
#include "node/segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "node/host.hpp"

namespace bowline::node {
namespace {

constexpr std::size_t page = 4096;

struct stat file_of(const Segment& segment) {
  struct stat file {};
  EXPECT_EQ(fstat(segment.descriptor(), &file), 0);
  return file;
}

bool is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

/// Whether any mapping of this process begins at the address.
bool is_mapped(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (std::stoull(line, nullptr, 16) == reinterpret_cast<std::uintptr_t>(address)) return true;
  }
  return false;
}

template <class F>
std::string refusal(ErrorClass error_class, F make) {
  try {
    make();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), error_class);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Segment, HasItsSizeAndNoMemoryAtFirst) {
  const Segment segment = Segment::create("test", 1000 * page);
  EXPECT_EQ(file_of(segment).st_size, static_cast<off_t>(1000 * page));
  EXPECT_EQ(file_of(segment).st_blocks, 0);
}

TEST(Segment, ReservesOnlyWhatIsAskedFor) {
  Segment segment = Segment::create("test", 1000 * page);
  segment.reserve(10 * page, 3 * page);
  EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(3 * page));
  segment.reserve(11 * page, page);
  EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(3 * page));
}

TEST(Segment, IsZeroAndSharedBetweenMappings) {
  Segment segment = Segment::create("test", 4 * page);
  const Mapping whole = segment.map(0, 4 * page);
  const Mapping part = segment.map(2 * page, page);
  EXPECT_EQ(whole.size(), 4 * page);
  EXPECT_EQ(part.size(), page);
  EXPECT_TRUE(std::all_of(whole.data(), whole.data() + whole.size(), [](std::byte b) { return b == std::byte{0}; }));
  part.data()[5] = std::byte{42};
  EXPECT_EQ(whole.data()[2 * page + 5], std::byte{42});
}

// Where pages are longer than the layout of the memory assumes, parts begin within a page.
TEST(Segment, MapsAndReservesPartsThatBeginWithinAPage) {
  Segment segment = Segment::create("test", 4 * page);
  const Mapping whole = segment.map(0, 4 * page);
  {
    Mapping part = segment.map(page + 100, page);
    const Mapping moved = std::move(part);
    EXPECT_EQ(moved.size(), page);
    moved.reserve({moved.data() + page / 2, page / 2});
    EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(2 * page));
    moved.data()[0] = std::byte{1};
    moved.data()[page - 1] = std::byte{2};
  }
  EXPECT_EQ(whole.data()[page + 100], std::byte{1});
  EXPECT_EQ(whole.data()[2 * page + 99], std::byte{2});
}

TEST(Segment, AnotherDescriptorOpensTheSameMemory) {
  Segment mine = Segment::create("test", page);
  const Segment theirs = Segment::open(mine.offer(), page).segment;
  EXPECT_NE(mine.descriptor(), theirs.descriptor());
  EXPECT_EQ(file_of(mine).st_ino, file_of(theirs).st_ino);
  const Mapping written = mine.map(0, page);
  const Mapping read = theirs.map(0, page);
  written.data()[100] = std::byte{7};
  EXPECT_EQ(read.data()[100], std::byte{7});
}

TEST(Segment, MemoryOutlivesTheDescriptor) {
  Mapping mapping;
  {
    Segment segment = Segment::create("test", page);
    mapping = segment.map(0, page);
  }
  mapping.data()[0] = std::byte{1};
  EXPECT_EQ(mapping.data()[0], std::byte{1});
}

TEST(Segment, HasNoNameInAnyFileSystem) {
  const Segment segment = Segment::create("test-label", page);
  EXPECT_EQ(file_of(segment).st_nlink, 0U);
  char target[256] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(segment.descriptor());
  ASSERT_GT(readlink(link.c_str(), target, sizeof target - 1), 0);
  EXPECT_NE(std::string(target).find("test-label"), std::string::npos);
}

TEST(Segment, IsNotInheritedByOtherPrograms) {
  Segment mine = Segment::create("test", page);
  const Segment theirs = Segment::open(mine.offer(), page).segment;
  for (const int descriptor : {mine.descriptor(), theirs.descriptor()}) {
    EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Segment, MovingKeepsOneOwner) {
  Segment one = Segment::create("test", page);
  const int descriptor = one.descriptor();
  {
    Segment two = std::move(one);
    EXPECT_EQ(two.descriptor(), descriptor);
    EXPECT_TRUE(is_open(descriptor));
  }
  EXPECT_FALSE(is_open(descriptor));
}

TEST(Segment, MappingsAreUnmappedOnce) {
  const Segment segment = Segment::create("test", 2 * page);
  const std::byte* address = nullptr;
  {
    Mapping one = segment.map(0, 2 * page);
    address = one.data();
    Mapping two = std::move(one);
    EXPECT_EQ(two.data(), address);
    Mapping three;
    three = std::move(two);
    EXPECT_EQ(three.data(), address);
    EXPECT_TRUE(is_mapped(address));
  }
  EXPECT_FALSE(is_mapped(address));
}

TEST(Segment, WhatCannotBeOpenedIsNamed) {
  const Ticket nothing{.process = getpid(), .descriptor = 99999, .socket = 0, .secret = 1};
  const std::string text = refusal(ErrorClass::other, [&] { Segment::open(nothing, page); });
  EXPECT_NE(text.find(std::to_string(getpid())), std::string::npos) << text;
  EXPECT_NE(text.find("/fd/99999"), std::string::npos) << text;
  EXPECT_NE(text.find(host_name()), std::string::npos) << text;
  EXPECT_NE(text.find("No such file"), std::string::npos) << text;
}

TEST(Segment, NobodyCanChangeItsSize) {
  const Segment segment = Segment::create("test", 4 * page);
  for (const std::size_t pages : {0, 3, 5}) {
    EXPECT_EQ(ftruncate(segment.descriptor(), static_cast<off_t>(pages * page)), -1);
  }
  EXPECT_EQ(segment.bytes(), 4 * page);
}

/// What /proc shows under the number of a ticket may be anything. There is no socket, so nothing else is tried.
void expect_no_segment(int descriptor, std::uint64_t secret) {
  const Ticket ticket{.process = getpid(), .descriptor = descriptor, .socket = 0, .secret = secret};
  const std::string text = refusal(ErrorClass::other, [&] { Segment::open(ticket, 2 * page); });
  EXPECT_NE(text.find("/fd/" + std::to_string(descriptor)), std::string::npos) << text;
}

TEST(Segment, WhatIsNoSegmentIsNotOpened) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor in(ends[0]), out(ends[1]);
  expect_no_segment(in.number(), 1);
  expect_no_segment(out.number(), 1);
  const Descriptor device(open("/dev/null", O_RDWR | O_CLOEXEC));
  expect_no_segment(device.number(), 1);
  const Descriptor directory(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  expect_no_segment(directory.number(), 1);
  const Descriptor empty(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  expect_no_segment(empty.number(), 0);
}

TEST(Segment, MemoryThatMayGetShorterIsNotOpened) {
  constexpr std::uint64_t secret = 12345;
  const Descriptor file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(file.number(), 2 * page), 0);
  ASSERT_EQ(pwrite(file.number(), &secret, sizeof secret, 0), static_cast<ssize_t>(sizeof secret));
  expect_no_segment(file.number(), secret);
  ASSERT_EQ(fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  const Ticket ticket{.process = getpid(), .descriptor = file.number(), .socket = 0, .secret = secret};
  EXPECT_EQ(Segment::open(ticket, 2 * page).segment.bytes(), 2 * page);  // now it is one
}

TEST(Segment, AnotherOrAShorterSegmentIsNotOpened) {
  Segment segment = Segment::create("test", page);
  Ticket ticket = segment.offer();
  refusal(ErrorClass::other, [&] { Segment::open(ticket, page + 1); });
  ticket.secret ^= 1;
  refusal(ErrorClass::other, [&] { Segment::open(ticket, page); });
}

// Memory files have no limit of their own: asking for more than there is would take it from the whole machine.
TEST(Segment, MoreThanThereIsIsRefusedWithBothAmounts) {
  Segment segment = Segment::create("test", page);
  constexpr std::size_t much = std::size_t{1} << 60;
  const std::string text = refusal(ErrorClass::no_mem, [&] { segment.reserve(page, much); });
  EXPECT_NE(text.find(std::to_string(much)), std::string::npos) << text;
  EXPECT_NE(text.find(host_name()), std::string::npos) << text;
  const auto found = text.find("only ");
  ASSERT_NE(found, std::string::npos) << text;
  EXPECT_GT(std::stoull(text.substr(found + 5)), 0U) << text;
  EXPECT_EQ(file_of(segment).st_blocks, 0);
}

// What is refused here has an end that no file can have: the kernel says so before it takes a page.
TEST(Segment, WhatTheKernelRefusesIsRefusedWithTheAmount) {
  Segment segment = Segment::create("test", page);
  constexpr std::size_t end = (std::size_t{1} << 63) - page;
  const std::string text = refusal(ErrorClass::no_mem, [&] { segment.reserve(end, 2 * page); });
  EXPECT_NE(text.find(std::to_string(2 * page)), std::string::npos) << text;
  EXPECT_NE(text.find(host_name()), std::string::npos) << text;
  EXPECT_EQ(file_of(segment).st_blocks, 0);
}

TEST(Segment, ReservesLongRangesWhole) {
  constexpr std::size_t much = 20 << 20;
  Segment segment = Segment::create("test", 2 * much);
  segment.reserve(page, much + page);
  EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(much + page));
}

TEST(Segment, AMappingReservesThePagesThatAPartLiesInAndLeavesWhatIsThere) {
  const Segment segment = Segment::create("test", 1000 * page);
  const Mapping mapping = segment.map(2 * page, 900 * page);
  std::byte* const begin = mapping.data() + 10 * page;
  begin[5] = std::byte{42};
  mapping.reserve({begin + 100, 2 * page});  // ends in the third
  EXPECT_EQ(begin[5], std::byte{42});
  if (madvise(nullptr, 0, MADV_POPULATE_WRITE) != 0) {
    GTEST_SKIP() << "this kernel gives pages only when they are written (before Linux 5.14)";
  }
  EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(3 * page));
}

TEST(Segment, WhatAMappingCannotReserveIsRefusedWithTheAmount) {
  const Segment segment = Segment::create("test", page);
  const Mapping mapping = segment.map(0, 3 * page);  // longer than the segment
  const std::string text = refusal(ErrorClass::no_mem, [&] { mapping.reserve({mapping.data() + page, 2 * page}); });
  EXPECT_NE(text.find(std::to_string(2 * page)), std::string::npos) << text;
  EXPECT_NE(text.find(host_name()), std::string::npos) << text;
}

TEST(Segment, WhatIsReservedLaterHasToBeThereToo) {
  Segment segment = Segment::create("test", 2 * page);
  segment.reserve(0, page, page);
  EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(page));
  constexpr std::size_t much = std::size_t{1} << 60;
  const std::string text = refusal(ErrorClass::no_mem, [&] { segment.reserve(page, page, much); });
  EXPECT_NE(text.find(std::to_string(much + page)), std::string::npos) << text;
  EXPECT_EQ(file_of(segment).st_blocks * 512, static_cast<blkcnt_t>(page));
}

TEST(Segment, WhatCannotBeMappedOrMadeIsRefused) {
  const Segment segment = Segment::create("test", page);
  const std::string mapped =
      refusal(ErrorClass::no_mem, [&] { segment.map(0, std::numeric_limits<std::size_t>::max() / 2); });
  EXPECT_NE(mapped.find("cannot be mapped"), std::string::npos) << mapped;
  const std::string made = refusal(ErrorClass::no_mem, [] { Segment::create("test", std::size_t{1} << 63); });
  EXPECT_NE(made.find(host_name()), std::string::npos) << made;
}

}  // namespace
}  // namespace bowline::node
