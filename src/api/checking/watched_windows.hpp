// SPDX-License-Identifier: BSD-3-Clause
// WatchedWindows: the windows of this process that BOWLINE_CHECK=epochs watches, and what the process may know of the
// others. All members of a window have that setting.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/checking/window_record.hpp"

namespace bowline::comm {
class Communicator;
class Group;
}  // namespace bowline::comm

namespace bowline::api::checking {

/// Safe for several threads. The sentences are for the user. Functions about a window that is not watched do nothing.
class WatchedWindows {
 public:
  static WatchedWindows& of_this_process();

  /// The process may have learnt what others did.
  void learn();
  /// The process has completed a collective that ends nowhere before all members have begun it.
  void passed_barrier(const comm::Communicator& comm);

  /// The members of a new window call it together.
  void watch(rma::Window& window);
  /// An access of this process; WindowRecord::add().
  std::optional<std::string> accessed(rma::Window& window, int target, const WindowAccess& access,
                                      std::span<const std::byte> data, const MpiCall& by, bool may_be_complete);
  /// The displacement unit of a member; 0 if the window is not watched.
  std::int64_t unit(const rma::Window& window, int target);

  // The process has synchronized. Ranks are those in the window, -1 stands for all.
  void started(const rma::Window& window, const comm::Group& targets);
  void posted(const rma::Window& window, const comm::Group& origins);
  void access_ended(const rma::Window& window);
  void locked(const rma::Window& window, int target, bool exclusive);
  void locked_all(const rma::Window& window);
  void unlocked(const rma::Window& window, int target);
  void flushed(const rma::Window& window, int target);
  /// Reads of this process may have been completed.
  void synchronized(const rma::Window& window);

  /// The members have completed a fence, and compare.
  std::vector<std::string> fenced(const rma::Window& window);
  /// The members are about to free the window: they compare, and it is not watched any more.
  std::vector<std::string> freed(const rma::Window& window);

 private:
  using Record = std::shared_ptr<WindowRecord>;

  Record find(const rma::Window& window);
  WindowRecord::Knowledge knowledge() const;
  bool is_new(const std::pair<std::uintptr_t, std::uintptr_t>& places);
  bool is_memory_watched(const rma::Window& window) const;
  std::vector<std::string> compare(WindowRecord& record);
  void begin(WindowRecord& record);
  template <class Change>
  void change(const rma::Window& window, Change change);

  std::mutex mutex_;
  std::unordered_map<const rma::Window*, Record> records_;
  std::uint64_t learnt_ = 0;
  bool told_of_limit_ = false;
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> told_;  ///< by the places of two calls of this process
};

}  // namespace bowline::api::checking
