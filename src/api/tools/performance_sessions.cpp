// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 15.3.7.2 to 15.3.7.6: sessions, and the handles by which tools start, stop and read variables.
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "api/tools/performance_variables.hpp"
#include "api/tools/tool_interface.hpp"
#include "bodies.hpp"

/// What an MPI_T_pvar_handle refers to. A counter's value here is what has been counted while the handle was started.
struct MPI_ABI_T_pvar_handle {
  const bowline::Measure& measure;
  bool started = false;
  std::uint64_t before = 0;   ///< of the measure, when the handle was started
  std::uint64_t counted = 0;  ///< until the handle was stopped

  bool counts() const noexcept { return !bowline::api::is_continuous(measure); }

  std::uint64_t value() const noexcept {
    if (!counts()) return measure.value();
    return counted + (started ? measure.value() - before : 0);
  }
  void set(std::uint64_t value) noexcept {
    counted = value;
    before = measure.value();
  }
  void start() noexcept {
    if (!std::exchange(started, true)) before = measure.value();
  }
  void stop() noexcept {
    counted = value();
    started = false;
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

/// A handle that may be started, stopped, reset or written. `code`: of the error if it may not.
MPI_ABI_T_pvar_handle& changeable(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code) {
  MPI_ABI_T_pvar_handle& changed = found(session).handles.find(handle);
  if (!changed.counts()) throw ToolError(code);
  return changed;
}

/// For MPI_T_PVAR_ALL_HANDLES: those that cannot be started, stopped or reset are left out.
template <class Action>
void for_one_or_all(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code, Action action) {
  if (handle != MPI_T_PVAR_ALL_HANDLES) return action(changeable(session, handle, code));
  found(session).handles.for_each([&](MPI_ABI_T_pvar_handle& each) {
    if (each.counts()) action(each);
  });
}

void write_value(void* to, std::uint64_t value) {
  if (to == nullptr) throw ToolError(MPI_T_ERR_INVALID);
  const unsigned long long number = value;
  std::memcpy(to, &number, sizeof number);
}

}  // namespace

void forget_performance_sessions() noexcept {
  sessions().clear();
}

void t_pvar_session_create(MPI_T_pvar_session* session) {
  const ToolLock lock;
  required(session) = sessions().add(std::make_unique<MPI_ABI_T_pvar_session>());
}

void t_pvar_session_free(MPI_T_pvar_session* session) {
  const ToolLock lock;
  sessions().remove(found(required(session)));
  *session = MPI_T_PVAR_SESSION_NULL;
}

void t_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void*, MPI_T_pvar_handle* handle, int* count) {
  const ToolLock lock;
  const Measure& measure = measure_at(pvar_index);
  required(handle) =
      found(session).handles.add(std::make_unique<MPI_ABI_T_pvar_handle>(MPI_ABI_T_pvar_handle{measure}));
  give(count, 1);
}

void t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  const ToolLock lock;
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
  write_value(buf, found(session).handles.find(handle).value());
}

void t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  const ToolLock lock;
  MPI_ABI_T_pvar_handle& written = changeable(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
  if (buf == nullptr) throw ToolError(MPI_T_ERR_INVALID);
  unsigned long long number = 0;
  std::memcpy(&number, buf, sizeof number);
  written.set(number);
}

void t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const ToolLock lock;
  for_one_or_all(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [](MPI_ABI_T_pvar_handle& each) { each.set(0); });
}

/// What is counted between the two steps is not lost: the handle begins anew at the value that was read.
void t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const ToolLock lock;
  MPI_ABI_T_pvar_handle& read = changeable(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC);
  const std::uint64_t now = read.measure.value();
  write_value(buf, read.counted + (read.started ? now - read.before : 0));
  read.counted = 0;
  read.before = now;
}

}  // namespace bowline::api
