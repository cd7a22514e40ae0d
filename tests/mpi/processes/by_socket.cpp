// SPDX-License-Identifier: BSD-3-Clause
// A process of one of two jobs that are started apart, maybe on different nodes, and join over a TCP connection of the
// program (MPI_Comm_join): by_socket FOLDER server|client. The folder is how the client learns where the server is.
#include <mpi.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "check.hpp"
#include "two_jobs.hpp"

namespace {

std::filesystem::path folder;

/// The server's end of the connection.
int accepted() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(listen(listener, 1), 0);  // the kernel chooses a port
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::ofstream(folder / "place.new") << host.data() << '\n' << ntohs(address.sin_port) << '\n';
  std::filesystem::rename(folder / "place.new", folder / "place");
  const int connected = accept(listener, nullptr, nullptr);
  close(listener);
  return connected;
}

/// The client's end.
int connected() {
  while (!std::filesystem::exists(folder / "place")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::ifstream place(folder / "place");
  std::string host, port;
  std::getline(place, host);
  std::getline(place, port);
  addrinfo hints{}, *list = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  CHECK_EQ(getaddrinfo(host.c_str(), port.c_str(), &hints, &list), 0);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(connect(descriptor, list->ai_addr, list->ai_addrlen), 0);
  freeaddrinfo(list);
  return descriptor;
}

/// Nothing is left unread, and the socket still works.
void check_quiet(int descriptor) {
  const char said = 'a';
  char heard = 0;
  CHECK_EQ(write(descriptor, &said, 1), 1);
  CHECK_EQ(read(descriptor, &heard, 1), 1);
  CHECK_EQ(heard, said);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  folder = argv[1];
  const bool serves = std::string(argv[2]) == "server";
  const int descriptor = serves ? accepted() : connected();
  for (int round = 0; round < 2; ++round) {
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_EQ(MPI_Comm_join(descriptor, &inter), MPI_SUCCESS);
    CHECK(inter != MPI_COMM_NULL);
    check_quiet(descriptor);
    two_jobs::use_all(inter, !serves, "");
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
  }
  close(descriptor);
  return program.finish();
}
