// SPDX-License-Identifier: BSD-3-Clause
// WindowService: the messages of all windows of one lane. It finds the window of an arriving message by its context,
// and the operation of arriving data by an id.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/pool.hpp"
#include "proto/engine.hpp"
#include "proto/id_table.hpp"
#include "proto/services/service.hpp"

namespace bowline::rma {

class RmaRequest;
struct Target;
class Window;

/// Data that this process has asked a target for.
struct AwaitedData {
  AwaitedData(Window& window_, Target& target_, const proto::Buffer& buffer, RmaRequest* request_) noexcept
      : window(window_), target(target_), into(buffer), request(request_) {}
  std::uint64_t id = proto::no_id;
  Window& window;
  Target& target;
  proto::HeldBuffer into;
  std::size_t received = 0;  ///< bytes, in order
  RmaRequest* request;       ///< may be nullptr
};

class WindowService final : public proto::Service {
 public:
  /// Connects to a process through a network, also to a process of this node, or to this process itself. nullptr if
  /// there is no network. Throws Error.
  using ConnectNetwork = std::function<std::unique_ptr<transport::Endpoint>(int process)>;

  explicit WindowService(proto::Engine& engine, ConnectNetwork connect = {})
      : Service(engine, forms), connect_(std::move(connect)) {}
  /// Destroys the windows that the program has not freed.
  ~WindowService() override;
  /// The service of the engine. Throws Error (intern) if none was added.
  static WindowService& of(proto::Engine& engine);

  /// From now on messages with the window's context reach the window.
  void add(Window& window);
  void remove(Window& window) noexcept;
  template <class Action>
  void for_each(Action action) const {
    for (const auto& [context, window] : windows_) action(*window);
  }

  /// The endpoint by which a network reaches the memory of a process. Throws Error if there is none.
  transport::Endpoint& network_endpoint(int process);

  /// Begins to await data for this buffer. Throws std::bad_alloc.
  AwaitedData& await(Window& window, Target& target, const proto::Buffer& into, RmaRequest* request);

  /// True also while there are windows whose other members need this process: a progress thread serves them.
  bool outstanding() const noexcept override { return !awaited_.empty() || served_ > 0; }
  bool awaits(const proto::Peer& peer) const noexcept override;
  void for_each_waiting(const std::function<void(const proto::Match&, int process)>& action) override;
  void unheard(const proto::Peer& peer, const Failure& why) noexcept override;
  void unanswered(const proto::Doomed& doomed, const Failure& why) noexcept override;

 private:
  // The message's sender and its rank in the window.
  struct Sender {
    Window& window;
    int rank;
  };
  Sender sender_of(const proto::Arrival& message) const;
  AwaitedData& awaited(const proto::Arrival& message, std::uint64_t id) const;
  void end(AwaitedData& awaited, const Failure& why) noexcept;

  // At the target.
  void type_arrived(const proto::Arrival& message);
  void operation_arrived(const proto::Arrival& message);
  void swap_arrived(const proto::Arrival& message);
  void data_arrived(const proto::Arrival& message);
  void flush_arrived(const proto::Arrival& message);
  void lock_arrived(const proto::Arrival& message);
  void unlock_arrived(const proto::Arrival& message);
  void complete_arrived(const proto::Arrival& message);
  void describe_arrived(const proto::Arrival& message);
  // At the origin.
  void answer_arrived(const proto::Arrival& message);
  void failed_arrived(const proto::Arrival& message);
  void flushed_arrived(const proto::Arrival& message);
  void locked_arrived(const proto::Arrival& message);
  void post_arrived(const proto::Arrival& message);
  void description_arrived(const proto::Arrival& message);

  static const std::array<proto::MessageKind, 15> forms;

  std::unordered_map<std::uint32_t, Window*> windows_;  ///< by context
  std::size_t served_ = 0;                              ///< number of windows in which others need this process
  ConnectNetwork connect_;
  std::unordered_map<int, std::unique_ptr<transport::Endpoint>>
      endpoints_;  ///< by process, endpoints that connect_ has made
  proto::IdTable<AwaitedData> awaited_;
  Pool<AwaitedData> pool_;
};

}  // namespace bowline::rma
