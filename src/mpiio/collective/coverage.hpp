// SPDX-License-Identifier: BSD-3-Clause
// Coverage: which bytes of a window the processes have filled, or ask for: one bit for each granule, a number of bytes
// that divides the offsets and lengths of all runs. Several processes may mark different granules at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/atomic.hpp"

namespace bowline::mpiio {

/// The granules from `begin` to before `end` of a window.
struct GranuleRun {
  std::size_t begin;
  std::size_t end;
  bool operator==(const GranuleRun&) const = default;
};

class Coverage {
 public:
  static constexpr std::size_t bits = 64;
  static constexpr std::size_t words_for(std::size_t granules) noexcept { return (granules + bits - 1) / bits; }

  /// `words`: zero at first; owned by the caller.
  explicit Coverage(std::span<std::uint64_t> words) noexcept : words_(words) {}

  /// Marks runs that no other process marks. Runs that follow each other closely cost few memory accesses if one object
  /// marks them.
  class Marker {
   public:
    explicit Marker(const Coverage& coverage) noexcept : words_(coverage.words_) {}
    ~Marker() { flush(); }
    Marker(const Marker&) = delete;
    Marker& operator=(const Marker&) = delete;
    void mark(GranuleRun run) noexcept;

   private:
    void flush() noexcept {
      if (pending_ != 0) AtomicRef<std::uint64_t>(words_[word_]).fetch_or(pending_, std::memory_order_relaxed);
      pending_ = 0;
    }
    std::span<std::uint64_t> words_;
    std::size_t word_ = 0;
    std::uint64_t pending_ = 0;  ///< bits of the present word that are not marked yet
  };

  /// The next run of marked granules that begins at `from` or later; an empty run at the end if there is none. No
  /// process marks granules meanwhile.
  GranuleRun next(std::size_t from) const noexcept;
  /// Clears the marks of the first granules.
  void clear(std::size_t granules) noexcept;
  std::size_t capacity() const noexcept { return words_.size() * bits; }
  std::span<const std::byte> bytes() const noexcept { return std::as_bytes(words_); }

 private:
  std::span<std::uint64_t> words_;
};

// ---- runs as they travel between nodes

/// Appends the runs in the first `granules` granules: as distances and lengths or, if that is shorter, as the bits
/// themselves. So the result is never much longer than the bits.
void encode_runs(const Coverage& coverage, std::size_t granules, std::vector<std::byte>& target);

/// Reads what encode_runs() has written, without a copy. Throws Error (intern) for any other bytes, and for runs that
/// do not ascend or lie beyond `granules`.
class RunReader {
 public:
  RunReader(std::span<const std::byte> source, std::size_t granules);

  /// The next run; nothing at the end.
  std::optional<GranuleRun> next();

 private:
  std::size_t number();

  std::span<const std::byte> source_;  ///< the rest of the encoded runs, or all bits
  std::size_t granules_;
  std::size_t behind_ = 0;  ///< behind the last run
  bool bits_;
};

}  // namespace bowline::mpiio
