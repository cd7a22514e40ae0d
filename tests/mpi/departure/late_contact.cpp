// SPDX-License-Identifier: BSD-3-Clause
// late_contact HOW: rank 0 makes its first contact with ranks that have left, with another operation for each. What
// needs nothing of them is done or cancelled, what needs them fails, and the job goes on. HOW says what has become of
// them:
//
//   gone     their processes have ended
//   linger   they have returned from MPI_Finalize, and go on until rank 0 is through
//   ending   they are in MPI_Finalize, or will soon be
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
std::vector<char> some(100, 'x'), many(1 << 20, 'x');

void pause_a_moment() {
  usleep(1000);
}

bool exists(const std::string& file) {
  return access(file.c_str(), F_OK) == 0;
}

void make_file(const std::string& file, int content) {
  std::ofstream(file + ".new") << content << std::flush;
  std::rename((file + ".new").c_str(), file.c_str());
}

/// A folder of this job, for files by which ranks tell each other what they do outside of MPI. Makes no connection.
std::string common_folder() {
  std::array<char, 64> name{"/tmp/bowline-late-contact-XXXXXX"};
  if (check::rank == 0) CHECK(mkdtemp(name.data()) != nullptr);
  CHECK_EQ(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, world), MPI_SUCCESS);
  return name.data();
}

void expect_cancelled(int begun, MPI_Request& request) {
  MPI_Status status;
  int cancelled = 0;
  CHECK_EQ(begun, MPI_SUCCESS);
  CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
  CHECK_EQ(cancelled, 1);
}

/// That the sentence says what has become of the rank.
void expect_nobody(int code, int rank) {
  int error_class = MPI_SUCCESS, length = 0;
  char sentence[MPI_MAX_ERROR_STRING];
  CHECK_EQ(MPI_Error_class(code, &error_class), MPI_SUCCESS);
  CHECK_EQ(error_class, MPI_ERR_PROC_ABORTED);
  CHECK_EQ(MPI_Error_string(code, sentence, &length), MPI_SUCCESS);
  const std::string who = "rank " + std::to_string(rank) + " has ";
  const bool right =
      std::strstr(sentence, who.c_str()) != nullptr &&
      (std::strstr(sentence, "has called MPI_Finalize") != nullptr || std::strstr(sentence, "has ended") != nullptr) &&
      std::strstr(sentence, "messages to it are not received any more") != nullptr;
  if (!CHECK(right)) std::fprintf(stderr, "the sentence is: %s\n", sentence);
}

int length_of(const std::vector<char>& data) {
  return static_cast<int>(data.size());
}

const std::vector<std::function<void(int)>> contacts = {
    [](int to) {
      MPI_Request request;  // done, or cancelled
      CHECK_EQ(MPI_Isend(some.data(), length_of(some), MPI_CHAR, to, 1, world, &request), MPI_SUCCESS);
      CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
      CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    },
    [](int to) {
      MPI_Request request;
      expect_cancelled(MPI_Isend(many.data(), length_of(many), MPI_CHAR, to, 1, world, &request), request);
    },
    [](int to) {
      MPI_Request request;
      expect_cancelled(MPI_Issend(some.data(), length_of(some), MPI_CHAR, to, 1, world, &request), request);
    },
    [](int to) {
      for (int i = 0; i < 10; ++i)
        CHECK_EQ(MPI_Send(some.data(), length_of(some), MPI_CHAR, to, 1, world), MPI_SUCCESS);
    },
    [](int to) { expect_nobody(MPI_Ssend(some.data(), length_of(some), MPI_CHAR, to, 1, world), to); },
    [](int to) { expect_nobody(MPI_Send(many.data(), length_of(many), MPI_CHAR, to, 1, world), to); },
    [](int to) {
      MPI_Request request;
      CHECK_EQ(MPI_Isend(some.data(), length_of(some), MPI_CHAR, to, 1, world, &request), MPI_SUCCESS);
      CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    },
};

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const bool waits = how == "gone" || how == "linger";
  const std::string folder = waits ? common_folder() : "";
  const auto left = [&](int rank) { return folder + "/left." + std::to_string(rank); };
  const auto over = [&](int rank) { return folder + "/over." + std::to_string(rank); };
  if (check::rank != 0) {
    ++check::made;
    const int status = program.finish();
    if (waits) make_file(left(check::rank), getpid());
    while (how == "linger" && unlink(over(check::rank).c_str()) != 0) pause_a_moment();
    if (how == "linger") rmdir(folder.c_str());  // the last one
    return status;
  }
  for (int rank = 1; waits && rank < check::size; ++rank) {
    while (!exists(left(rank))) pause_a_moment();
    int process = 0;
    std::ifstream(left(rank)) >> process;
    CHECK(process > 0);
    while (how == "gone" && (kill(process, 0) == 0 || errno != ESRCH)) pause_a_moment();
  }
  for (int rank = 1; rank < check::size; ++rank) contacts[static_cast<std::size_t>(rank - 1) % contacts.size()](rank);
  for (int rank = 1; waits && rank < check::size; ++rank) unlink(left(rank).c_str());
  for (int rank = 1; how == "linger" && rank < check::size; ++rank) make_file(over(rank), 0);
  if (how == "gone") rmdir(folder.c_str());
  return program.finish();
}
