// SPDX-License-Identifier: BSD-3-Clause
// DirectSum: a member's part of a reduction. It reads the operands from the other members' buffers, a piece at a time,
// and combines each piece while it is in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "coll/channel/channel.hpp"
#include "coll/slots/single_copy.hpp"

namespace bowline::coll {

class DirectSum {
 public:
  /// Every member has written the address of its operand to place 0 of its slot, and this member has seen the flags.
  DirectSum(Channel& channel, const Reduction& reduction)
      : channel_(channel),
        reduction_(reduction),
        piece_(piece_bytes / reduction.element() * reduction.element()),
        own_(channel, piece_),
        theirs_(channel, piece_) {}

  /// `sum` = the combination of all operands from byte `begin` on. `own`: the same part of this member's operand; `own`
  /// may be the same memory as `sum`, but must not overlap `sum` partially.
  void combine(std::size_t begin, const std::byte* own, std::span<std::byte> sum) {
    for (std::size_t done = 0; done < sum.size(); done += piece_) {
      combine_piece(begin + done, own + done, sum.subspan(done, std::min(piece_, sum.size() - done)));
    }
  }

 private:
  static constexpr std::size_t piece_bytes = 128 << 10;

  void read(int member, std::size_t begin, std::span<std::byte> into) {
    Slots& slots = channel_.slots();
    slots.read(member, get_address(slots, member, 0) + begin, into);
  }

  /// Combines from the last member to the first; each further operand is the left one. Commutative operators get the
  /// same order, because MPI_MAX of 0 and -0, for example, depends on it, and all algorithms through shared memory give
  /// equal bits.
  void combine_piece(std::size_t begin, const std::byte* own, std::span<std::byte> sum) {
    const int rank = channel_.rank();
    const int last = channel_.size() - 1;
    const std::span<std::byte> theirs = theirs_.first(sum.size());
    if (rank == last) {
      channel_.copy({own, sum.size()}, sum.data());
    } else {
      if (own == sum.data()) {
        channel_.copy({own, sum.size()}, own_.data());
        own = own_.data();
      }
      read(last, begin, sum);
    }
    for (int next = last - 1; next >= 0; --next) {
      if (next != rank) read(next, begin, theirs);
      channel_.combine(reduction_, next == rank ? own : theirs.data(), sum);
    }
  }

  Channel& channel_;
  const Reduction& reduction_;
  std::size_t piece_;
  Scratch own_;
  Scratch theirs_;
};

}  // namespace bowline::coll
