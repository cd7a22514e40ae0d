// SPDX-License-Identifier: BSD-3-Clause
// AdapterEvents: what an adapter reports by itself (ibv_get_async_event): ports that go down and come up, and that the
// adapter is dead. The devices of all lanes share it; any thread may call.
#pragma once

#include <mutex>
#include <string>

#include "base/flag.hpp"
#include "node/descriptor.hpp"
#include "verbs/verbs_library.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

class AdapterEvents {
 public:
  /// From now on nobody waits in ibv_get_async_event(). `port` and `device` must outlive this. Throws Error.
  AdapterEvents(const Port& port, ibv_context* device);
  AdapterEvents(const AdapterEvents&) = delete;
  AdapterEvents& operator=(const AdapterEvents&) = delete;

  /// Becomes readable when read() has something to do.
  int descriptor() const noexcept { return device_->async_fd; }
  /// Stays readable from the end of the adapter on, so that it wakes the devices of all lanes.
  int end_descriptor() const noexcept { return end_.number(); }
  /// Takes and logs what has been reported.
  void read() noexcept;
  /// The adapter cannot be used any more. Only the first reason counts.
  void end(const char* why) noexcept;
  bool has_ended() const noexcept { return ended_; }
  /// Why the adapter has ended, as a clause without a subject.
  const std::string& why() const noexcept { return why_; }

 private:
  void handle(const ibv_async_event& event) noexcept;
  void handle_port(const ibv_async_event& event) noexcept;
  void end_locked(const char* why) noexcept;

  const Port& port_;
  ibv_context* device_;
  node::Descriptor end_;  ///< an eventfd
  std::mutex mutex_;      ///< for all members but ended_; why_ does not change after ended_ is set
  Flag ended_;
  std::string why_;
};

}  // namespace bowline::verbs
