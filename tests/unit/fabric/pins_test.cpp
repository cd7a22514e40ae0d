// SPDX-License-Identifier: BSD-3-Clause
// Registrations that are older than the memory at their address.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>

#include "fabric_children.hpp"
#include "station.hpp"

namespace fabric::test {
namespace {

constexpr std::size_t length = 3 * 4096;

class Mapping {
 public:
  explicit Mapping(ibv_pd* domain)
      : start_(mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        region_(ibv_reg_mr(domain, start_, length, every_access)) {}
  ~Mapping() {
    ibv_dereg_mr(region_);
    munmap(start_, length);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* middle() const { return static_cast<std::byte*>(start_) + 4096; }
  ibv_sge piece() const { return {reinterpret_cast<std::uint64_t>(start_), length, region_->lkey}; }
  Place place() const { return {reinterpret_cast<std::uint64_t>(start_), region_->rkey}; }

 private:
  void* start_;
  ibv_mr* region_;
};

constexpr const char* found = "is used by a registration that is older than its mapping";

void write(const Station& one, const Mapping& from, const Mapping& to) {
  ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
  EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
}

const Variables pinned = {{"FABRIC_PINNED", "1"}};

class Pins : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root sees the numbers of pages";
  }

  // Changes memory between two uses of it: the second use is to be found.
  static void expect_found(const std::function<void(const Mapping& from, const Mapping& to)>& change) {
    const auto use = [&] {
      Station one, other;
      connect(one, other);
      const Mapping from(one.domain), to(other.domain);
      write(one, from, to);
      change(from, to);
      write(one, from, to);
    };
    in_ending_child(pinned, use, found);
  }
};

void map_anew(const Mapping& mapping) {
  mmap(mapping.middle(), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  *static_cast<int*>(mapping.middle()) = 1;
}

TEST_F(Pins, MemoryThatStaysMappedIsUsed) {
  in_child(pinned, [] {
    Station one, other;
    connect(one, other);
    const Mapping from(one.domain), to(other.domain);
    write(one, from, to);
    *static_cast<int*>(from.middle()) = 5;
    write(one, from, to);
    EXPECT_EQ(*static_cast<int*>(to.middle()), 5);
  });
}

TEST_F(Pins, MemoryThatIsMappedAnewIsFound) {
  expect_found([](const Mapping& from, const Mapping&) { map_anew(from); });
  expect_found([](const Mapping&, const Mapping& to) { map_anew(to); });
}

TEST_F(Pins, MemoryThatWasGivenBackIsFound) {
  expect_found([](const Mapping& from, const Mapping&) {
    madvise(from.middle(), 4096, MADV_DONTNEED);
    *static_cast<int*>(from.middle()) = 1;
  });
}

TEST_F(Pins, MemoryOfAnotherProcessIsChecked) {
  const auto passive = [](const Line& line) {
    Station own;
    const Mapping memory(own.domain);
    line.put(own.address());
    own.connect(line.get<Address>());
    line.put(memory.place());
    line.meet();
    map_anew(memory);
    line.put('m');
    line.wait_for_end();
  };
  const auto active = [](const Line& line) {
    Station own;
    const Mapping from(own.domain);
    line.put(own.address());
    own.connect(line.get<Address>());
    const auto place = line.get<Place>();
    const auto use = [&] {
      ASSERT_EQ(own.post(IBV_WR_RDMA_WRITE, 1, from.piece(), place), 0);
      EXPECT_EQ(own.next().status, IBV_WC_SUCCESS);
    };
    use();
    line.meet();
    line.get<char>();
    use();
  };
  in_two_children(pinned, passive, active, found);
}

}  // namespace
}  // namespace fabric::test
