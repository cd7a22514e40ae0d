// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/view/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "dtype/predefined.hpp"

namespace bowline::mpiio {
namespace {

/// Throws Error (io) unless the data of an etype or filetype lie as the standard demands.
void check_order(const dtype::Arrangement& data, bool writable, const char* name) {
  if (data.granule == 0) return;
  if (data.low < 0) {
    throw Error(ErrorClass::io,
                fmt::format("{} has data at displacement {}: displacements of a file's datatypes are 0 or more", name,
                            data.low));
  }
  if (!data.ascending) {
    throw Error(ErrorClass::io,
                fmt::format("{} has a block that begins before the block in front of it: the displacements of a file's "
                            "datatypes never decrease",
                            name));
  }
  if (writable && !data.disjoint) {
    throw Error(ErrorClass::io, fmt::format("{} has blocks that overlap, which is allowed for files opened with "
                                            "MPI_MODE_RDONLY only",
                                            name));
  }
}

}  // namespace

View::View()
    : etype_(dtype::byte_type()),
      filetype_(dtype::byte_type()),
      representation_(native_representation()),
      file_filetype_(dtype::byte_type()),
      tile_(dtype::arrangement_of(dtype::byte_type().layout())) {}

View::View(Offset displacement, const dtype::Datatype& etype, const dtype::Datatype& filetype,
           std::shared_ptr<const Representation> representation, bool writable)
    : displacement_(displacement), etype_(etype), filetype_(filetype), representation_(std::move(representation)) {
  const dtype::TypeRef file_etype = representation_->file_type(etype);
  file_filetype_ = representation_->file_type(filetype);
  etype_bytes_ = file_etype->size();
  tile_bytes_ = file_filetype_->size();
  if (etype_bytes_ == 0) throw Error(ErrorClass::arg, "etype has no data: offsets in a file count etypes");
  if (tile_bytes_ % etype_bytes_ != 0) {
    throw Error(ErrorClass::arg, fmt::format("filetype has {} bytes of data, which is no multiple of the {} bytes of "
                                             "etype: make it of etypes",
                                             tile_bytes_, etype_bytes_));
  }
  check_order(dtype::arrangement_of(file_etype->layout()), writable, "etype");
  tile_ = dtype::arrangement_of(file_filetype_->layout());
  check_order(tile_, writable, "filetype");
  const auto distance = [](Offset value) { return static_cast<std::size_t>(std::abs(value)); };
  granule_ = std::max<std::size_t>(
      1, std::gcd(tile_.granule, std::gcd(distance(displacement), distance(file_filetype_->extent()))));
}

bool View::ascends(std::uint64_t position, std::size_t bytes) const noexcept {
  if (bytes == 0 || contiguous()) return true;
  if (!tile_.disjoint) return false;
  const bool tiles_disjoint = tile_.high - tile_.low <= tile_extent();
  return tiles_disjoint || position / tile_bytes_ == (position + bytes - 1) / tile_bytes_;
}

Offset View::offset_of(std::uint64_t position) const noexcept {
  if (tile_bytes_ == 0) return displacement_;
  dtype::Cursor place = cursor();
  place.seek(position);
  iovec next{};
  place.next_iovec({&next, 1});
  return static_cast<Offset>(reinterpret_cast<std::uintptr_t>(next.iov_base));
}

std::uint64_t View::position_of(Offset offset, std::uint64_t near) const noexcept {
  if (tile_bytes_ == 0) return 0;
  const Offset distance = offset - displacement_;
  if (contiguous()) return static_cast<std::uint64_t>(std::max<Offset>(0, distance - file_filetype_->origin()));
  std::uint64_t tile = near / tile_bytes_;
  if (tile_.high - tile_.low <= tile_extent()) {
    if (distance <= tile_.low) return 0;
    tile = static_cast<std::uint64_t>((distance - tile_.low) / tile_extent());
  }
  const Offset within = distance - static_cast<Offset>(tile) * tile_extent();
  return tile * tile_bytes_ + dtype::data_before(file_filetype_->layout(), within);
}

std::uint64_t View::etypes_before(Offset offset) const noexcept {
  if (tile_bytes_ == 0 || offset <= displacement_) return 0;
  // If tiles interleave, the search begins in the last tile that begins before the offset.
  const Offset beyond = std::max<Offset>(0, offset - displacement_ - tile_.low - 1);
  const std::uint64_t tile = tile_extent() > 0 ? static_cast<std::uint64_t>(beyond / tile_extent()) : 0;
  const std::uint64_t bytes = position_of(offset, tile * tile_bytes_);
  return (bytes + etype_bytes_ - 1) / etype_bytes_;
}

dtype::Cursor View::cursor(const std::byte* base) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(displacement_);
  return {*file_filetype_, dtype::Cursor::unbounded, reinterpret_cast<const void*>(address)};
}

std::size_t FilePieces::next(std::span<FilePiece> pieces) noexcept {
  constexpr std::size_t at_once = 64;
  std::array<iovec, at_once> list;
  if (left_ == 0) return 0;
  const std::size_t position = cursor_.position();
  const std::size_t found = cursor_.next_iovec(std::span(list).first(std::min(pieces.size(), at_once)));
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (; count < found && bytes < left_; ++count) {
    const std::size_t length = std::min(list[count].iov_len, left_ - bytes);
    pieces[count] = {static_cast<Offset>(reinterpret_cast<std::uintptr_t>(list[count].iov_base)), length};
    bytes += length;
  }
  left_ -= bytes;
  cursor_.seek(position + bytes);
  return count;
}

}  // namespace bowline::mpiio
