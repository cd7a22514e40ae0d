// SPDX-License-Identifier: BSD-3-Clause
// A process that publishes a name or looks for one, as its arguments say:
//   name_user publish NAME PORT finalize|exit|abort|session|fork
//     publishes the name, writes "published", reads a line and ends in this way; all ranks must be told one name each,
//     so only rank 0 publishes. fork: lets a child end by exit() and goes on until the second line.
//   name_user find NAME [wait]
//     writes the port, or the sentence of the error.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

void read_line() {
  std::string line;
  std::getline(std::cin, line);
}

void publish(const char* name, const char* port, const std::string& ending) {
  if (MPI_Publish_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS) MPI_Abort(MPI_COMM_SELF, 3);
  std::cout << "published" << std::endl;
  read_line();
  if (ending == "abort") MPI_Abort(MPI_COMM_WORLD, 4);
  if (ending == "exit") std::exit(5);
  if (ending != "fork") return;
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
  std::cout << "forked" << std::endl;
  read_line();
}

void find(const char* name, bool wait) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (wait) MPI_Info_set(info, "bowline_wait", "true");
  char text[MPI_MAX_PORT_NAME];
  int length = 0;
  if (const int code = MPI_Lookup_name(name, info, text); code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  std::cout << text << std::endl;
  MPI_Info_free(&info);
}

void use_session(const char* name, const char* port) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  publish(name, port, "session");
  MPI_Session_finalize(&session);
  std::cout << "ended" << std::endl;
  read_line();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "", last = argv[argc - 1];
  if (what == "publish" && last == "session") {
    use_session(argv[2], argv[3]);
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (what == "find") {
    find(argv[2], last == "wait");
  } else if (rank == 0) {
    publish(argv[2], argv[3], last);
  }
  MPI_Finalize();
  return 0;
}
