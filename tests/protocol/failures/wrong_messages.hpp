// SPDX-License-Identifier: BSD-3-Clause
// WrongMessages: damaged messages, and messages of anything, for fuzz_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

#include "fuzz_peers.hpp"
#include "proto/services/partitioned.hpp"
#include "recording.hpp"

namespace bowline::proto::fuzz {

class WrongMessages {
 public:
  explicit WrongMessages(std::mt19937& random) : random_(random) {}

  std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  int any_peer() { return 1 + static_cast<int>(below(ranks - 1)); }

  void damage(Message& message) {
    for (std::uint32_t times = 1 + below(3); times > 0; --times) {
      switch (below(9)) {
        case 0:
          flip(&message.header, sizeof message.header);
          break;
        case 1:
        case 2:
          flip(message.prefix.data(), message.prefix.size());
          break;
        case 3:
          message.header.kind = some_kind();
          break;
        case 4:
          message.prefix.resize(below(2) == 0 ? below(65) : 8 * below(5));
          break;
        case 5:
          message.body.resize(below(2000));
          break;
        case 6:
          message.rank = any_peer();
          break;
        case 7: {  // a whole word of the prefix: near what it was, or anything
          const std::size_t words = message.prefix.size() / 8;
          if (words == 0) break;
          std::byte* const place = message.prefix.data() + 8 * below(words);
          std::uint64_t value = 0;
          std::memcpy(&value, place, sizeof value);
          value = below(2) == 0 ? value + below(5) - 2 : word() >> below(64);
          std::memcpy(place, &value, sizeof value);
          break;
        }
        default:
          message.header.context = below(2) == 0 ? with_purpose(test_context, Purpose::partitioned) : number();
      }
    }
  }
  Message anything() {
    Message message{
        any_peer(), {}, Bytes(below(2) == 0 ? 8 * below(5) : below(65)), Bytes(below(3) == 0 ? below(2000) : 0)};
    message.header = {.context = below(4) == 0 ? number() : test_context,
                      .source = below(4) == 0 ? static_cast<std::int32_t>(number()) : message.rank,
                      .tag = below(4) == 0 ? static_cast<std::int32_t>(number()) : 1,
                      .kind = below(8) == 0 ? static_cast<std::uint8_t>(below(256)) : some_kind()};
    for (std::byte& each : message.prefix) each = static_cast<std::byte>(below(3) == 0 ? number() : 0);
    return message;
  }

 private:
  std::uint64_t word() { return (std::uint64_t{number()} << 32) | number(); }
  template <class Object>
  void flip(Object* first, std::size_t bytes) {
    if (bytes == 0) return;
    reinterpret_cast<std::byte*>(first)[below(bytes)] ^= static_cast<std::byte>(1U << below(8));
  }
  /// One of the engine, of partitioned communication, or near those.
  std::uint8_t some_kind() {
    constexpr auto of_engine = static_cast<std::uint32_t>(Kind::failure) + 1;
    const std::uint32_t kind = below(of_engine + 6);
    return static_cast<std::uint8_t>(
        kind < of_engine ? kind : static_cast<std::uint32_t>(PartitionedKind::offer) + kind - of_engine);
  }

  std::mt19937& random_;
};

}  // namespace bowline::proto::fuzz
