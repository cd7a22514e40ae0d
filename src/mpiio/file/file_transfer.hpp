// SPDX-License-Identifier: BSD-3-Clause
// FileTransfer: one access of the program to a file, between a user's buffer and a part of the view (MPI-5.0,
// section 14.4). It converts data whose representation in the file is another one, and keeps other accesses out in
// atomic mode.
#pragma once

#include <cstddef>
#include <memory>

#include "base/error.hpp"
#include "mpiio/file/file.hpp"
#include "proto/request.hpp"

namespace bowline::mpiio {

class FileTransfer {
 public:
  /// The buffer keeps its datatype alive. Throws Error (io) if the data are no whole number of etypes, or if the view
  /// shows nothing and there are data.
  FileTransfer(File& file, bool writes, const proto::Buffer& buffer);
  FileTransfer(const FileTransfer&) = delete;
  FileTransfer& operator=(const FileTransfer&) = delete;

  File& file() const noexcept { return file_; }
  const View& view() const noexcept { return *view_; }
  bool writes() const noexcept { return writes_; }
  /// The etypes by which the access moves a file pointer.
  Offset etypes() const noexcept { return static_cast<Offset>(bytes_ / view_->etype_bytes()); }
  /// Bytes of data in the file.
  std::size_t bytes() const noexcept { return bytes_; }
  /// The access begins at this etype of the view, which listeners are told. To be called once, before any function
  /// below.
  void begin_at(Offset etype) noexcept;

  /// The data as they are in the file: in the user's buffer, or memory of the transfer, which before() fills for a
  /// write. after() stores `moved` bytes that were read in the user's buffer. Throw Error (conversion).
  void before();
  Access access() const noexcept { return {writes_, in_file_form(), position_, bytes_}; }
  void after(std::size_t moved);

  /// Does the whole transfer in the caller's thread alone. Takes no lock of the library.
  void run();
  /// Whether the data are one run of the file and of memory, without conversion: then no function but end() is needed.
  bool simple() const;
  /// Where the run begins in the file, if simple().
  Offset first_offset() const noexcept { return view_->offset_of(position_); }
  std::span<std::byte> run_of_memory() const noexcept { return {user_.run(), bytes_}; }

  // ---- the result

  /// Takes how the access ended.
  void end(const Outcome& outcome) noexcept { outcome_ = outcome; }
  /// Bytes in the user's buffer that were moved, for the status.
  std::size_t moved() const;
  /// Throws Error if the access failed.
  void check() const;

 private:
  proto::Buffer in_file_form() const noexcept;
  Outcome run_atomically(const Ground& ground, const Access& access);
  Ground ground() const;

  File& file_;
  std::shared_ptr<const View> view_;
  bool writes_;
  proto::HeldBuffer user_;
  dtype::TypeRef file_type_;  ///< the buffer's datatype in the file
  std::size_t bytes_ = 0;
  std::uint64_t position_ = 0;
  std::unique_ptr<std::byte[]> converted_;
  Outcome outcome_;
};

}  // namespace bowline::mpiio
