// SPDX-License-Identifier: BSD-3-Clause
// What surrounds the engine of fuzz_test.cpp: its user's buffers, its directory, and the memory of its peers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "everybody.hpp"
#include "proto/services/address_search.hpp"
#include "recording.hpp"

namespace bowline::proto::fuzz {

inline constexpr int ranks = 12;

/// A receive of the engine's user, with guards on both sides of its buffer.
struct Received {
  static constexpr std::size_t guard = 64;
  static constexpr std::byte untouched{0xee};

  explicit Received(std::size_t bytes) : memory(bytes + 2 * guard, untouched) {}
  std::byte* data() { return memory.data() + guard; }
  std::size_t size() const { return memory.size() - 2 * guard; }
  bool guarded() const {
    const auto is_untouched = [](std::byte b) { return b == untouched; };
    return std::all_of(memory.begin(), memory.begin() + guard, is_untouched) &&
           std::all_of(memory.end() - guard, memory.end(), is_untouched);
  }
  Bytes memory;
};

/// All of them send in every context.
class Senders final : public Everybody, public AddressBook {
 public:
  int senders(std::uint32_t) override { return ranks; }
  int informant(int) override { return -1; }
  Bytes address(int) override { return Bytes(30); }
  void learned(int, std::span<const std::byte>) override {}
  void lost(int, const Error& why) noexcept override {
    EXPECT_EQ(std::string_view(why.what()).find('\n'), std::string_view::npos);
  }
};

/// An endpoint to a peer that has some memory, and no other, as a system knows it.
class Guarded final : public transport::Endpoint {
 public:
  Guarded(std::unique_ptr<transport::Endpoint> inner, std::span<const std::byte> memory, int& begun)
      : Endpoint(inner->limits()), inner_(std::move(inner)), memory_(memory), begun_(begun) {}

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override {
    return inner_->send(header, prefix, body);
  }
  transport::Post post(transport::Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
                       transport::Operation& operation) noexcept override {
    return inner_->post(header, prefix, runs, operation);
  }
  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override {
    return inner_->register_memory(memory);
  }
  void deregister(std::span<const std::byte> key) noexcept override { inner_->deregister(key); }
  transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                        transport::Operation& operation) override {
    check(source.address, target.size());
    return count(inner_->get(source, target, operation));
  }
  transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                        transport::Operation& operation) override {
    check(target.address, source.size());
    return count(inner_->put(source, target, operation));
  }

 private:
  void check(std::uintptr_t address, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
    const bool there = address >= begin && bytes <= memory_.size() && address - begin <= memory_.size() - bytes;
    if (!there) throw Error(ErrorClass::buffer, "there is no such memory");
  }
  transport::Access count(transport::Access access) {
    begun_ += access == transport::Access::begun ? 1 : 0;
    return access;
  }

  std::unique_ptr<transport::Endpoint> inner_;
  std::span<const std::byte> memory_;
  int& begun_;
};

}  // namespace bowline::proto::fuzz
