// SPDX-License-Identifier: BSD-3-Clause
// ObjectLedger: the objects that the program has made and not yet freed, each with the call that made it. It is kept
// with BOWLINE_CHECK=leaks, and MPI_Finalize reports what is left.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnosis/mpi_call.hpp"

namespace bowline::api::checking {

enum class ObjectKind : std::uint8_t {
  communicator,
  datatype,
  file,
  group,
  message,
  op,
  request,             ///< an operation that has begun
  persistent_request,  ///< a persistent request, active or not
  window,
};

/// Safe for several threads.
class ObjectLedger {
 public:
  /// `handle`: of an object that the user has to free. An object that the user got several times is freed as often.
  void made(const void* handle, ObjectKind kind, const MpiCall& by);
  /// Forgets the object, if it is known.
  void gone(const void* handle) noexcept;
  /// A round of this persistent request has begun.
  void started(const void* handle) noexcept;
  /// The call that made this persistent request, if no round of it has ever begun.
  std::optional<MpiCall> never_started(const void* handle) const;
  /// The call that made the object; nothing if the object is not known.
  std::optional<MpiCall> made_by(const void* handle) const;
  /// A sentence for each call that has made objects of one kind that are left: "2 communicators have not been freed:
  /// made by MPI_Comm_dup (solver.c:12)". The calls with the most objects come first.
  std::vector<std::string> what_is_left() const;

 private:
  struct Entry {
    ObjectKind kind;
    MpiCall made_by;
    bool started = false;  ///< of a persistent request
  };
  mutable std::mutex mutex_;
  std::unordered_multimap<const void*, Entry> objects_;
};

}  // namespace bowline::api::checking
