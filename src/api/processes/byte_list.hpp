// SPDX-License-Identifier: BSD-3-Clause
// ByteList: several pieces of bytes as one: for each its length, and the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "api/processes/at_root.hpp"

namespace bowline::api {

class ByteList {
 public:
  void add(Bytes bytes) { pieces_.push_back(std::move(bytes)); }
  std::size_t size() const noexcept { return pieces_.size(); }
  /// Throws std::out_of_range.
  const Bytes& operator[](std::size_t i) const { return pieces_.at(i); }

  Bytes bytes() const {
    Bytes all;
    for (const Bytes& each : pieces_) {
      const std::uint64_t length = each.size();
      const auto header = std::as_bytes(std::span(&length, 1));
      all.insert(all.end(), header.begin(), header.end());
      all.insert(all.end(), each.begin(), each.end());
    }
    return all;
  }
  /// Reads as many pieces as are whole.
  static ByteList read(std::span<const std::byte> bytes) {
    ByteList list;
    while (bytes.size() >= sizeof(std::uint64_t)) {
      std::uint64_t length = 0;
      std::memcpy(&length, bytes.data(), sizeof length);
      bytes = bytes.subspan(sizeof length);
      if (length > bytes.size()) break;
      list.add(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
      bytes = bytes.subspan(length);
    }
    return list;
  }

 private:
  std::vector<Bytes> pieces_;
};

}  // namespace bowline::api
