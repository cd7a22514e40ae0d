// SPDX-License-Identifier: BSD-3-Clause
// What a test hears of a transport: messages that arrive, and operations that end.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "transport/transport.hpp"

namespace bowline::test {

using Bytes = std::vector<std::byte>;

inline Bytes pattern(std::size_t bytes, unsigned seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return data;
}

/// A body that has no holes.
inline std::array<iovec, 1> one_run(std::span<const std::byte> bytes) {
  return {{{const_cast<std::byte*>(bytes.data()), bytes.size()}}};
}

struct Arrival {
  int peer;
  transport::Header header;
  Bytes prefix;
  Bytes body;
};

class Collector final : public transport::Sink {
 public:
  void arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override {
    if (refusals > 0) {
      --refusals;
      throw transport::NotYet(ErrorClass::other, "not now");
    }
    arrivals.push_back({peer, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
  }
  void broken(int peer, const Failure& why) noexcept override {
    if (!may_break) ADD_FAILURE() << peer << ": " << why->what();
    broken_off.emplace_back(peer, why->what());
  }
  int refusals = 0;
  bool may_break = false;
  std::vector<std::pair<int, std::string>> broken_off;
  std::vector<Arrival> arrivals;
};

class Ends final : public transport::Operation {
 public:
  void ended(const Error* failure) noexcept override {
    ++count;
    if (failure != nullptr) failures.push_back(failure->what());
  }
  int count = 0;
  std::vector<std::string> failures;
};

}  // namespace bowline::test
