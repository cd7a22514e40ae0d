// SPDX-License-Identifier: BSD-3-Clause
// Departure: what MPI_Finalize does about messages that this process has begun to send.
//
// They leave before the process does. One that nobody receives would keep it for ever: after some seconds the user is
// told which; and when all processes of the job are at their end, so that nobody can receive it any more, the job is
// ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "proto/lanes.hpp"
#include "runtime/transports.hpp"

namespace bowline::runtime {

class Departure {
 public:
  /// `call`: the function that waits. `last`: the program will not use MPI after it, which other processes are told.
  Departure(proto::Lanes& lanes, Transports& transports, const char* call, bool last);

  /// Returns when all that was sent has left. In the last call of the program also, after some seconds, when nobody can
  /// receive the rest any more; or when the processes of all nodes have to meet before that is known.
  void drain();
  /// To be called again and again while this process waits for the others, in the last call of the program only. Tells
  /// the ranks that wait for this one, once all that the program sent is handed over.
  void say_good_bye();
  /// What has not left, in words; empty if there is nothing.
  std::string left_over();

 private:
  using Clock = std::chrono::steady_clock;

  bool gives_up(proto::Engine& mine);
  bool is_time_to_look();
  void tell_who_waits();
  bool moves();
  bool nothing_comes_to_others();
  bool others_end(proto::Engine& mine);

  proto::Lanes& lanes_;
  Transports& transports_;
  const char* call_;
  bool last_;
  bool said_ = false;
  bool good_bye_ = false;
  bool told_all_ = false;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_look_ = Clock::now();
  Clock::time_point unchanged_since_ = Clock::now();
  std::size_t amount_ = 0;  ///< of what waits, as it was at the latest look
};

}  // namespace bowline::runtime
