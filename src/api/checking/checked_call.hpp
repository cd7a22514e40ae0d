// SPDX-License-Identifier: BSD-3-Clause
// CheckedCall: a call of an MPI function with a word of BOWLINE_CHECK other than strict. The generated entry points of
// functions that make, free or complete objects, use buffers or communicate come here instead of executing the call:
// they make a CheckedCall, call themselves for the execution, and tell the CheckedCall what has happened
// (bindings/bindgen/checked_calls.py). Without these settings no instruction is executed for them: entry points test
// one flag in any case, which also says that MPI runs.
//
// Files: checked_call.cpp has objects and buffers, checked_results.cpp memory that is written to later,
// checked_one_sided.cpp accesses to windows, checked_receives.cpp receives from any rank.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "api/checking/kept_statuses.hpp"
#include "api/checking/object_ledger.hpp"
#include "api/checking/pending_buffers.hpp"
#include "api/checking/rivals.hpp"
#include "api/checking/stand_ins.hpp"
#include "api/checking/window_access.hpp"
#include "api/entry/count_array.hpp"
#include "base/diagnosis/mpi_call.hpp"

namespace bowline::proto {
class Request;
}

namespace bowline::api {

/// Lives as long as the call. Not for several threads; what calls have told is kept apart, and may be told by all.
class CheckedCall {
 public:
  /// Whether the entry point has the call executed instead of executing it: by a CheckedCall, or because something
  /// follows calls (FollowedCall). Throws Error (other) unless MPI is running. To be called once by an entry point if
  /// Call::is_special().
  static bool is_due();

  /// Whether BOWLINE_CHECK looks at the call. Otherwise the next entry point that this thread calls is executed.
  static bool is_checked() noexcept;

  enum ExecutedHere { executed_here };

  /// `function`: its name. The next entry point that this thread calls is executed.
  explicit CheckedCall(const char* function);
  /// No entry point is called.
  CheckedCall(const char* function, ExecutedHere) : function_(function), name_(function) {}
  CheckedCall(const CheckedCall&) = delete;
  CheckedCall& operator=(const CheckedCall&) = delete;

  /// The handles that the function may set to null, before the function is executed. `handles` may be null.
  template <class Handle>
  void takes(Handle* handles, MPI_Count count = 1) {
    if (handles == nullptr) return;
    for (MPI_Count i = 0; i < count; ++i) before_.push_back(static_cast<void*>(handles[i]));
    now_ = [](const void* all, std::size_t i) { return static_cast<void*>(static_cast<const Handle*>(all)[i]); };
    handles_ = handles;
    are_requests_ = std::is_same_v<std::remove_const_t<Handle>, MPI_Request>;
  }
  /// After the function has been executed, whatever it returned.
  void taken();

  /// The function has succeeded and made the object.
  void made(MPI_Comm* handle) { made(*handle, checking::ObjectKind::communicator); }
  void made(MPI_Datatype* handle) { made(*handle, checking::ObjectKind::datatype); }
  void made(MPI_File* handle) { made(*handle, checking::ObjectKind::file); }
  void made(MPI_Group* handle) { made(*handle, checking::ObjectKind::group); }
  void made(MPI_Message* handle) { made(*handle, checking::ObjectKind::message); }
  void made(MPI_Op* handle) { made(*handle, checking::ObjectKind::op); }
  void made(MPI_Win* handle);
  /// Replaces the request of all operations that have completed at once by one of its own, to be called before uses().
  void made(MPI_Request* handle);

  /// The function has succeeded, and uses a buffer: until it returns, or until its request is completed.
  void uses(const void* buffer, MPI_Count count, MPI_Datatype datatype, checking::Access access,
            const MPI_Request* request = nullptr);
  /// The function has succeeded, and uses a buffer until a call synchronizes with the target.
  void uses(const void* buffer, MPI_Count count, MPI_Datatype datatype, checking::Access access, MPI_Win window,
            int target);
  /// The function has succeeded, and has completed the one-sided operations to this rank, as far as this process can
  /// use their buffers again.
  void synchronized(MPI_Win window, int target = checking::Completion::every_rank);
  /// The same for one side of a collective, whose arguments have this meaning in all members of an intracommunicator.
  void uses_in(MPI_Comm comm, const void* buffer, MPI_Count count, MPI_Datatype datatype, checking::Access access,
               const MPI_Request* request = nullptr);

  // ---- where operations write to that are not completed before the function returns

  /// The address that the operation gets in place of the program's: of a stand-in, or the same.
  void* into(void* buffer, MPI_Count count, MPI_Datatype datatype);
  /// The same for a block from each member.
  void* into(MPI_Comm comm, void* buffer, CountArray counts, CountArray displacements, MPI_Datatype datatype);
  /// The function has succeeded. What completes the operation gives the program its data.
  void keeps_stand_in(MPI_Request request);
  void keeps_stand_in(MPI_Win window, int target);
  /// The function may have told the program that these operations are completed, and leaves the requests.
  void may_look(const MPI_Request* requests, MPI_Count count = 1);
  /// Before the function frees the request, so that the program will not be told when the operation is completed.
  /// `request` may be null.
  void frees(MPI_Request* request);
  /// Whether this process is the root. Of intercommunicators nothing is looked at.
  static bool is_root(MPI_Comm comm, int root);
  /// The number of elements for all members, or for one; 0 with an intercommunicator.
  static MPI_Count of_all(MPI_Comm comm, MPI_Count count);
  static MPI_Count of_one(MPI_Comm comm, MPI_Count count);

  // ---- one-sided communication, each after the function has succeeded. The rank -1 stands for all.

  struct TargetPlace {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype datatype;
  };
  /// The function accesses memory of a target. `requested`: a call that completes its request completes it.
  void accesses(MPI_Win window, const TargetPlace& place, checking::WindowAccess::Kind kind, MPI_Op op = MPI_OP_NULL,
                bool requested = false);
  /// The function puts this data.
  void puts(MPI_Win window, const TargetPlace& place, const void* data, MPI_Count count, MPI_Datatype datatype);
  /// The function is MPI_Win_fence, and has returned this code.
  void fenced(MPI_Win window, int code);
  /// Before the function frees the window. `window` may be null.
  void frees(MPI_Win* window);
  void started(MPI_Win window, MPI_Group targets);
  void posted(MPI_Win window, MPI_Group origins);
  void access_ended(MPI_Win window);
  void locked(MPI_Win window, int target, int lock_type);
  void locked_all(MPI_Win window);
  void unlocked(MPI_Win window, int target = -1);
  void flushed(MPI_Win window, int target = -1);

  // ---- what this process tells others, and learns of them

  /// Before a function by which the process may tell others something.
  static void tells();
  /// After a function by which the process may have learnt something of others.
  static void learns();
  /// After MPI_Barrier.
  static void passed_barrier(MPI_Comm comm);

  // ---- receives

  /// Before a receive or a probe.
  void receives(MPI_Comm comm, int source, int tag);
  /// The receive has begun, and its request completes it.
  void began_receive(MPI_Request request);
  /// The program may be told that these operations are completed, and nobody sees when.
  static void may_be_told(const MPI_Request* requests, MPI_Count count = 1);
  /// The receive or the probe has taken a message.
  void received(const checking::KeptStatuses& statuses);
  /// The function may have completed receives among the requests of takes(). To be called before taken(). `indices`: of
  /// the requests to which the statuses belong, if they do not belong to all.
  void completed_receives(const checking::KeptStatuses& statuses, const int* indices = nullptr, int count = 0);

 private:
  const MpiCall& site();
  void made(const void* handle, checking::ObjectKind kind);
  /// The bytes in use; nothing if they have holes, or are not watched.
  std::optional<checking::UsedBytes> bytes_of(const void* buffer, MPI_Count count, MPI_Datatype datatype,
                                              checking::Access access) const;
  void use_now(const checking::UsedBytes& use);
  /// Whether an operation that has not been completed uses some of these bytes.
  static bool is_in_use(const checking::UsedBytes& use);
  void* into_blocks(void* buffer, std::vector<std::span<std::byte>> blocks);
  void end_stand_ins(const checking::Completion& what);
  void took(void* handle);
  void may_have_started(void* handle);
  static void tell(const std::optional<std::string>& sentence);
  void accessed(MPI_Win window, const TargetPlace& place, checking::WindowAccess access,
                std::span<const std::byte> data, bool requested);
  void took_message(const checking::Rivals::Receive& receive, const MPI_Status& status, bool named);

  const char* function_;
  NamedMpiCall name_;
  std::optional<MpiCall> site_;
  const void* handles_ = nullptr;
  void* (*now_)(const void* handles, std::size_t index) = nullptr;
  bool are_requests_ = false;
  std::vector<void*> before_;
  std::optional<checking::Rivals::Receive> receive_;
  std::optional<checking::StandIn> stand_in_;
};

/// The call that has begun the operation of a request, for the error with which it fails: ", begun by MPI_Ibcast
/// (solver.c:12)". Empty without BOWLINE_CHECK=leaks.
std::string begun_by(const proto::Request& request);

/// Tells the user which objects are left. Called by MPI_Finalize.
void tell_of_leaks();
/// Tells the user which receives from any rank had a choice. Called by MPI_Finalize.
void tell_of_rivals();

}  // namespace bowline::api
