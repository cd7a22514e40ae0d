// SPDX-License-Identifier: BSD-3-Clause
// ShmNode: several devices of one process, connected to each other as the processes of a node are.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "node/segment.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"

namespace bowline::shm {

struct Arrival {
  int peer;
  transport::Header header;
  std::vector<std::byte> prefix;
  std::vector<std::byte> body;
};

/// Keeps what arrives.
class Collector final : public transport::Sink {
 public:
  void arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override {
    arrivals.push_back({peer, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
  }
  void broken(int peer, const Failure& why) noexcept override { failures.emplace_back(peer, why->what()); }
  std::vector<Arrival> arrivals;
  std::vector<std::pair<int, std::string>> failures;
};

/// Accesses to local memory end before they return.
class Nobody final : public transport::Operation {
  void ended(const Error*) noexcept override { ADD_FAILURE() << "an access that was done at once told of its end"; }
};

/// The ranks of one node in one process, each with one lane. World ranks are not local ranks.
class ShmNode : public testing::Test {
 protected:
  const std::vector<int> ranks{3, 7, 12};
  Inbox of_first{3, 1}, of_second{3, 1}, of_third{3, 1};
  ShmDevice first{of_first, 0, 3, ranks}, second{of_second, 0, 7, ranks}, third{of_third, 0, 12, ranks};
  Collector sink;
  Nobody nobody;

  static transport::Remote at(const void* address) { return {reinterpret_cast<std::uintptr_t>(address), {}}; }
  static void sleep_unless_ready(ShmDevice& device, int milliseconds) {
    transport::Sleeper& sleeper = *device.sleeper();
    sleeper.announce();
    if (device.ready()) {
      sleeper.withdraw();
    } else {
      sleeper.sleep(milliseconds);
    }
  }

  static void drain(ShmDevice& device, Collector& collector) {
    while (device.poll(collector) != 0) {
    }
  }
};
inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return data;
}

/// The text of the error that the call throws.
template <class F>
std::string refusal(ErrorClass error_class, F call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), error_class);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

inline InboxAddress told_by(const transport::Address& address) {
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  return told;
}
/// The memory of an inbox of this process, as a peer sees it.
class Memory {
 public:
  explicit Memory(const Inbox& inbox) : address_(told_by(inbox.address())) {}
  InboxHeader& header() { return *reinterpret_cast<InboxHeader*>(page_.data()); }
  /// The ring of a local rank that has connected.
  RingView ring(std::size_t local_rank) {
    const std::size_t lines = header().ring_lines;
    ring_ = segment_.map(ring_offset(local_rank, lines), ring_stride(lines));
    return {ring_.data(), lines};
  }

 private:
  InboxAddress address_;
  node::Segment segment_ = node::Segment::open(address_.memory, page_bytes).segment;
  node::Mapping page_ = segment_.map(0, page_bytes);
  node::Mapping ring_;
};

/// Bytes of memory that the inbox's file has.
inline std::size_t memory_of(const Inbox& inbox) {
  struct stat file {};
  EXPECT_EQ(fstat(told_by(inbox.address()).memory.descriptor, &file), 0);
  return static_cast<std::size_t>(file.st_blocks) * 512;
}

}  // namespace bowline::shm
