// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/access/independent.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace bowline::mpiio {
namespace {

using Clock = std::chrono::steady_clock;

// The number of pieces by which the method is chosen, and which are moved at a time if pieces are moved one by one.
constexpr std::size_t at_once = 64;

std::size_t bytes_in(std::span<const FilePiece> pieces) noexcept {
  std::size_t bytes = 0;
  for (const FilePiece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

CostModel::Sample sample_of(std::span<const FilePiece> pieces) noexcept {
  const FilePiece& last = pieces.back();
  return {.pieces = pieces.size(),
          .data = bytes_in(pieces),
          .span = static_cast<std::size_t>(last.offset + static_cast<Offset>(last.bytes) - pieces.front().offset)};
}

bool chooses_sieving(const Ground& ground, const CostModel::Sample& sample) {
  if (ground.only_sieves) return true;
  return sample.pieces > 1 && ground.costs.prefers_span(sample);
}

/// Adds what one step has moved; returns whether everything was moved.
bool add(Outcome& all, const Outcome& step, std::size_t expected) noexcept {
  all.bytes += step.bytes;
  all.error = step.error;
  return step.error == 0 && step.bytes == expected;
}

Outcome access_scattered(const Ground& ground, const Access& access) {
  bool may_sieve = ground.sieves && ground.view.ascends(access.position, access.bytes);
  std::array<FilePiece, at_once> room;
  Outcome all;
  while (all.bytes < access.bytes) {
    FilePieces next(ground.view, access.position + all.bytes, access.bytes - all.bytes);
    const auto pieces = std::span<const FilePiece>(room).first(next.next(room));
    CostModel::Sample sample = sample_of(pieces);
    const auto began = Clock::now();
    if (may_sieve && chooses_sieving(ground, sample)) {
      const SieveStep step = next_sieve_step(ground, access, all.bytes);
      const std::optional<Outcome> moved = access_by_sieving(ground, access, all.bytes, step);
      may_sieve = moved.has_value();
      if (!may_sieve) continue;
      if (!add(all, *moved, step.data)) break;
      sample.span = static_cast<std::size_t>(step.span.length());
      ground.costs.moved_span(sample, Clock::now() - began);
    } else {
      if (!add(all, access_pieces(ground, access, all.bytes, pieces), sample.data)) break;
      ground.costs.moved_pieces(sample, Clock::now() - began);
    }
  }
  return all;
}

}  // namespace

Outcome access_independently(const Ground& ground, const Access& access) {
  if (access.bytes == 0) return {};
  FilePieces first(ground.view, access.position, access.bytes);
  FilePiece piece{};
  first.next({&piece, 1});
  if (first.left() == 0) return access_run(ground, access, piece.offset);
  return access_scattered(ground, access);
}

}  // namespace bowline::mpiio
