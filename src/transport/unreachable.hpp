// SPDX-License-Identifier: BSD-3-Clause
// The endpoint to a peer that has never said how it can be reached, and is not waited for any more.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "transport/transport.hpp"

namespace bowline::transport {

/// Lost from the start: what is sent waits, until it fails because the peer is found to be lost.
class UnreachableEndpoint final : public Endpoint {
 public:
  /// `why` follows the peer's rank in a sentence. What is planned for the peer obeys `limits`, like that for others.
  UnreachableEndpoint(const Limits& limits, std::string why) : Endpoint(limits), why_(std::move(why)) {}

  Post send(Header, std::span<const std::byte>, std::span<const std::byte>) noexcept override { return Post::retry; }
  bool lost() noexcept override { return true; }
  std::string loss() const override { return why_; }

 private:
  std::string why_;
};

}  // namespace bowline::transport
