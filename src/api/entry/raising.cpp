// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/raising.hpp"

#include <mpi.h>

#include <string>
#include <vector>

#include "api/entry/communicator_handles.hpp"
#include "comm/group.hpp"

namespace bowline::api {
namespace {

/// A communicator's processes, of both groups if the communicator has two.
std::vector<int> processes_of(const comm::Communicator& comm) {
  std::vector<int> ranks;
  const auto add = [&ranks](const comm::Group& group) {
    for (int rank = 0; rank < group.size(); ++rank) ranks.push_back(group.process(rank));
  };
  add(comm.group());
  if (comm.inter()) add(comm.bridge()->remote);
  return ranks;
}

}  // namespace

int raise_error(comm::ErrorHandler& handler, void* handle, int code, const std::string& text) {
  this_process().note_error();
  switch (handler.action()) {
    case comm::ErrorHandler::Action::end_job:
      this_process().abort_job(code, text);
    case comm::ErrorHandler::Action::end_comm:  // the error of a session, which belongs to this process alone
      this_process().abort_processes({this_process().self().process(0)}, code, text);
    case comm::ErrorHandler::Action::call_user:
      handler.call(handle, &code);
      break;
    case comm::ErrorHandler::Action::to_caller:
      break;
  }
  return code;
}

int raise_error(comm::Communicator& comm, int code, const std::string& text) {
  const auto handler =
      comm.error_handler();  // the variable keeps the handler alive, because a handler of the program may free itself
  if (handler->action() == comm::ErrorHandler::Action::end_comm)
    this_process().abort_processes(processes_of(comm), code, text);
  void* handle = comm.owner() != nullptr ? comm.owner() : to_handle(comm);  // handles of all kinds are pointers
  return raise_error(*handler, static_cast<void*>(&handle), code, text);
}

}  // namespace bowline::api
