// SPDX-License-Identifier: BSD-3-Clause
// Registered memory of this and of other processes, as lists of pieces that were checked.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "support/fabric/adapter.hpp"

namespace fabric {

class Pieces {
 public:
  void add(const void* address, std::size_t bytes) {
    if (bytes == 0) return;
    list_[number_++] = {const_cast<void*>(address), bytes};
    length_ += bytes;
  }
  std::size_t length() const { return length_; }

  /// The first bytes of them.
  std::span<const iovec> list() const { return {list_.data(), number_}; }

 private:
  std::array<iovec, most_pieces> list_;
  std::size_t number_ = 0;
  std::size_t length_ = 0;
};

/// Looks up what local keys name in a process. False if a key is wrong, or does not allow all of `access`.
bool find_pieces(std::span<const ibv_sge> list, int process, std::uint32_t domain, unsigned access, Pieces& found);

/// Copies this process's pieces to the first bytes of a process's, in any order if that is another one. Within this
/// process the last word is written last, and with release order. False if the process is dead.
bool write_pieces(const Pieces& from, int process, const Pieces& to);

/// Copies a process's pieces to this one's. False if the process is dead.
bool read_pieces(int process, const Pieces& from, const Pieces& to);

}  // namespace fabric
