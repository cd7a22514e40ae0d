// SPDX-License-Identifier: BSD-3-Clause
// CostModel: what accesses to a file cost in time, learned from those that were made (base/tuner.hpp). It decides
// whether a process moves the pieces of its view one by one, or moves everything from the first to the last and picks
// the pieces in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

#include "base/tuner.hpp"

namespace bowline::mpiio {

/// Decides between moving pieces and moving spans, by measured costs. Threads may share a model.
class CostModel {
 public:
  /// What is known of some consecutive pieces of a view.
  struct Sample {
    std::size_t pieces = 0;
    std::size_t data = 0;  ///< bytes of data in the pieces
    std::size_t span = 0;  ///< bytes from the beginning of the first to the end of the last
  };

  /// `remote`: whether other machines store the file; only for the first guess.
  explicit CostModel(bool remote) noexcept;

  /// Whether it takes less time to move the span. If both costs are not far apart, the answer is now and then the
  /// dearer alternative, so that neither cost is forgotten.
  bool prefers_span(const Sample& sample) noexcept;

  // To be called after an access with the time that it took.
  void moved_pieces(const Sample& sample, std::chrono::nanoseconds time) noexcept;
  void moved_span(const Sample& sample, std::chrono::nanoseconds time) noexcept;

 private:
  std::mutex mutex_;
  Tuner tuner_;  ///< the costs are nanoseconds for each piece and for each byte of the span
};

}  // namespace bowline::mpiio
