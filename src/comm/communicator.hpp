// SPDX-License-Identifier: BSD-3-Clause
// Communicator: a group of processes with contexts of its own, so that its messages meet no others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/attributes.hpp"
#include "coll/team.hpp"
#include "comm/errhandler.hpp"
#include "comm/group.hpp"
#include "proto/bsend_buffer.hpp"
#include "proto/context.hpp"
#include "proto/engine.hpp"

namespace bowline::comm {

class Communicator {
 public:
  /// `index` is the same in all members and names no other communicator of theirs; `engine` is the lane that serves it.
  Communicator(std::string name, std::uint32_t index, unsigned lane, proto::Engine& engine, Group group, int rank,
               bool crowded);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() { mark_ = 0; }

  /// Whether the memory behind a handle holds a communicator that has not been freed.
  bool alive() const noexcept { return mark_ == mark_of_life; }

  int rank() const noexcept { return team_.rank; }
  int size() const noexcept { return team_.size; }
  const std::string& name() const noexcept { return name_; }
  /// The context of point-to-point messages.
  std::uint32_t context() const noexcept { return context_; }
  /// The context of partitioned messages.
  std::uint32_t partitioned_context() const noexcept {
    return proto::with_purpose(context_, proto::Purpose::partitioned);
  }
  const Group& group() const noexcept { return group_; }
  std::uint32_t index() const noexcept { return index_; }
  proto::Engine& engine() const noexcept { return team_.engine; }
  int world_rank(int rank) const noexcept { return team_.ranks.world(rank); }
  coll::Team& team() noexcept { return team_; }
  const coll::Team& team() const noexcept { return team_; }

  std::shared_ptr<ErrorHandler> error_handler() const { return error_handler_.get(); }
  void set_error_handler(ErrorHandler& handler) { error_handler_.set(handler); }

  Attributes& attributes() noexcept { return attributes_; }

  /// Where MPI_Bsend on this communicator copies to, if the user gave it a buffer of its own.
  proto::BsendBuffer& bsend_buffer() noexcept { return bsend_buffer_; }

 private:
  static constexpr std::uint32_t mark_of_life = 0xc0331a7e;

  Group group_;
  coll::Team team_;
  std::uint32_t context_;
  std::uint32_t index_;
  volatile std::uint32_t mark_ = mark_of_life;
  AttachedHandler error_handler_{ErrorHandler::are_fatal()};
  Attributes attributes_;
  std::string name_;
  proto::BsendBuffer bsend_buffer_;
};

}  // namespace bowline::comm
