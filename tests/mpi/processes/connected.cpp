// SPDX-License-Identifier: BSD-3-Clause
// A rank of one of two jobs that are started apart and connect over a port, several times: connected FOLDER
// server|client. The folder is how the client learns the name of the port.
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
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
  // The last time they stay connected and end together.
  MPI_Comm inter = joined(serves, port);
  two_jobs::exchange_messages(inter);
  CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
  if (serves && check::rank == 0) CHECK_EQ(MPI_Close_port(port.c_str()), MPI_SUCCESS);
  return program.finish();
}
