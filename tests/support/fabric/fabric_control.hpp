// SPDX-License-Identifier: BSD-3-Clause
// What tests may do with the simulated fabric while it runs. A program that is not linked with it finds these functions
// by dlsym in libibverbs.so.1; a real one has none of them.
#pragma once

#include <cstdint>

extern "C" {

/// What the operations of this process met since it started.
struct fabric_counts {
  std::uint64_t doorbells;  ///< calls of ibv_post_send
  std::uint64_t sends;      ///< sent messages, without those of RDMA writes
  std::uint64_t writes;     ///< RDMA writes, with and without immediate data
  std::uint64_t reads;      ///< RDMA reads
  std::uint64_t atomics;
  std::uint64_t inlined;    ///< of all of these, those whose data were inline
  std::uint64_t not_ready;  ///< messages that found no receive at first
  std::uint64_t link_down;  ///< operations that met a port that was down, or a peer that did not answer, at first
  std::uint64_t failed;     ///< operations that completed with an error, without those that were flushed
  std::uint64_t registrations;
  std::uint64_t registered_bytes;      ///< now, with locked pages
  std::uint64_t on_demand_bytes;       ///< now, without
  std::uint64_t transferred[4];        ///< bytes read and written by RDMA, for each device
  std::uint64_t traffic_classes[256];  ///< queue pairs that were connected, by the traffic class of their packets
};

/// The counts of this process.
void fabric_count(fabric_counts* counts);

/// Takes a port of this process's host down for so many milliseconds; 0 takes it up, a negative number takes it down
/// until it is taken up. Device and port count from 0 and 1.
void fabric_link_down(int device, int port, int milliseconds);

/// Reports an asynchronous event (an ibv_event_type) to all that this process has opened of a device. `port`: which one
/// it is about, if it is about a port. The device goes on as before.
void fabric_report_event(int device, int type, int port);

}  // extern "C"
