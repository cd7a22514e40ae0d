// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 15.3.7.2 to 15.3.7.6: sessions, and the handles by which tools start, stop and read variables.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "api/tools/performance_variables.hpp"
#include "api/tools/tool_interface.hpp"
#include "base/events/event.hpp"
#include "bodies.hpp"

/// What an MPI_T_pvar_handle refers to. The values of a variable that does not always run are here what has been
/// counted while the handle was started.
struct MPI_ABI_T_pvar_handle {
  explicit MPI_ABI_T_pvar_handle(bowline::api::PerformanceVariable variable_, const void* object)
      : variable(variable_), values(variable.values(object)), counts(values->count()) {}

  struct Count {
    std::uint64_t before = 0;   ///< of the variable, when the handle was started
    std::uint64_t counted = 0;  ///< until the handle was stopped
  };
  const bowline::api::PerformanceVariable variable;
  const std::unique_ptr<bowline::ObjectValues> values;
  std::vector<Count> counts;
  bool started = false;

  bool can_stop() const noexcept { return !variable.is_continuous(); }

  std::uint64_t value(std::size_t i) const noexcept {
    if (!can_stop()) return values->value(i);
    return counts[i].counted + (started ? values->value(i) - counts[i].before : 0);
  }
  /// The value; the handle begins anew with `next`. What is counted meanwhile is not lost.
  std::uint64_t exchange(std::size_t i, std::uint64_t next) noexcept {
    const std::uint64_t now = values->value(i);
    const Count old = std::exchange(counts[i], {.before = now, .counted = next});
    return old.counted + (started ? now - old.before : 0);
  }
  void start() noexcept {
    if (std::exchange(started, true)) return;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i].before = values->value(i);
  }
  void stop() noexcept {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i].counted = value(i);
    started = false;
  }
  void reset() noexcept {
    for (std::size_t i = 0; i < counts.size(); ++i) exchange(i, 0);
  }
};

/// What an MPI_T_pvar_session refers to.
struct MPI_ABI_T_pvar_session {
  bowline::api::ToolHandles<MPI_ABI_T_pvar_handle> handles{};
};

namespace bowline::api {
namespace {

ToolHandles<MPI_ABI_T_pvar_session>& sessions() {
  static ToolHandles<MPI_ABI_T_pvar_session> all;
  return all;
}

MPI_ABI_T_pvar_session& found(MPI_T_pvar_session session) {
  return sessions().find(session, MPI_T_ERR_INVALID_SESSION);
}

/// What keeps the handles as they are. Handles may listen to events, so this is in the order of callbacks.
struct HandlesLock {
  EventKind::Pause pause;
  ToolLock lock;
};

/// A handle that may be started, stopped, reset or written. `code`: of the error if it may not.
MPI_ABI_T_pvar_handle& changeable(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code) {
  MPI_ABI_T_pvar_handle& changed = found(session).handles.find(handle);
  if (!changed.can_stop()) throw ToolError(code);
  return changed;
}

/// For MPI_T_PVAR_ALL_HANDLES: those that cannot be started, stopped or reset are left out.
template <class Action>
void for_one_or_all(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code, Action action) {
  if (handle != MPI_T_PVAR_ALL_HANDLES) return action(changeable(session, handle, code));
  found(session).handles.for_each([&](MPI_ABI_T_pvar_handle& each) {
    if (each.can_stop()) action(each);
  });
}

/// The values of a handle in the tool's memory.
class Buffer {
 public:
  Buffer(const void* begin, const MPI_ABI_T_pvar_handle& of)
      : begin_(static_cast<std::byte*>(const_cast<void*>(begin))), bytes_(of.variable.bytes_of_value()) {
    if (begin == nullptr) throw ToolError(MPI_T_ERR_INVALID);
  }
  void write(std::size_t i, std::uint64_t value) const noexcept {
    const auto narrow = static_cast<std::uint32_t>(value);
    std::memcpy(begin_ + i * bytes_, bytes_ == sizeof narrow ? static_cast<const void*>(&narrow) : &value, bytes_);
  }
  std::uint64_t read(std::size_t i) const noexcept {
    std::uint64_t value = 0;  // all variables whose values are shorter are read-only
    std::memcpy(&value, begin_ + i * bytes_, bytes_);
    return value;
  }

 private:
  std::byte* begin_;
  std::size_t bytes_;
};

}  // namespace

void forget_performance_sessions() noexcept {
  sessions().clear();
}

void t_pvar_session_create(MPI_T_pvar_session* session) {
  const ToolLock lock;
  required(session) = sessions().add(std::make_unique<MPI_ABI_T_pvar_session>());
}

void t_pvar_session_free(MPI_T_pvar_session* session) {
  const HandlesLock lock;
  sessions().remove(found(required(session)));
  *session = MPI_T_PVAR_SESSION_NULL;
}

void t_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* obj_handle, MPI_T_pvar_handle* handle,
                         int* count) {
  const HandlesLock lock;
  auto& handles = found(session).handles;
  const PerformanceVariable variable = PerformanceVariable::at(pvar_index);
  MPI_T_pvar_handle& made = required(handle);
  made = handles.add(std::make_unique<MPI_ABI_T_pvar_handle>(variable, obj_handle));
  give(count, static_cast<int>(made->counts.size()));
}

void t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  const HandlesLock lock;
  auto& handles = found(session).handles;
  handles.remove(handles.find(required(handle)));
  *handle = MPI_T_PVAR_HANDLE_NULL;
}

void t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const ToolLock lock;
  for_one_or_all(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](MPI_ABI_T_pvar_handle& each) { each.start(); });
}

void t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const ToolLock lock;
  for_one_or_all(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](MPI_ABI_T_pvar_handle& each) { each.stop(); });
}

void t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const ToolLock lock;
  const MPI_ABI_T_pvar_handle& read = found(session).handles.find(handle);
  const Buffer buffer(buf, read);
  read.values->look();
  for (std::size_t i = 0; i < read.counts.size(); ++i) buffer.write(i, read.value(i));
}

void t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  const ToolLock lock;
  MPI_ABI_T_pvar_handle& written = changeable(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
  const Buffer buffer(buf, written);
  for (std::size_t i = 0; i < written.counts.size(); ++i) written.exchange(i, buffer.read(i));
}

void t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const ToolLock lock;
  for_one_or_all(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [](MPI_ABI_T_pvar_handle& each) { each.reset(); });
}

void t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const ToolLock lock;
  MPI_ABI_T_pvar_handle& read = changeable(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC);
  const Buffer buffer(buf, read);
  for (std::size_t i = 0; i < read.counts.size(); ++i) buffer.write(i, read.exchange(i, 0));
}

}  // namespace bowline::api
