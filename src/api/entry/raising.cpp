// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/raising.hpp"

#include <mpi.h>

#include <memory>
#include <string>
#include <utility>
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

struct RaisedError {
  std::shared_ptr<comm::ErrorHandler> handler;  ///< kept while it runs, because a handler may free itself
  void* object = nullptr;
  int code = MPI_SUCCESS;  ///< what the failed function returns, unless the handler changes it
  int told = MPI_SUCCESS;  ///< what the handler gets
};
thread_local RaisedError latest;

void* handle_of(comm::Communicator& comm) {
  return comm.owner() != nullptr ? comm.owner() : to_handle(comm);
}

}  // namespace

void raise_error(std::shared_ptr<comm::ErrorHandler> handler, void* object, int code, const std::string& text) {
  this_process().note_error();
  const auto action = handler->action();
  if (action == comm::ErrorHandler::Action::end_job) this_process().abort_job(code, text);
  if (action == comm::ErrorHandler::Action::end_comm)  // the error of a session, which belongs to this process alone
    this_process().abort_processes({this_process().self().process(0)}, code, text);
  latest = {std::move(handler), object, code, code};
}

void raise_error(comm::Communicator& comm, int code, const std::string& text) {
  auto handler = comm.error_handler();
  if (handler->action() == comm::ErrorHandler::Action::end_comm)
    this_process().abort_processes(processes_of(comm), code, text);
  raise_error(std::move(handler), handle_of(comm), code, text);
}

void tell_handler(int code) noexcept {
  latest.told = code;
}

int deliver_error() {
  const comm::ErrorHandler& handler = *latest.handler;
  void* object = latest.object;
  int code = latest.told;
  if (handler.action() == comm::ErrorHandler::Action::call_user) handler.call(static_cast<void*>(&object), &code);
  latest.handler.reset();
  return code == latest.told ? latest.code : code;
}

HandlerCall call_of_handler(comm::Communicator& comm, int code, std::string text) {
  return {comm.error_handler(), handle_of(comm), static_cast<ErrorClass>(code), std::move(text)};
}

}  // namespace bowline::api
