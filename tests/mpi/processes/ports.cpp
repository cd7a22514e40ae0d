// SPDX-License-Identifier: BSD-3-Clause
// Ports within one job: two halves of MPI_COMM_WORLD connect; wrong and closed ports, strangers, limits of time, and
// MPI_Comm_join. The program asks for MPI_THREAD_MULTIPLE.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "errors_and_hints.hpp"
#include "two_jobs.hpp"

namespace {

/// Whether the call has succeeded; writes the sentence of the error otherwise.
bool succeeds(int code) {
  if (code != MPI_SUCCESS) std::fprintf(stderr, "rank %d: %s\n", check::rank, text_of(code).c_str());
  return code == MPI_SUCCESS;
}

/// Whether the error is of this class and its sentence has these words.
bool is_error(int code, int error_class, const char* words) {
  const bool is = class_of(code) == error_class && text_of(code).find(words) != std::string::npos;
  if (!is) std::fprintf(stderr, "another error: %d: %s\n", class_of(code), text_of(code).c_str());
  return is;
}

std::string open_port() {
  std::array<char, MPI_MAX_PORT_NAME> name{};
  CHECK_EQ(MPI_Open_port(MPI_INFO_NULL, name.data()), MPI_SUCCESS);
  return name.data();
}

int connect_self(const std::string& port, MPI_Info info = MPI_INFO_NULL, MPI_Comm* made = nullptr) {
  MPI_Comm unused = MPI_COMM_NULL;
  return MPI_Comm_connect(port.c_str(), info, 0, MPI_COMM_SELF, made == nullptr ? &unused : made);
}
int accept_self(const std::string& port, MPI_Info info = MPI_INFO_NULL, MPI_Comm* made = nullptr) {
  MPI_Comm unused = MPI_COMM_NULL;
  return MPI_Comm_accept(port.c_str(), info, 0, MPI_COMM_SELF, made == nullptr ? &unused : made);
}

/// The port's name travels in messages.
std::string shared(const std::string& mine) {
  std::array<char, MPI_MAX_PORT_NAME> name{};
  std::strncpy(name.data(), mine.c_str(), name.size() - 1);
  MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return name.data();
}

void halves_connect() {
  if (check::size < 2) return;
  const std::string port = shared(check::rank == 0 ? open_port() : "");
  const bool serves = check::rank < check::size / 2;
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, serves ? 0 : 1, check::rank, &half);
  for (int round = 0; round < 3; ++round) {
    const int root = serves ? 0 : two_jobs::size_of(half) - 1;
    const char* const name = two_jobs::rank_in(half) == root ? port.c_str() : nullptr;
    CHECK_EQ(serves ? MPI_Comm_accept(name, MPI_INFO_NULL, root, half, &inter)
                    : MPI_Comm_connect(name, MPI_INFO_NULL, root, half, &inter),
             MPI_SUCCESS);
    two_jobs::use_all(inter, !serves, "");
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
  }
  MPI_Comm_free(&half);
  if (check::rank == 0) CHECK_EQ(MPI_Close_port(port.c_str()), MPI_SUCCESS);
}

void wrong_ports_are_told() {
  const std::string closed = open_port();
  CHECK_EQ(MPI_Close_port(closed.c_str()), MPI_SUCCESS);
  CHECK(is_error(MPI_Close_port(closed.c_str()), MPI_ERR_PORT, "is not open in this process"));
  CHECK(is_error(accept_self(closed), MPI_ERR_PORT, "is not open in this process"));
  CHECK(is_error(connect_self(closed), MPI_ERR_PORT, "the port does not answer"));
  CHECK(is_error(connect_self("nonsense"), MPI_ERR_PORT, "port_name is \"nonsense\", which is no name of a port"));
  CHECK(is_error(connect_self(""), MPI_ERR_PORT, "which is no name of a port"));
  std::string other = open_port();
  other[other.find_last_of(':') - 1] ^= 1;  // a digit of its secret
  CHECK(is_error(accept_self(other), MPI_ERR_PORT, "is not open in this process"));
  const Hints wrong({{"timeout", "soon"}});
  CHECK(is_error(connect_self(other, wrong), MPI_ERR_INFO_VALUE, "the info key timeout is \"soon\""));
}

void all_members_get_the_error() {
  MPI_Comm inter = MPI_COMM_NULL;
  const char* const name = check::rank == 0 ? "nonsense" : nullptr;
  CHECK(is_error(MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT, "nonsense"));
  CHECK(is_error(MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT, "nonsense"));
  int sum = 0;
  MPI_Allreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  // the world is as before
  CHECK_EQ(sum, check::size * (check::size - 1) / 2);
}

void waits_are_limited() {
  const std::string port = open_port();
  const Hints limit({{"timeout", "0.2"}});
  const double start = MPI_Wtime();
  CHECK(is_error(connect_self(port, limit), MPI_ERR_PORT, "no process has accepted at the port in 0.2 s"));
  CHECK(is_error(accept_self(port, limit), MPI_ERR_PORT, "no process has connected to the port in 0.2 s"));
  CHECK(MPI_Wtime() - start >= 0.4);
  CHECK_EQ(MPI_Close_port(port.c_str()), MPI_SUCCESS);
}

void closing_ends_an_accept() {
  const std::string port = open_port();
  int code = MPI_SUCCESS;
  std::thread accepting([&] { code = accept_self(port); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that mostly the call waits already
  CHECK_EQ(MPI_Close_port(port.c_str()), MPI_SUCCESS);
  accepting.join();
  CHECK_EQ(class_of(code), MPI_ERR_PORT);
}

int tcp_port_of(const std::string& name) {
  std::istringstream parts(name);
  std::string part;
  for (int i = 0; i < 3; ++i) std::getline(parts, part, ':');
  return std::stoi(part);
}

/// A process that knows where the port listens, and not its secret.
int stranger(const std::string& name, std::string_view says) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(tcp_port_of(name)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  if (!says.empty()) CHECK_EQ(write(descriptor, says.data(), says.size()), static_cast<ssize_t>(says.size()));
  return descriptor;
}

void strangers_delay_nobody() {
  if (check::size < 2) return;
  const std::string port = shared(check::rank == 0 ? open_port() : "");
  MPI_Comm inter = MPI_COMM_NULL;
  if (check::rank == 0) {
    const std::vector<int> strangers{stranger(port, ""), stranger(port, "GET / HTTP/1.1\r\n\r\n"),
                                     stranger(port, std::string(1000, 'x'))};
    const double start = MPI_Wtime();
    CHECK(succeeds(accept_self(port, MPI_INFO_NULL, &inter)));
    CHECK(MPI_Wtime() - start < 5);  // a silent stranger is turned away after 10 s
    char byte = 0;
    CHECK(read(strangers[2], &byte, 1) <= 0);  // has been turned away, and has learned nothing
    for (const int each : strangers) close(each);
  } else if (check::rank == 1) {
    CHECK(succeeds(connect_self(port, MPI_INFO_NULL, &inter)));
  }
  if (inter != MPI_COMM_NULL) {
    two_jobs::exchange_messages(inter);
    MPI_Comm_disconnect(&inter);
  }
  if (check::rank == 0) MPI_Close_port(port.c_str());
}

void nobody_connects_to_itself() {
  const std::string port = open_port();
  int accepted = MPI_SUCCESS;
  std::thread accepting([&] { accepted = accept_self(port); });
  CHECK(is_error(connect_self(port), MPI_ERR_COMM, "is a member of both communicators"));
  accepting.join();
  CHECK_EQ(class_of(accepted), MPI_ERR_COMM);
  MPI_Close_port(port.c_str());
}

void a_client_that_has_given_up_is_passed_over() {
  if (check::size < 2) return;
  const std::string port = shared(check::rank == 0 ? open_port() : "");
  MPI_Comm inter = MPI_COMM_NULL;
  const Hints limit({{"timeout", "0.1"}});
  if (check::rank == 1) CHECK_EQ(class_of(connect_self(port, limit)), MPI_ERR_PORT);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == 0) CHECK(succeeds(accept_self(port, MPI_INFO_NULL, &inter)));
  if (check::rank == 1) CHECK(succeeds(connect_self(port, MPI_INFO_NULL, &inter)));
  if (inter != MPI_COMM_NULL) MPI_Comm_disconnect(&inter);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == 0) MPI_Close_port(port.c_str());
}

/// Sockets between ranks 0 and 1: rank 0 listens.
int socket_between() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (check::rank == 0) {
    CHECK_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    CHECK_EQ(listen(descriptor, 1), 0);
    getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    MPI_Send(&address.sin_port, 2, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    const int connected = accept(descriptor, nullptr, nullptr);
    close(descriptor);
    return connected;
  }
  MPI_Recv(&address.sin_port, 2, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return descriptor;
}

void processes_join_over_a_socket() {
  MPI_Comm inter = MPI_COMM_NULL;
  CHECK(is_error(MPI_Comm_join(-1, &inter), MPI_ERR_ARG, "fd is -1, which is no stream socket"));
  CHECK(is_error(MPI_Comm_join(0, &inter), MPI_ERR_ARG, "fd is 0"));
  if (check::size < 2 || check::rank > 1) return;
  const int descriptor = socket_between();
  for (int round = 0; round < 3; ++round) {
    CHECK_EQ(MPI_Comm_join(descriptor, &inter), MPI_SUCCESS);
    CHECK_EQ(two_jobs::remote_size_of(inter), 1);
    two_jobs::exchange_messages(inter);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    // The socket is quiet again and belongs to the program.
    const char said = 'a';
    char heard = 0;
    CHECK_EQ(write(descriptor, &said, 1), 1);
    CHECK_EQ(read(descriptor, &heard, 1), 1);
    CHECK_EQ(heard, 'a');
  }
  close(descriptor);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm parent = MPI_COMM_SELF;
  CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
  CHECK_EQ(parent, MPI_COMM_NULL);
  halves_connect();
  wrong_ports_are_told();
  all_members_get_the_error();
  waits_are_limited();
  closing_ends_an_accept();
  strangers_delay_nobody();
  nobody_connects_to_itself();
  a_client_that_has_given_up_is_passed_over();
  processes_join_over_a_socket();
  return program.finish();
}
