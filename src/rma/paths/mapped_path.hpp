// SPDX-License-Identifier: BSD-3-Clause
// MappedPath: to targets whose memory is mapped in this process, and to this process itself.
#pragma once

#include "rma/paths/target_path.hpp"

namespace bowline::rma {

class Window;

class MappedPath final : public TargetPath {
 public:
  explicit MappedPath(Window& window) noexcept : window_(window) {}

  const char* name() const noexcept override { return "mapped"; }
  void put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) override;
  void get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) override;
  void accumulate(Target& target, const Accumulate& what, RmaRequest* request) override;
  void swap(Target& target, const Swap& what) override;

 private:
  std::byte* locate(const Target& target, const TargetData& place) const;

  Window& window_;
};

}  // namespace bowline::rma
