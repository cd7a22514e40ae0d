// SPDX-License-Identifier: BSD-3-Clause
// One side of a connection: a device with a domain, a completion queue and a shared receive queue, and helpers that
// make the requests of tests short.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/fabric/fabric_control.hpp"

namespace fabric::test {

/// What a queue pair must know of its peer.
struct Address {
  std::uint32_t number;
  std::uint32_t psn;
  std::uint16_t lid;
  ibv_gid gid;
};

/// What a peer must know of memory.
struct Place {
  std::uint64_t address;
  std::uint32_t key;
};

struct StationOptions {
  std::uint32_t sends = 16;
  std::uint32_t inline_bytes = 0;
  bool shared_receives = true;
  int completions = 64;
  ibv_comp_channel* channel = nullptr;
};

/// Values of the last transition that tests vary.
struct Patience {
  std::uint8_t timeout = 8;  ///< 4.096 us times 2^8: about a millisecond
  std::uint8_t retries = 1;
  std::uint8_t rnr_retries = 7;
  std::uint8_t reads = 4;
};

/// Memory with a registration.
class Buffer {
 public:
  Buffer(ibv_pd* domain, std::size_t length, int access);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::span<std::byte> bytes() { return bytes_; }
  std::uint64_t& word(std::size_t index = 0) { return reinterpret_cast<std::uint64_t*>(bytes_.data())[index]; }
  ibv_sge piece(std::size_t offset, std::size_t length) const;
  ibv_sge piece() const { return piece(0, bytes_.size()); }
  Place place() const { return {reinterpret_cast<std::uint64_t>(bytes_.data()), region_->rkey}; }

 private:
  std::vector<std::byte> bytes_;
  ibv_mr* region_;
};

inline constexpr int every_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

class Station {
 public:
  explicit Station(const StationOptions& options = {});
  ~Station();
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  Address address() const;
  void initialize(unsigned access = every_access);
  void ready_to_receive(const Address& peer);
  void ready_to_send(const Patience& patience = {});
  void connect(const Address& peer, const Patience& patience = {});

  void receive(std::uint64_t id, std::span<const ibv_sge> pieces) const;
  void receive(std::uint64_t id, const ibv_sge& piece) const { receive(id, std::span(&piece, 1)); }

  /// Posts one request, and returns what ibv_post_send returned.
  int post(ibv_wr_opcode opcode, std::uint64_t id, const ibv_sge& piece, const Place& place = {},
           unsigned flags = IBV_SEND_SIGNALED) const;
  int post_atomic(ibv_wr_opcode opcode, std::uint64_t id, const ibv_sge& piece, const Place& place,
                  std::uint64_t add_or_compare, std::uint64_t swap = 0) const;

  /// The next completion, if there is one.
  std::optional<ibv_wc> poll() const;

  /// Polls until there is one; a test that waits in vain fails after ten seconds.
  ibv_wc next() const;

  ibv_qp_state state() const;

  ibv_context* context = nullptr;
  ibv_pd* domain = nullptr;
  ibv_cq* completions = nullptr;
  ibv_srq* receives = nullptr;
  ibv_qp* pair = nullptr;
};

/// Connects two stations of one process.
void connect(Station& one, Station& other, const Patience& patience = {});

/// What the fabric has counted in this process so far.
inline fabric_counts counts() {
  fabric_counts now{};
  fabric_count(&now);
  return now;
}

}  // namespace fabric::test
