// SPDX-License-Identifier: BSD-3-Clause
// Parents and children that have parted, as its own parent and child: family many|wait|outlive|fail|universe N [HOST].
// For tests that look at processes from outside. N children run on the host, or where the launcher wants. Everybody
// tells on standard output where it runs.
//
//   many      all end at once
//   wait      all wait until they are ended
//   outlive   the same, with children that need not end with their parents
//   fail      the call is to fail; the parents print the error
//   universe  there are no children: each process prints MPI_UNIVERSE_SIZE
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void say(const char* who) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("%s %d on %s\n", who, rank, host.data());
  std::fflush(stdout);
}

int end(const std::string& command) {
  while (command == "wait" || command == "outlive") pause();
  MPI_Finalize();
  return EXIT_SUCCESS;
}

int tell_of_error(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  std::printf("error: %s\n", text.data());
  MPI_Finalize();
  return EXIT_SUCCESS;
}

int tell_of_universe() {
  int* size = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &known);
  std::printf("universe %d\n", known != 0 ? *size : -1);
  MPI_Finalize();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string command = argc > 1 ? argv[1] : "";
  MPI_Comm parents = MPI_COMM_NULL, children = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) {
    MPI_Comm_disconnect(&parents);
    say("child");
    return end(command);
  }
  if (command == "universe") return tell_of_universe();
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  if (argc > 3) MPI_Info_set(hints, "host", argv[3]);
  if (command == "outlive") MPI_Info_set(hints, "bowline_outlive", "true");
  if (command == "fail") MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::array<char*, 2> words{argv[1], nullptr};
  const int code = MPI_Comm_spawn(argv[0], words.data(), std::atoi(argv[2]), hints, 0, MPI_COMM_WORLD, &children,
                                  MPI_ERRCODES_IGNORE);
  MPI_Info_free(&hints);
  if (code != MPI_SUCCESS) return tell_of_error(code);
  MPI_Comm_disconnect(&children);
  say("parent");
  return end(command);
}
