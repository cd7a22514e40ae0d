// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/finalize_barrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "base/lock.hpp"
#include "base/log.hpp"
#include "comm/index_space.hpp"
#include "dtype/predefined.hpp"
#include "proto/context.hpp"

namespace bowline::runtime {
namespace {

// No other messages at the meeting place, which belongs to no communicator, have the purpose `local`.
constexpr std::uint32_t context = proto::make_context(comm::IndexSpace::meeting_place, 0, proto::Purpose::local);

enum Word : int {
  waiting,  ///< to a child, which does not receive it; it makes the connection on which the child's end is noticed
  go_on,    ///< to the parent: all ranks below have arrived; to a child: all ranks have
};

class Neighbours {
 public:
  Neighbours(proto::Engine& engine, int rank, const std::function<bool()>& gives_up) noexcept
      : engine_(engine), rank_(rank), gives_up_(gives_up) {}

  void tell(int rank, Word word) {
    if (gone(rank)) return;
    const transport::Header header{.context = context, .source = rank_, .tag = word};
    engine_.release(engine_.isend(rank, header, nothing()));
  }

  /// Waits for `go_on` from that rank. Returns also if the rank is lost, or if `gives_up_` returns true.
  void await(int rank) {
    if (gone(rank)) return;
    const proto::Peer& peer = engine_.peer(rank);
    proto::Request& word = engine_.ireceive({.context = context, .source = rank, .tag = go_on}, nothing());
    const proto::Awaiting awaiting{[](proto::Engine&, const void* awaited) {
                                     return fmt::format("for rank {}", *static_cast<const int*>(awaited));
                                   },
                                   &rank};
    engine_.wait_until([&] { return static_cast<bool>(word.done) || peer.lost() || gives_up_(); }, awaiting);
    engine_.cancel(word);
    engine_.release(word);
  }

 private:
  static proto::Buffer nothing() noexcept { return {nullptr, 0, &dtype::byte_type()}; }

  /// Whether the rank is lost or cannot be reached, so that the barrier does not wait for it.
  bool gone(int rank) {
    try {
      return engine_.peer(rank).lost();
    } catch (const std::exception& error) {
      log::info("the end of the job does not wait for rank {}: {}", rank, error.what());
      return true;
    }
  }

  proto::Engine& engine_;
  int rank_;
  const std::function<bool()>& gives_up_;
};

struct Place {
  int parent = -1;
  std::vector<int> children;
};

/// The first rank of a range is the root of its tree; the two halves of the other ranks are the trees of its children.
Place place_of(int rank, int size) {
  Place place;
  int first = 0;
  int end = size;
  for (;;) {
    const int middle = first + 1 + (end - first) / 2;
    if (rank == first) {
      if (first + 1 < end) place.children.push_back(first + 1);
      if (middle < end) place.children.push_back(middle);
      return place;
    }
    place.parent = first;
    first = rank < middle ? first + 1 : middle;
    end = rank < middle ? std::min(middle, end) : end;
  }
}

}  // namespace

void finalize_barrier(proto::Engine& engine, int rank, int size, const std::function<bool()>& gives_up) {
  const LockGuard hold(engine.lock());
  Neighbours neighbours(engine, rank, gives_up);
  const auto [parent, children] = place_of(rank, size);
  for (const int child : children) neighbours.tell(child, waiting);
  for (const int child : children) neighbours.await(child);
  if (parent >= 0) {
    neighbours.tell(parent, go_on);
    neighbours.await(parent);
  }
  for (const int child : children) neighbours.tell(child, go_on);
  if (!gives_up()) engine.drain([&] { return engine.flushed(); });
}

}  // namespace bowline::runtime
