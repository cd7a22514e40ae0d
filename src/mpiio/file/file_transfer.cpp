// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/file_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/events/event.hpp"
#include "dtype/predefined.hpp"
#include "mpiio/storage/io_errors.hpp"
#include "mpiio/view/file_types.hpp"

namespace bowline::mpiio {
namespace {

// In a local file system the part of a file in memory should stay in the caches between two copies.
constexpr std::size_t cached_bytes = 512 << 10;

struct FileEvent {
  std::uint64_t context;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::int32_t access;
};
constexpr std::array<std::string_view, 2> access_words{"read", "write"};
Event<FileEvent> file_access(Category::files, "file_access", "an access of the program to a file begins",
                             {{"access", &FileEvent::access, "its kind", access_words},
                              {"context", &FileEvent::context, "the file's number in messages"},
                              {"offset", &FileEvent::offset, "of the first byte in the file"},
                              {"bytes", &FileEvent::bytes, "of data in the file"}});

/// The part of the file that an access may touch.
Extent around(const View& view, const Access& access) {
  if (view.ascends(access.position, access.bytes))
    return {view.offset_of(access.position), view.offset_of(access.position + access.bytes - 1) + 1};
  FilePieces pieces(view, access.position, access.bytes);
  std::array<FilePiece, 64> some;
  Extent part{std::numeric_limits<Offset>::max(), 0};
  while (const std::size_t count = pieces.next(some)) {
    for (const FilePiece& piece : std::span(some).first(count)) {
      part.begin = std::min(part.begin, piece.offset);
      part.end = std::max(part.end, piece.offset + static_cast<Offset>(piece.bytes));
    }
  }
  return part;
}

/// A lock of the file system on a part of the file.
class FileLock {
 public:
  FileLock(Storage& storage, Extent part, LockKind kind) noexcept
      : storage_(storage), part_(part), error_(storage.lock(part, kind)) {}
  ~FileLock() {
    if (error_ == 0) storage_.unlock(part_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  int error() const noexcept { return error_; }

 private:
  Storage& storage_;
  Extent part_;
  int error_;
};

}  // namespace

FileTransfer::FileTransfer(File& file, bool writes, const proto::Buffer& buffer)
    : file_(file),
      view_(file.view()),
      writes_(writes),
      user_(buffer),
      file_type_(view_->representation().file_type(*buffer.type)) {
  if (__builtin_mul_overflow(buffer.count, file_type_->size(), &bytes_) ||
      bytes_ > static_cast<std::size_t>(std::numeric_limits<Offset>::max())) {
    throw Error(ErrorClass::count, fmt::format("count is {}, which is more than a file can hold", buffer.count));
  }
  if (bytes_ == 0) return;
  if (view_->tile_bytes() == 0) {
    throw Error(ErrorClass::io, fmt::format("the view of {} shows no data, because filetype has none: access 0 bytes, "
                                            "or set another view",
                                            file.name()));
  }
  if (bytes_ % view_->etype_bytes() != 0) {
    throw Error(ErrorClass::io, fmt::format("count and datatype describe {} bytes, but accesses to {} are whole etypes "
                                            "of {} bytes",
                                            bytes_, file.name(), view_->etype_bytes()));
  }
}

void FileTransfer::begin_at(Offset etype) noexcept {
  position_ = static_cast<std::uint64_t>(etype) * view_->etype_bytes();
  if (!file_access.heard() || bytes_ == 0) return;
  file_access.tell({.context = file_.comm().context(),
                    .offset = static_cast<std::uint64_t>(view_->offset_of(position_)),
                    .bytes = bytes_,
                    .access = writes_ ? 1 : 0});
}

proto::Buffer FileTransfer::in_file_form() const noexcept {
  if (converted_ == nullptr) return user_;
  return {converted_.get(), bytes_, &dtype::byte_type()};
}

void FileTransfer::before() {
  const Representation& representation = view_->representation();
  if (representation.native() || bytes_ == 0) return;
  converted_.reset(new std::byte[bytes_]);
  if (writes_) representation.to_file(*user_.type, user_.count, user_.base, converted_.get());
}

/// Elements of the user's datatype that were read in part are dropped.
void FileTransfer::after(std::size_t moved) {
  if (writes_ || converted_ == nullptr) return;
  view_->representation().from_file(*user_.type, moved / file_type_->size(), converted_.get(), user_.base);
}

Ground FileTransfer::ground() const {
  const Hints hints = file_.hints();
  const Use use = writes_ ? hints.ds_write : hints.ds_read;
  const std::size_t buffer = writes_ ? hints.ind_wr_buffer_size : hints.ind_rd_buffer_size;
  return {.storage = file_.storage(),
          .view = *view_,
          .board = &file_.board(),
          .costs = file_.costs(writes_),
          .sieves = use != Use::disabled && (!writes_ || file_.may_sieve_writes()),
          .only_sieves = use == Use::enabled,
          .opens = writes_ && !file_.opened_once() ? &file_.opens() : nullptr,
          .sieve_bytes = file_.system().remote ? buffer : std::min(buffer, cached_bytes)};
}

void FileTransfer::run() {
  before();
  const Access data = access();
  const Ground here = ground();
  outcome_ = file_.atomic() && bytes_ > 0 ? run_atomically(here, data) : access_independently(here, data);
  after(outcome_.bytes);
}

bool FileTransfer::simple() const {
  if (file_.atomic() || !view_->representation().native() || bytes_ == 0 || user_.run() == nullptr) return false;
  FilePieces first(*view_, position_, bytes_);
  FilePiece piece{};
  first.next({&piece, 1});
  return first.left() == 0;
}

Outcome FileTransfer::run_atomically(const Ground& ground, const Access& access) {
  const Extent part = around(*view_, access);
  const RangeBoard::Hold hold(*ground.board, part, RangeBoard::Access::exclusive);
  Ground alone = ground;
  alone.board = nullptr;
  if (file_.units().count() == 1) return access_independently(alone, access);
  const FileLock lock(ground.storage, part, writes_ ? LockKind::exclusive : LockKind::shared);
  if (lock.error() != 0) return {0, lock.error()};
  return access_independently(alone, access);
}

std::size_t FileTransfer::moved() const {
  if (view_->representation().native()) return outcome_.bytes;
  return memory_bytes(*user_.type, *file_type_, outcome_.bytes);
}

void FileTransfer::check() const {
  if (outcome_.error == 0) return;
  const Offset offset = view_->offset_of(position_ + outcome_.bytes);
  throw io_error(
      outcome_.error,
      fmt::format("{} by {}", access_in_words(writes_, bytes_ - outcome_.bytes, offset, file_.name()), file_.where()));
}

}  // namespace bowline::mpiio
