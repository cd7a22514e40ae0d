// SPDX-License-Identifier: BSD-3-Clause
// Owners of libibverbs's objects: each destroys its object with the library's function for it.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "verbs/verbs_library.hpp"

namespace bowline::verbs {

/// Destroys a handle by the member `function` of Library. libibverbs refuses only what is still in use, which the order
/// of the members that own such handles excludes.
template <auto function>
struct Destroyer {
  template <class Object>
  void operator()(Object* object) const noexcept {
    (library().*function)(object);
  }
};

using OpenDevice = std::unique_ptr<ibv_context, Destroyer<&Library::close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, Destroyer<&Library::dealloc_pd>>;
using MemoryRegion = std::unique_ptr<ibv_mr, Destroyer<&Library::dereg_mr>>;
using CompletionChannel = std::unique_ptr<ibv_comp_channel, Destroyer<&Library::destroy_comp_channel>>;
using CompletionQueue = std::unique_ptr<ibv_cq, Destroyer<&Library::destroy_cq>>;
using SharedReceiveQueue = std::unique_ptr<ibv_srq, Destroyer<&Library::destroy_srq>>;
using QueuePairHandle = std::unique_ptr<ibv_qp, Destroyer<&Library::destroy_qp>>;

/// The error that errno describes. `what`: the action, for example "making a completion queue".
inline Error verbs_error(std::string_view what, std::string_view device, int number = errno) {
  return {ErrorClass::other, fmt::format("{} on the RDMA adapter {} failed: {}", what, device, std::strerror(number))};
}

}  // namespace bowline::verbs
