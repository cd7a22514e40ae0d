// SPDX-License-Identifier: BSD-3-Clause
#include "transport/striping/striped_peer.hpp"

#include <exception>
#include <utility>

#include "base/atomic.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"

namespace bowline::transport {

Endpoint* StripedPeer::approach(std::size_t rail) noexcept {
  Further& further = further_[rail - 1];
  if (further.failed) return nullptr;
  if (further.endpoint == nullptr) {
    try {
      further.endpoint = further.device->connect(peer_, further.address);
    } catch (const NotYet&) {
      return nullptr;
    } catch (const std::exception& error) {
      fail_rail(rail, error.what());
      return nullptr;
    }
  }
  if (further.endpoint->lost()) {
    fail_rail(rail, process_name(peer_) + " " + further.endpoint->loss());
  }
  return further.failed || further.endpoint->left() ? nullptr : further.endpoint.get();
}

Endpoint* StripedPeer::connected(std::size_t rail) noexcept {
  Endpoint* const endpoint = approach(rail);
  return endpoint != nullptr && endpoint->connected() ? endpoint : nullptr;
}

Endpoint* StripedPeer::known(std::size_t rail) const noexcept {
  return rail < rails() ? further_[rail - 1].endpoint.get() : nullptr;
}

void StripedPeer::fail_rail(std::size_t rail, const std::string& why) noexcept {
  if (std::exchange(further_[rail - 1].failed, true)) return;
  // With a broken adapter each peer loses a rail; one warning is enough.
  static Atomic<bool> warned{false};
  log::message(warned.exchange(true) ? log::Level::info : log::Level::warning,
               "long messages to and from {} do without adapter {} of {} from now on, and take longer: {}",
               process_name(peer_), rail + 1, rails(), why);
}

}  // namespace bowline::transport
