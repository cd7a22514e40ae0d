// SPDX-License-Identifier: BSD-3-Clause
// FaultyStorage: a decorator that adds faults to any storage, for tests: of algorithms in memory, and of whole programs
// (the tunable io_faults).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string_view>

#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

/// The faults that the storage makes.
struct Faults {
  struct At {
    int error;      ///< error number
    Offset offset;  ///< neither this byte nor any behind it can be moved
  };
  bool short_calls = false;    ///< calls move fewer bytes than asked for, at random
  bool interruptions = false;  ///< calls are interrupted (EINTR), at random
  std::optional<At> read;
  std::optional<At> write;
  int sync = 0;         ///< error of sync()
  int locks = 0;        ///< error of all locks
  int truncate = 0;     ///< error of truncate() and preallocate()
  bool remote = false;  ///< the file system looks remote, as it does on all nodes but a server of files itself

  bool any() const noexcept {
    return short_calls || interruptions || read || write || sync != 0 || locks != 0 || truncate != 0;
  }

  /// Reads words with commas between them: short, interrupt, remote, read:NAME@OFFSET, write:NAME@OFFSET, sync:NAME,
  /// lock:NAME, truncate:NAME; NAME is EIO, ENOSPC, EDQUOT, ENOLCK or ENOSYS. Throws Error (arg) for any other text.
  static Faults parse(std::string_view text);
};

/// Reads the tunable io_faults. Throws Error (arg) if its text is wrong.
void load_faults();
/// The faults that the tunable io_faults names, for all files of this process.
const Faults& faults_of_all() noexcept;

class FaultyStorage final : public Storage {
 public:
  FaultyStorage(std::unique_ptr<Storage> inner, const Faults& faults, std::uint32_t seed)
      : inner_(std::move(inner)), faults_(faults), random_(seed) {}

  ssize_t read_some(Offset offset, std::span<std::byte> target) noexcept override;
  ssize_t write_some(Offset offset, std::span<const std::byte> source) noexcept override;
  ssize_t read_list_some(Offset offset, std::span<const iovec> targets) noexcept override;
  ssize_t write_list_some(Offset offset, std::span<const iovec> sources) noexcept override;
  int sync() noexcept override { return faults_.sync != 0 ? faults_.sync : inner_->sync(); }
  int size(Offset& bytes) noexcept override { return inner_->size(bytes); }
  int truncate(Offset bytes) noexcept override {
    return faults_.truncate != 0 ? faults_.truncate : inner_->truncate(bytes);
  }
  int preallocate(Offset bytes) noexcept override {
    return faults_.truncate != 0 ? faults_.truncate : inner_->preallocate(bytes);
  }
  int lock(Extent part, LockKind kind) noexcept override {
    return faults_.locks != 0 ? faults_.locks : inner_->lock(part, kind);
  }
  int unlock(Extent part) noexcept override { return faults_.locks != 0 ? faults_.locks : inner_->unlock(part); }
  int find_lock(Extent part, bool& found) noexcept override {
    return faults_.locks != 0 ? faults_.locks : inner_->find_lock(part, found);
  }
  int close() noexcept override { return inner_->close(); }
  int descriptor() const noexcept override { return -1; }

 private:
  ssize_t allowed(Offset offset, std::size_t bytes, const std::optional<Faults::At>& fault) noexcept;

  std::unique_ptr<Storage> inner_;
  const Faults faults_;
  std::mutex mutex_;
  std::mt19937 random_;
};

}  // namespace bowline::mpiio
