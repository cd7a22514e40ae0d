// SPDX-License-Identifier: BSD-3-Clause
// PosixStorage: a file of the operating system.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "mpiio/storage/storage.hpp"
#include "node/handover.hpp"

namespace bowline::mpiio {

class PosixStorage final : public Storage {
 public:
  explicit PosixStorage(node::Descriptor file) noexcept : file_(std::move(file)) {}

  ssize_t read_some(Offset offset, std::span<std::byte> target) noexcept override;
  ssize_t write_some(Offset offset, std::span<const std::byte> source) noexcept override;
  ssize_t read_list_some(Offset offset, std::span<const iovec> targets) noexcept override;
  ssize_t write_list_some(Offset offset, std::span<const iovec> sources) noexcept override;
  int sync() noexcept override;
  int size(Offset& bytes) noexcept override;
  int truncate(Offset bytes) noexcept override;
  int preallocate(Offset bytes) noexcept override;
  int lock(Extent part, LockKind kind) noexcept override;
  int unlock(Extent part) noexcept override;
  int find_lock(Extent part, bool& found) noexcept override;
  int close() noexcept override;
  int descriptor() const noexcept override { return file_.number(); }

 private:
  int extend_with_zeros(Offset bytes) noexcept;

  node::Descriptor file_;
};

}  // namespace bowline::mpiio
