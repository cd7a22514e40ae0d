// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/info/window_paths.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "node/peer_memory.hpp"
#include "rma/paths/path_of_target.hpp"

namespace bowline::launcher {
namespace {

using rma::PathKind;
using rma::Reachability;
using transport::RemoteAccess;

/// What an operation by this path needs of the target's process.
std::string_view need_of(PathKind kind) {
  switch (kind) {
    case PathKind::mapped:
      return "loads, stores and atomic instructions";
    case PathKind::single_copy:
      return "system calls; accumulates take a lock";
    case PathKind::adapter:
      return "the adapter alone, after first contact";
    case PathKind::messages:
      return "the target makes progress: in a call of MPI, or with BOWLINE_PROGRESS_THREAD=1";
  }
  return {};
}

void print_target(std::string_view where, const Reachability& target) {
  const rma::PathChoice choice = rma::choose_path(target);
  fmt::print("  {:<44} puts and gets {:<9} accumulates {:<9} {}\n", where, rma::name_of(choice.data),
             rma::name_of(choice.accumulates), need_of(choice.data));
}

void print_flavours(std::string_view flavours, bool mapped, bool dynamic) {
  const bool single_copy = node::allows_single_copy();
  fmt::print("windows of {}\n", flavours);
  print_target("the process itself", {.own = true, .mapped = true});
  print_target("a process of this node", {.mapped = mapped, .single_copy = single_copy, .dynamic = dynamic});
  if (!mapped && single_copy) print_target("the same, where system calls are refused", {.dynamic = dynamic});
  print_target("another node, adapters that access memory", {.dynamic = dynamic, .network = RemoteAccess::native});
  print_target("another node, other networks", {.dynamic = dynamic, .network = RemoteAccess::emulated});
}

}  // namespace

void print_windows() {
  print_flavours("MPI_Win_allocate and MPI_Win_allocate_shared", true, false);
  print_flavours("MPI_Win_create", false, false);
  print_flavours("MPI_Win_create_dynamic", false, true);
  fmt::print(
      "locks\n"
      "  of a process of this node                    in shared memory, without the process\n"
      "  of another node                              by messages: the target makes progress\n");
}

}  // namespace bowline::launcher
