// SPDX-License-Identifier: BSD-3-Clause
// PointerService: shared file pointers (MPI-5.0, section 14.4.4) for processes that do not share memory with the
// process that keeps the pointer. They ask it, and it answers when it makes progress.
//
//   pointer_ask      add to the pointer, set it, or only read it
//   pointer_answer   the value before that
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "base/atomic.hpp"
#include "mpiio/storage/storage.hpp"
#include "proto/engine.hpp"
#include "proto/id_table.hpp"
#include "proto/services/service.hpp"

namespace bowline::mpiio {

enum class PointerChange : std::uint32_t { add, set };

/// Adds to a pointer, or sets it; returns the pointer's former value.
inline Offset change_pointer(Atomic<Offset>& pointer, PointerChange change, Offset value) noexcept {
  return change == PointerChange::add ? pointer.fetch_add(value) : pointer.exchange(value);
}

class PointerService final : public proto::Service {
 public:
  static constexpr proto::Kind ask{64}, answer{65};
  struct Ask {
    std::uint64_t id;
    std::int64_t value;
    std::uint32_t change;
    std::uint32_t padding;
  };
  struct Answer {
    std::uint64_t id;
    std::int64_t value;
    std::uint64_t known;  ///< 0: the process does not keep the pointer
  };

  explicit PointerService(proto::Engine& engine) noexcept : Service(engine, forms) {}
  static PointerService& of(proto::Engine& engine);

  /// Serves the pointer of the file whose communicator has this context, until remove().
  void serve(std::uint32_t context, Atomic<Offset>& pointer) { pointers_[context] = &pointer; }
  void remove(std::uint32_t context) noexcept { pointers_.erase(context); }

  /// Asks a process to change a pointer that it keeps, and waits for the answer. Throws Error. The caller holds the
  /// lock of the lane. `rank`: this process's rank in the communicator.
  Offset change(int keeper, std::uint32_t context, int rank, PointerChange change, Offset value);

  bool outstanding() const noexcept override { return !questions_.empty(); }
  bool awaits(const proto::Peer& peer) const noexcept override;
  void unheard(const proto::Peer& peer, const Failure& why) noexcept override;

 private:
  struct Question {
    int keeper;
    bool answered = false;
    Offset value = 0;
    Failure failure;
  };
  static const std::array<proto::MessageKind, 2> forms;

  void ask_arrived(const proto::Arrival& message);
  void answer_arrived(const proto::Arrival& message);

  std::unordered_map<std::uint32_t, Atomic<Offset>*> pointers_;
  proto::IdTable<Question> questions_;
};

}  // namespace bowline::mpiio
