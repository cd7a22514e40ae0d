// SPDX-License-Identifier: BSD-3-Clause
// RmaRequest: the request of MPI_Rput, MPI_Rget, MPI_Raccumulate and MPI_Rget_accumulate. It is done when the origin's
// buffers may be reused, and data that were asked for have come.
#pragma once

#include <string>

#include "base/failure.hpp"
#include "proto/engine.hpp"
#include "proto/request.hpp"

namespace bowline::rma {

class RmaRequest final : public proto::SpecialRequest {
 public:
  /// `context`: the window's context. `what`: the name of the operation, for messages.
  RmaRequest(proto::Engine& engine, std::uint32_t context, const char* what, int target) noexcept
      : SpecialRequest(context), engine_(engine), what_(what), target_(target) {}

  /// One more part must end before the request is done.
  void begin() noexcept { ++parts_; }
  void end(const Failure& failure) noexcept {
    if (failure != nullptr) fail(failure);
    if (--parts_ == 0 && started_) engine_.complete(*this);
  }
  /// To be called when all parts have begun. Returns the user's request; that may be the shared request, and this
  /// object may be deleted.
  proto::Request& all_begun() noexcept {
    if (parts_ == 0 && failure == nullptr) {
      delete this;
      return proto::completed_request();
    }
    started_ = true;
    if (parts_ == 0) engine_.complete(*this);
    return *this;
  }
  /// For a request that is not given to the user, because its operation has failed.
  void discard() noexcept {
    if (parts_ == 0) return delete this;
    detached = started_ = true;
  }

  std::string in_words(proto::Engine&) const override;
  WaitTargets targets(proto::Engine&) const override { return WaitTargets::some_rank(); }

 private:
  ~RmaRequest() override = default;

  proto::Engine& engine_;
  const char* what_;
  int target_;
  unsigned parts_ = 0;
  bool started_ = false;
};

}  // namespace bowline::rma
