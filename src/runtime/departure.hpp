// SPDX-License-Identifier: BSD-3-Clause
// Departure: how MPI_Finalize waits for the messages that this process has begun to send.
//
// These messages leave before the process ends. A message that nobody receives would make the process wait for ever. So
// after some seconds a warning names the message, and when all processes of the job have reached their end, so that
// nobody can receive it any more, the job is ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "proto/lanes.hpp"
#include "proto/peer.hpp"
#include "runtime/transports.hpp"

namespace bowline::runtime {

class Departure {
 public:
  /// `call`: the name of the function that waits. `farewell`: what ends with the function; other processes are notified
  /// of that end.
  Departure(proto::Lanes& lanes, Transports& transports, const char* call, proto::Farewell farewell);

  /// Returns when everything that was sent has left. In the last call of the program drain() also returns, after some
  /// seconds, if nobody can receive the remaining messages any more, or if that is known only after the finalize
  /// barrier.
  void drain();
  /// To be called again and again while this process waits for other processes, in the last call of the program only.
  /// Tells the ranks that wait for this rank, once all messages of the program are handed over.
  void say_good_bye();
  /// A description of the messages that have not left; empty if there are none.
  std::string left_over();
  /// A sentence about the messages of the program that have arrived and that no call has received; empty if there are
  /// none.
  std::string unreceived();

 private:
  using Clock = std::chrono::steady_clock;

  bool abandons(proto::Engine& mine);
  bool is_last() const noexcept { return farewell_ != proto::Farewell::none; }
  bool is_time_to_look();
  void tell_who_waits();
  bool moves();
  bool nothing_comes_to_others();
  bool others_end(proto::Engine& mine);

  proto::Lanes& lanes_;
  Transports& transports_;
  const char* call_;
  proto::Farewell farewell_;
  bool said_ = false;
  bool good_bye_ = false;
  bool told_all_ = false;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_look_ = Clock::now();
  Clock::time_point unchanged_since_ = Clock::now();
  std::size_t amount_ = 0;  ///< messages and bytes that waited at the last check
};

}  // namespace bowline::runtime
