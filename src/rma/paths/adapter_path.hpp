// SPDX-License-Identifier: BSD-3-Clause
// AdapterPath: to targets whose memory the network reaches by a key. An adapter reads and writes it without the
// target's doing; where the network has none, it asks the target's process.
//
// The first operation on a target asks the target for the address and the key of its memory, which the processes of
// this node then keep together. Data of many small blocks are sent as messages. Accumulates use atomic operations of
// the network if the members have agreed to do so (Window::network_accumulates), otherwise messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pool.hpp"
#include "rma/paths/target_path.hpp"

namespace bowline::rma {

class Window;

class AdapterPath final : public TargetPath {
 public:
  explicit AdapterPath(Window& window) noexcept : window_(window) {}

  const char* name() const noexcept override { return "adapter"; }
  void put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) override;
  void get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) override;
  void accumulate(Target& target, const Accumulate& what, RmaRequest* request) override;
  void swap(Target& target, const Swap& what) override;
  void begin_flush(Target& target) override;
  bool flushed(const Target& target) const noexcept override;
  bool locally_done(const Target& target) const noexcept override;

 private:
  /// An access to a target's memory that the network has not completed.
  class Access final : public transport::Operation {
   public:
    Access(AdapterPath& path, Target& target, RmaRequest* request) noexcept;
    void ended(const Error* failure) noexcept override;

   private:
    AdapterPath& path_;
    Target& target_;
    RmaRequest* request_;
  };
  enum class Direction { read, write };
  bool ready(Target& target);
  std::uint64_t locate(const Target& target, const TargetData& place) const;
  void move(Target& target, Direction direction, const proto::Buffer& mine, const TargetData& place,
            RmaRequest* request);
  bool by_network(Target& target, const dtype::Datatype& element, const TargetData& place);
  void update(Target& target, const Accumulate& what, std::uint64_t address, const std::byte* in, std::byte* old);
  std::uint64_t fetch(Target& target, const transport::RemoteAtomic& atomic, std::uint64_t address);
  template <class Start>
  void begin(Target& target, RmaRequest* request, Start start);

  Window& window_;
  Pool<Access> pool_;
};

}  // namespace bowline::rma
