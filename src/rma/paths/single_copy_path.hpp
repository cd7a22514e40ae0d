// SPDX-License-Identifier: BSD-3-Clause
// SingleCopyPath: to targets on this node whose memory is not mapped here: that of MPI_Win_create, and what is attached
// to dynamic windows. System calls read and write it. An accumulate reads, combines and writes under the target's lock,
// so all accumulates to such memory take it.
#pragma once

#include "dtype/cursor.hpp"
#include "rma/paths/target_path.hpp"

namespace bowline::rma {

class Window;

class SingleCopyPath final : public TargetPath {
 public:
  explicit SingleCopyPath(Window& window) noexcept : window_(window) {}

  const char* name() const noexcept override { return "single_copy"; }
  void put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) override;
  void get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) override;
  void accumulate(Target& target, const Accumulate& what, RmaRequest* request) override;
  void swap(Target& target, const Swap& what) override;
  // These functions serve messages that were sent before the kernel refused the system calls.
  void begin_flush(Target& target) override;
  bool flushed(const Target& target) const noexcept override;
  bool locally_done(const Target& target) const noexcept override;

 private:
  enum class Direction { read, write };
  std::byte* locate(Target& target, const TargetData& place) const;
  bool move(Target& target, Direction direction, dtype::Cursor& theirs, dtype::Cursor& mine, std::size_t bytes);
  bool update(Target& target, const Accumulate& what, std::byte* base);
  bool is_refused(Target& target) noexcept;

  Window& window_;
};

}  // namespace bowline::rma
