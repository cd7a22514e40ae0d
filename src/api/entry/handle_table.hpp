// SPDX-License-Identifier: BSD-3-Clause
// HandleTable: the objects of one kind that the user holds by handles. A handle is looked up before it is dereferenced,
// so that a stale or foreign one is detected. For objects off the hot paths.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/handle_numbers.hpp"

namespace bowline::api {

/// Objects are shared: an operation that uses an object keeps the object alive, also after the user has freed the
/// handle. A handle that was returned several times must be freed as often. Safe for several threads.
template <class Object>
class HandleTable {
 public:
  /// Returns a handle for the object: its address.
  template <class Handle>
  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard hold(mutex_);
    Object* const address = object.get();
    Entry& entry = objects_[address];
    if (entry.times++ == 0) entry.object = std::move(object);
    return reinterpret_cast<Handle>(address);
  }

  /// nullptr if the handle is invalid.
  std::shared_ptr<Object> find(const void* handle) const {
    const std::lock_guard hold(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.object;
  }

  /// Frees the handle once; returns false if it is invalid.
  bool remove(const void* handle) {
    std::shared_ptr<Object> last;  // destroyed after the lock is released
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
