// SPDX-License-Identifier: BSD-3-Clause
// Data sieving (R. Thakur, W. Gropp, E. Lusk, "Data sieving and collective I/O in ROMIO", Frontiers '99,
// 10.1109/FMPC.1999.750599): a process moves everything from the first to the last of some pieces, and picks the pieces
// in memory. A write reads first what lies between the pieces, and keeps other writers out meanwhile.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "mpiio/access/bounce.hpp"
#include "mpiio/access/independent.hpp"
#include "mpiio/access/memory_stream.hpp"

namespace bowline::mpiio {
namespace {

/// The data of one step: a part of the file in memory, and the bytes of the access in that part.
class Sieve {
 public:
  Sieve(const Ground& ground, const Access& access, std::size_t done, const SieveStep& step)
      : done_(done),
        step_(step),
        part_(static_cast<std::size_t>(step.span.length())),
        memory_(access.memory),
        places_(ground.view.cursor(reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(part_.data()) -
                                                                      static_cast<std::uintptr_t>(step.span.begin)))) {
    places_.seek(access.position + done);
  }

  std::span<std::byte> part() const noexcept { return part_.first(part_.size()); }

  /// Copies the first `bytes` bytes of data from the part to the user's memory.
  void pick(std::size_t bytes) {
    if (memory_.contiguous()) {
      places_.pack(memory_.at(done_, bytes));
    } else {
      in_slices(bytes, [this](std::size_t at, std::span<std::byte> slice) {
        places_.pack(slice);
        memory_.copy_in(done_ + at, slice);
      });
    }
  }
  /// Copies all data from the user's memory to their places in the part.
  void place() {
    if (memory_.contiguous()) {
      places_.unpack(memory_.at(done_, step_.data));
    } else {
      in_slices(step_.data, [this](std::size_t at, std::span<std::byte> slice) {
        memory_.copy_out(done_ + at, slice);
        places_.unpack(slice);
      });
    }
  }

 private:
  /// Data with holes on both sides go through a small buffer.
  template <class Move>
  void in_slices(std::size_t bytes, Move move) {
    const Bounce slice(std::min<std::size_t>(bytes, 64 << 10));
    for (std::size_t at = 0; at < bytes; at += slice.size()) move(at, slice.first(std::min(slice.size(), bytes - at)));
  }

  std::size_t done_;
  SieveStep step_;
  Bounce part_;
  MemoryStream memory_;
  dtype::Cursor places_;
};

/// The number of bytes of data of a step in front of an offset.
std::size_t data_before(const Ground& ground, const Access& access, std::size_t done, const SieveStep& step,
                        Offset offset) noexcept {
  if (offset >= step.span.end) return step.data;
  const std::uint64_t from = access.position + done;
  const std::uint64_t position = ground.view.position_of(offset, from);
  return std::min<std::size_t>(step.data, position <= from ? 0 : position - from);
}

Outcome read_sieved(const Ground& ground, const Access& access, std::size_t done, const SieveStep& step) {
  Sieve sieve(ground, access, done, step);
  const Outcome read = read_all(ground.storage, step.span.begin, sieve.part());
  const std::size_t data = data_before(ground, access, done, step, step.span.begin + static_cast<Offset>(read.bytes));
  sieve.pick(data);
  return {data, read.error};
}

std::optional<Outcome> write_sieved(const Ground& ground, const Access& access, std::size_t done,
                                    const SieveStep& step) {
  Sieve sieve(ground, access, done, step);
  std::optional<OpenRegister::Alone> alone;
  if (ground.opens != nullptr && !alone.emplace(*ground.opens).holds()) return std::nullopt;
  std::optional<RangeBoard::Hold> hold;
  if (ground.board != nullptr) hold.emplace(*ground.board, step.span, RangeBoard::Access::exclusive);
  const std::span<std::byte> part = sieve.part();
  if (step.data < part.size()) {
    const Outcome read = read_all(ground.storage, step.span.begin, part);
    if (read.error != 0) return Outcome{0, read.error};
    std::ranges::fill(part.subspan(read.bytes), std::byte{0});  // the file ended; holes behind its end are zero
  }
  sieve.place();
  const Outcome written = write_all(ground.storage, step.span.begin, part);
  return Outcome{data_before(ground, access, done, step, step.span.begin + static_cast<Offset>(written.bytes)),
                 written.error};
}

}  // namespace

SieveStep next_sieve_step(const Ground& ground, const Access& access, std::size_t done) noexcept {
  const std::uint64_t from = access.position + done;
  const std::uint64_t end = access.position + access.bytes;
  const Offset begin = ground.view.offset_of(from);
  const std::uint64_t limit = ground.view.position_of(begin + static_cast<Offset>(ground.sieve_bytes), from);
  const std::uint64_t to = std::clamp(limit, from + 1, end);
  return {.span = {begin, ground.view.offset_of(to - 1) + 1}, .data = to - from};
}

std::optional<Outcome> access_by_sieving(const Ground& ground, const Access& access, std::size_t done,
                                         const SieveStep& step) {
  return access.writes ? write_sieved(ground, access, done, step) : read_sieved(ground, access, done, step);
}

}  // namespace bowline::mpiio
