// SPDX-License-Identifier: BSD-3-Clause
#include "api/processes/parent.hpp"

#include <cstdlib>
#include <string>

#include "api/entry/communicator_handles.hpp"
#include "api/processes/joining.hpp"
#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/parent_port.hpp"
#include "runtime/jobs/descriptor_wait.hpp"
#include "runtime/jobs/port.hpp"

namespace bowline::api {
namespace {

constexpr double time_to_meet = 60;  // seconds; the parents wait at their port already

constinit Atomic<MPI_Comm> parent{nullptr};
constinit Atomic<int> program{-1};  ///< spawned_program(); negative: none

}  // namespace

MPI_Comm parent_handle() noexcept {
  const MPI_Comm handle = parent.load(std::memory_order_relaxed);
  return handle == nullptr ? MPI_COMM_NULL : handle;
}

void set_parent_handle(MPI_Comm handle) noexcept {
  parent.store(handle, std::memory_order_relaxed);
}

std::optional<int> spawned_program() noexcept {
  const int known = program.load(std::memory_order_relaxed);
  return known < 0 ? std::nullopt : std::optional(known);
}

void meet_parents() {
  const char* const name = std::getenv(ParentPort::variable);
  if (name == nullptr) return;
  const auto port = runtime::PortName::read(name);
  if (const char* const number = std::getenv(ParentPort::program_variable))
    program.store(std::atoi(number), std::memory_order_relaxed);
  for (const char* const each : {ParentPort::variable, ParentPort::program_variable})
    unsetenv(each);  // for programs that this one starts in other ways
  comm::Communicator& made = join(*this_process().world(), 0, [&](const runtime::Roster& own) {
    runtime::DescriptorWait wait(this_process().lanes(), "for the processes that have started this one", time_to_meet);
    return exchange_rosters(talk_over(runtime::connect_to(port, wait)), false, own);
  });
  made.set_name("MPI_COMM_PARENT");
  set_parent_handle(to_handle(made));
}

}  // namespace bowline::api
