// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 11.8: starting processes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "api/processes/at_root.hpp"
#include "api/processes/joining.hpp"
#include "api/processes/spawn_codes.hpp"
#include "api/processes/spawn_hints.hpp"
#include "base/error.hpp"
#include "base/parent_port.hpp"
#include "bodies.hpp"
#include "runtime/jobs/descriptor_wait.hpp"
#include "runtime/jobs/port.hpp"
#include "wireup/wireup.hpp"

namespace bowline::api {
int spawn_failure_code = MPI_ERR_SPAWN;

namespace {

/// How many processes of each program were asked for and started; or why none was, and by the fault of which program.
struct Outcome {
  std::vector<int> asked, started;
  std::optional<wireup::SpawnFailure> failure;

  bool is_at_fault(std::size_t program) const {
    return failure && (failure->program() < 0 || failure->program() == static_cast<int>(program));
  }
  /// For each process that was asked for, program by program: 1 if it was not started, 0 otherwise.
  std::vector<int> failures() const {
    std::vector<int> all;
    for (std::size_t program = 0; program < asked.size(); ++program) {
      for (int process = 0; process < asked[program]; ++process) {
        const bool missing = failure ? is_at_fault(program) : process >= started[program];
        all.push_back(missing ? 1 : 0);
      }
    }
    return all;
  }
};

/// The position among all requests of a program that the launcher names by its position among those with processes.
int position_of(const std::vector<SpawnRequest>& requests, int program) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].program.processes > 0 && program-- == 0) return static_cast<int>(i);
  }
  return -1;
}

/// Asks the launcher for the most processes that the programs allow, then for fewer. Throws SpawnFailure.
std::unique_ptr<wireup::SpawnedJob> start(std::vector<SpawnRequest>& requests, const std::string& port) {
  while (true) {
    std::vector<wireup::Program> programs;
    for (const SpawnRequest& each : requests) {
      if (each.program.processes > 0) programs.push_back(each.program);
    }
    if (programs.empty()) throw wireup::SpawnFailure(-1, "no process is asked for: give maxprocs above 0");
    try {
      return this_process().wireup().spawn(programs, port);
    } catch (const wireup::SpawnFailure& failure) {
      const int program = position_of(requests, failure.program());
      bool fewer = false;
      for (SpawnRequest& each : requests) fewer = each.ask_for_fewer() || fewer;
      if (!fewer) throw wireup::SpawnFailure(program, failure.what());
    }
  }
}

/// Waits until the new processes connect. Throws SpawnFailure if they end before.
runtime::Conversation await_children(runtime::Port& port, wireup::SpawnedJob& job) {
  runtime::DescriptorWait wait(this_process().lanes(), "for the processes that it has started", std::nullopt);
  std::vector<pollfd> descriptors;
  while (true) {
    if (auto conversation = port.try_accept()) return *std::move(conversation);
    if (const auto why = job.ended()) {
      throw wireup::SpawnFailure(
          -1, fmt::format("the processes {}, before they called MPI_Init: start a program that uses MPI", *why));
    }
    descriptors.clear();
    port.add_to(descriptors);
    wait.rest(descriptors);
  }
}

/// What all members learn of the start: an error code for each process. Members may use different ABIs of MPI.
void share_codes(comm::Communicator& comm, int root, const Outcome& outcome, int codes[]) {
  const Bytes failures = at_root(comm, root, [&] {
    Bytes all;
    for (const int each : outcome.failures()) all.push_back(static_cast<std::byte>(each));
    return all;
  });
  if (codes == MPI_ERRCODES_IGNORE) return;
  for (std::size_t i = 0; i < failures.size(); ++i)
    codes[i] = failures[i] == std::byte{0} ? MPI_SUCCESS : spawn_failure_code;
}

/// Collective. `requests`: makes the requests at the root.
void spawn(comm::Communicator& comm, int root, const std::function<std::vector<SpawnRequest>()>& requests,
           MPI_Comm* intercomm, int codes[]) {
  check::intra(comm, "comm");
  *intercomm = MPI_COMM_NULL;
  Outcome outcome;
  std::optional<runtime::Conversation> children;
  at_root(comm, root, [&]() -> Bytes {
    std::vector<SpawnRequest> asked = requests();
    for (const SpawnRequest& each : asked) outcome.asked.push_back(each.most);
    try {
      runtime::Port port;
      const std::unique_ptr<wireup::SpawnedJob> job = start(asked, port.name().text());
      children.emplace(await_children(port, *job));
    } catch (const wireup::SpawnFailure& failure) {
      outcome.failure = failure;
    }
    for (const SpawnRequest& each : asked) outcome.started.push_back(each.program.processes);
    return {};
  });
  share_codes(comm, root, outcome, codes);
  comm::Communicator& made = join(comm, root, [&](const runtime::Roster& own) {
    if (outcome.failure) throw Error(ErrorClass::spawn, outcome.failure->what());
    return exchange_rosters(talk_over(*std::move(children)), true, own);
  });
  *intercomm = to_handle(made);
}

std::vector<std::string> words_of(char* const* argv) {
  std::vector<std::string> words;
  for (; argv != nullptr && *argv != nullptr; ++argv) words.emplace_back(*argv);
  return words;
}

/// Checks the arguments for one program. `position`: of the program; negative: the only one.
SpawnRequest request_of(const char* command, char* const* argv, int maxprocs, MPI_Info info, int position) {
  const std::string which = position < 0 ? "" : fmt::format(" of program {}", position);
  if (command == nullptr || *command == '\0')
    throw Error(ErrorClass::arg, fmt::format("the command{} is empty: give the name of a program", which));
  if (maxprocs < 0) {
    throw Error(ErrorClass::arg,
                fmt::format("maxprocs{} is {}, but a number of processes is 0 or more", which, maxprocs));
  }
  SpawnRequest request = SpawnRequest::make(command, words_of(argv), maxprocs, *hints_of(info));
  request.program.environment.emplace_back(ParentPort::program_variable, std::to_string(std::max(position, 0)));
  return request;
}

}  // namespace

void comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, comm::Communicator& comm,
                MPI_Comm* intercomm, int array_of_errcodes[]) {
  spawn(
      comm, root, [&] { return std::vector{request_of(command, argv, maxprocs, info, -1)}; }, intercomm,
      array_of_errcodes);
}

void comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[],
                         const MPI_Info array_of_info[], int root, comm::Communicator& comm, MPI_Comm* intercomm,
                         int array_of_errcodes[]) {
  const auto requests = [&] {
    if (count < 1) throw Error(ErrorClass::count, fmt::format("count is {}: give at least one program", count));
    if (array_of_commands == nullptr) check::refuse::pointer("array_of_commands");
    if (array_of_maxprocs == nullptr) check::refuse::pointer("array_of_maxprocs");
    if (array_of_info == nullptr) check::refuse::pointer("array_of_info");
    std::vector<SpawnRequest> all;
    for (int i = 0; i < count; ++i) {
      char* const* const argv = array_of_argv == MPI_ARGVS_NULL ? nullptr : array_of_argv[i];
      all.push_back(request_of(array_of_commands[i], argv, array_of_maxprocs[i], array_of_info[i], i));
    }
    return all;
  };
  spawn(comm, root, requests, intercomm, array_of_errcodes);
}

}  // namespace bowline::api
