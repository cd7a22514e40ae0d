// SPDX-License-Identifier: BSD-3-Clause
// View: the part of a file that a process sees (MPI-5.0, section 14.3). A view is a stream of data bytes: those of the
// filetype, which is repeated from the displacement on. A position counts bytes of that stream, an offset bytes of the
// file. Immutable.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dtype/arrangement.hpp"
#include "dtype/cursor.hpp"
#include "dtype/datatype.hpp"
#include "mpiio/storage/storage.hpp"
#include "mpiio/view/representation.hpp"

namespace bowline::mpiio {

/// A run of bytes of the file.
struct FilePiece {
  Offset offset;
  std::size_t bytes;
};

class View {
 public:
  /// A view of the bytes of the whole file.
  View();
  /// The datatypes are committed. Throws Error (io) if they may not describe a view; `writable`: whether the file may
  /// be written.
  View(Offset displacement, const dtype::Datatype& etype, const dtype::Datatype& filetype,
       std::shared_ptr<const Representation> representation, bool writable);

  Offset displacement() const noexcept { return displacement_; }
  const dtype::Datatype& etype() const noexcept { return *etype_; }
  const dtype::Datatype& filetype() const noexcept { return *filetype_; }
  const Representation& representation() const noexcept { return *representation_; }
  const std::shared_ptr<const Representation>& shared_representation() const noexcept { return representation_; }

  /// Bytes of data of one etype in the file; 0 if the etype has none.
  std::uint64_t etype_bytes() const noexcept { return etype_bytes_; }
  /// Bytes of data of one filetype in the file; 0: the view shows nothing.
  std::uint64_t tile_bytes() const noexcept { return tile_bytes_; }
  /// Bytes from one filetype to the next.
  Offset tile_extent() const noexcept { return file_filetype_->extent(); }

  /// Whether the data are one run of bytes without an end.
  bool contiguous() const noexcept { return file_filetype_->contiguous(); }
  /// Whether the offsets of these bytes ascend, so that a part of the file holds a part of the stream.
  bool ascends(std::uint64_t position, std::size_t bytes) const noexcept;
  /// The largest number that divides the offsets and the lengths of all runs.
  std::size_t granule() const noexcept { return granule_; }

  /// The offset of the byte at this position; the displacement if the view shows nothing.
  Offset offset_of(std::uint64_t position) const noexcept;
  /// The number of bytes of the stream before this offset. For a part of the stream that ascends and contains the
  /// position `near`; the result may lie before or behind that part.
  std::uint64_t position_of(Offset offset, std::uint64_t near) const noexcept;

  /// The number of etypes of the stream that begin before this offset: if the offset is the end of the file, this is
  /// the number of the first etype that the file does not have.
  std::uint64_t etypes_before(Offset offset) const noexcept;

  /// A cursor over the stream whose addresses are offsets plus `base`, modulo 2^64. With a base of its own, the stream
  /// can be copied to or from memory that holds a part of the file.
  dtype::Cursor cursor(const std::byte* base = nullptr) const noexcept;

 private:
  Offset displacement_ = 0;
  dtype::TypeRef etype_, filetype_;  ///< the datatypes as the user knows them
  std::shared_ptr<const Representation> representation_;
  dtype::TypeRef file_filetype_;  ///< the same datatypes in the file
  std::uint64_t etype_bytes_ = 1;
  std::uint64_t tile_bytes_ = 1;
  dtype::Arrangement tile_;
  std::size_t granule_ = 1;
};

/// Lists the runs of bytes of a part of the stream, in its order, merging adjacent ones.
class FilePieces {
 public:
  FilePieces(const View& view, std::uint64_t position, std::size_t bytes) noexcept
      : cursor_(view.cursor()), left_(bytes) {
    cursor_.seek(position);
  }

  std::size_t left() const noexcept { return left_; }
  /// Fills `pieces` with the next runs; returns how many there are.
  std::size_t next(std::span<FilePiece> pieces) noexcept;

 private:
  dtype::Cursor cursor_;
  std::size_t left_;
};

}  // namespace bowline::mpiio
