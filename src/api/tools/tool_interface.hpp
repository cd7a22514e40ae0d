// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the tool interface share (MPI-5.0, chapter 15). They work before MPI_Init, between sessions and
// after MPI_Finalize, in several threads whatever the thread level of MPI is, and call no error handler.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace bowline::api {

/// An error of the tool interface: the function returns its code (MPI-5.0, section 15.3.10).
class ToolError final : public Error {
 public:
  explicit ToolError(int code) : Error(static_cast<ErrorClass>(code), std::string()) {}
};

/// Guards the handles of the tool interface while it exists. Throws ToolError unless the interface is initialized.
class ToolLock {
 public:
  ToolLock();

 private:
  std::unique_lock<std::mutex> hold_;
};

/// Returns a string by the convention of MPI-5.0, section 15.3.3: as much of it as fits, and in `length` what the whole
/// needs, with its final null byte.
void give_string(std::string_view text, char* buffer, int* length) noexcept;

/// Returns a value unless the caller does not want it.
template <class T>
void give(T* to, T value) noexcept {
  if (to != nullptr) *to = value;
}

/// The index as a position in a table of `count` entries. Throws ToolError.
std::size_t checked_index(int index, std::size_t count, int code = MPI_T_ERR_INVALID_INDEX);

/// Where a function must return something. Throws ToolError.
template <class T>
T& required(T* to) {
  if (to == nullptr) throw ToolError(MPI_T_ERR_INVALID);
  return *to;
}

/// The objects behind the handles of one kind, which a tool has allocated and not freed. Under ToolLock.
template <class Object, class Owner = std::unique_ptr<Object>>
class ToolHandles {
 public:
  Object* add(Owner object) {
    Object* const handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// Throws ToolError.
  Object& find(Object* handle, int code = MPI_T_ERR_INVALID_HANDLE) const {
    if (!objects_.contains(handle)) throw ToolError(code);
    return *handle;
  }
  /// Throws ToolError.
  Owner take(Object* handle) {
    const auto place = objects_.find(&find(handle));
    Owner owner = std::move(place->second);
    objects_.erase(place);
    return owner;
  }
  void remove(Object& object) { objects_.erase(&object); }
  template <class Action>
  void for_each(Action action) {
    for (const auto& [handle, object] : objects_) action(*object);
  }
  void clear() noexcept { objects_.clear(); }

 private:
  std::map<Object*, Owner> objects_;
};

/// Called when the tool interface has been finalized as often as initialized: all handles are invalid then.
void forget_control_handles() noexcept;
void forget_performance_sessions() noexcept;
void forget_event_registrations() noexcept;

}  // namespace bowline::api
