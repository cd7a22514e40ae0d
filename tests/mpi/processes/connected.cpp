// SPDX-License-Identifier: BSD-3-Clause
// A rank of one of two jobs that are started apart and connect over a port, several times: connected FOLDER
// server|client. The folder is how the client learns the name of the port.
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "check.hpp"
#include "two_jobs.hpp"

namespace {

constexpr int rounds = 3;

std::filesystem::path folder;

void tell(const std::string& port) {
  const auto unfinished = folder / "port.new";
  std::ofstream(unfinished) << port;
  std::filesystem::rename(unfinished, folder / "port");
}

std::string port_of_server() {
  while (!std::filesystem::exists(folder / "port")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::string port;
  std::getline(std::ifstream(folder / "port"), port);
  return port;
}

MPI_Comm joined(bool serves, const std::string& port) {
  MPI_Comm inter = MPI_COMM_NULL;
  // Only the root's arguments count.
  const char* const name = check::rank == 0 ? port.c_str() : nullptr;
  const int code = serves ? MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)
                          : MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
  CHECK_EQ(code, MPI_SUCCESS);
  return inter;
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

/// Further connections between processes that are connected already come and go: messages take the same way as before,
/// and nothing piles up. `first`: made before; it ends before the last of the others.
void connections_overlap(bool serves, const std::string& port, MPI_Comm first) {
  std::size_t before = 0;
  constexpr int rounds_of_all = 40, longest = 4000;
  for (int round = 0; round < rounds_of_all; ++round) {
    if (round == rounds_of_all / 2) before = open_descriptors();
    MPI_Comm second = joined(serves, port);
    two_jobs::exchange_messages(second, longest);
    two_jobs::exchange_messages(first, longest);
    CHECK_EQ(MPI_Comm_disconnect(&second), MPI_SUCCESS);
    two_jobs::exchange_messages(first, longest);
  }
  CHECK(open_descriptors() < before + rounds_of_all / 4);  // a lane may have been used for the first time
  MPI_Comm second = joined(serves, port);
  CHECK_EQ(MPI_Comm_disconnect(&first), MPI_SUCCESS);
  two_jobs::use_all(second, !serves, "");
  CHECK_EQ(MPI_Comm_disconnect(&second), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  folder = argv[1];
  const bool serves = std::string(argv[2]) == "server";
  std::string port;
  if (serves && check::rank == 0) {
    std::array<char, MPI_MAX_PORT_NAME> name{};
    CHECK_EQ(MPI_Open_port(MPI_INFO_NULL, name.data()), MPI_SUCCESS);
    port = name.data();
    CHECK(port.size() < 256);
    tell(port);
  } else if (check::rank == 0) {
    port = port_of_server();
  }
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm inter = joined(serves, port);
    int flag = 0;
    MPI_Comm_test_inter(inter, &flag);
    CHECK_EQ(flag, 1);
    two_jobs::use_all(inter, !serves, round == 0 ? folder / "file" : "");
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(inter, MPI_COMM_NULL);
  }
  connections_overlap(serves, port, joined(serves, port));
  // The last time they stay connected and end together.
  MPI_Comm inter = joined(serves, port);
  two_jobs::exchange_messages(inter);
  CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
  if (serves && check::rank == 0) CHECK_EQ(MPI_Close_port(port.c_str()), MPI_SUCCESS);
  return program.finish();
}
