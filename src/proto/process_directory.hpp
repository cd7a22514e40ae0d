// SPDX-License-Identifier: BSD-3-Clause
// ProcessDirectory: what the engine asks when it looks for processes that have ended. It knows senders by their ranks
// in communicators, and other processes only once it has talked to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace bowline::proto {

/// Called under the lock of the lane that asks.
class ProcessDirectory {
 public:
  /// The world rank whose messages have this source in this context; negative if that is not known.
  virtual int world_rank(std::uint32_t context, int source) = 0;
  /// The other way round: the source that messages of this world rank have; negative if it sends none.
  virtual int source(std::uint32_t context, int world_rank) = 0;
  /// How many processes send in this context; sources are counted from 0 on. 0 if that is not known.
  virtual int senders(std::uint32_t context) = 0;
  /// Which other process is to be asked now where a rank is reached, if first contact is worth making to hear of its
  /// end; negative if none.
  virtual int seek(int world_rank) = 0;
  /// Whether that is known, so that first contact would not wait for the launcher.
  virtual bool approachable(int world_rank) = 0;
  /// Whether a rank with which there has been no contact is seen to have ended its communication, as it should or
  /// without a word, as far as that can be seen without contact. Throws Error.
  virtual bool has_left(int world_rank) = 0;
  /// What a process that is asked answers: how the rank is reached by engines like this one; empty if that is not
  /// known.
  virtual std::vector<std::byte> address(int world_rank) = 0;
  /// Such an answer.
  virtual void learned(int world_rank, std::span<const std::byte> address) = 0;
  /// A rank has ended, or cannot be reached any more. Said once for each by every lane that finds it out.
  virtual void lost(int world_rank, const Error& why) noexcept = 0;

 protected:
  ~ProcessDirectory() = default;
};

}  // namespace bowline::proto
