// SPDX-License-Identifier: BSD-3-Clause
// HandleTable: the objects of one kind that the user holds by handles. A handle is looked up before it is followed, so
// that a stale or foreign one is found out. For objects off the hot paths.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/handle_numbers.hpp"

namespace bowline::api {

/// Objects are shared: whoever uses one keeps it, also after the user has freed the handle. A handle that has been
/// given out several times is freed as often. Safe for several threads.
template <class Object>
class HandleTable {
 public:
  /// The handle is the object's address.
  template <class Handle>
  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard hold(mutex_);
    Object* const address = object.get();
    Entry& entry = objects_[address];
    if (entry.times++ == 0) entry.object = std::move(object);
    return reinterpret_cast<Handle>(address);
  }

  /// nullptr if the handle is none.
  std::shared_ptr<Object> find(const void* handle) const {
    const std::lock_guard hold(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.object;
  }

  /// Takes the handle back; false if it is none.
  bool remove(const void* handle) {
    std::shared_ptr<Object> last;  // goes after the lock
    const std::lock_guard hold(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return false;
    if (--found->second.times > 0) return true;
    handle_numbers().forget(reinterpret_cast<std::uintptr_t>(handle));
    last = std::move(found->second.object);
    objects_.erase(found);
    return true;
  }

 private:
  struct Entry {
    std::shared_ptr<Object> object;
    int times = 0;
  };
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Entry> objects_;
};

}  // namespace bowline::api
