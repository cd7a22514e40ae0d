// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 11.4: ports, and connections between jobs that were started apart; section 11.10.3: connections over
// a socket of the program.
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "api/processes/joining.hpp"
#include "base/error.hpp"
#include "base/random_source.hpp"
#include "bodies.hpp"
#include "runtime/jobs/descriptor_wait.hpp"
#include "runtime/jobs/jobs.hpp"
#include "runtime/jobs/port.hpp"

namespace bowline::api {
namespace {

using runtime::Conversation;
using runtime::DescriptorWait;
using runtime::Greeting;

constexpr double longest_connect = 180;  // seconds, unless the info key chooses: MPICH's limit

/// The value of the info key `timeout`, in seconds. Throws Error (info_value).
std::optional<double> timeout_of(MPI_Info info) {
  const std::shared_ptr<const Info> hints = hints_of(info);
  const std::string* const text = hints->find("timeout");
  if (text == nullptr) return {};
  double seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error == std::errc() && end == text->data() + text->size() && seconds > 0 && seconds < 1e9) return seconds;
  throw Error(ErrorClass::info_value,
              fmt::format("the info key timeout is \"{}\": give a number of seconds above 0", *text));
}

const char* given_name(const char* port_name) {
  if (port_name == nullptr) check::refuse::pointer("port_name");
  return port_name;
}

/// Meets the next process that connects and stays until it has told its roster; passes over those that have given up.
Acquaintance accept_at(runtime::Port& port, DescriptorWait& wait, const runtime::Roster& own) {
  while (true) {
    Conversation conversation = port.accept(wait);
    try {
      return exchange_rosters(talk_over(std::move(conversation)), true, own);
    } catch (const Error& error) {
      if (error.error_class() != ErrorClass::port) throw;
    }
  }
}

/// Greets the process at the other end of the program's socket. Returns whether this process comes first.
bool greet(const Conversation& conversation) {
  std::array<std::byte, Greeting::token_size> lot;
  const RandomSource random;
  for (std::byte& each : lot) each = std::byte{static_cast<unsigned char>(random())};
  const Greeting own = runtime::own_greeting(lot);
  Greeting other;
  DescriptorWait wait(this_process().lanes(), "for the process at the other end of the socket", std::nullopt);
  conversation.send_plain(std::as_bytes(std::span(&own, 1)), wait);
  conversation.receive_plain(std::as_writable_bytes(std::span(&other, 1)), wait);
  if (const std::string objection = runtime::objection_to(other); !objection.empty())
    throw NoWay(ErrorClass::other, objection);
  return std::memcmp(own.token, other.token, sizeof own.token) < 0;
}

void check_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM) return;
  throw Error(ErrorClass::arg, fmt::format("fd is {}, which is no stream socket: give a socket that is connected to a "
                                           "process that calls MPI_Comm_join, too",
                                           fd));
}

}  // namespace

void open_port(MPI_Info info, char* port_name) {
  hints_of(info);
  const std::string name = this_process().jobs().ports().open();
  std::memcpy(port_name, name.c_str(), name.size() + 1);
}

void close_port(const char* port_name) {
  this_process().jobs().ports().close(given_name(port_name));
}

void comm_accept(const char* port_name, MPI_Info info, int root, comm::Communicator& comm, MPI_Comm* newcomm) {
  check::intra(comm, "comm");
  comm::Communicator& made = join(comm, root, [&](const runtime::Roster& own) {
    const std::shared_ptr<runtime::Port> port = this_process().jobs().ports().find(given_name(port_name));
    DescriptorWait wait(this_process().lanes(), "for a process that connects to the port", timeout_of(info));
    return accept_at(*port, wait, own);
  });
  *newcomm = to_handle(made);
}

void comm_connect(const char* port_name, MPI_Info info, int root, comm::Communicator& comm, MPI_Comm* newcomm) {
  check::intra(comm, "comm");
  comm::Communicator& made = join(comm, root, [&](const runtime::Roster& own) {
    const auto name = runtime::PortName::read(given_name(port_name));
    DescriptorWait wait(this_process().lanes(), "for a process that accepts at the port",
                        timeout_of(info).value_or(longest_connect));
    return exchange_rosters(talk_over(connect_to(name, wait)), false, own);
  });
  *newcomm = to_handle(made);
}

void comm_join(int fd, MPI_Comm* intercomm) {
  check_socket(fd);
  try {
    *intercomm = to_handle(join(this_process().self(), 0, [&](const runtime::Roster& own) {
      Conversation conversation(fd, Conversation::Socket::lent);
      const bool comes_first = greet(conversation);
      return exchange_rosters(talk_over(std::move(conversation)), comes_first, own);
    }));
  } catch (const NoWay&) {
    *intercomm = MPI_COMM_NULL;  // no error, as the standard says
  }
}

}  // namespace bowline::api
