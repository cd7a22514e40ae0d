// SPDX-License-Identifier: BSD-3-Clause
// left_alone HOW: rank 0 waits for ranks that have called MPI_Finalize. It receives all that they have sent before, and
// then hears that nothing else will come. HOW says what there was between them:
//
//   strangers   nothing
//   sender      messages to rank 0 only, which it has not answered
//   receiver    messages from rank 0 only
//   probe       messages to rank 0, the last of which are on their way when MPI_Finalize is called; rank 0 probes
//   anybody     the same; rank 0 receives from any source
//   thread      the same; rank 0 receives from any source what another of its threads sends later
//
// A rank that waits looks after the others every half second, and nothing tells from outside that it has: so the thread
// lets time pass. Where that is too short this shows less, and fails nothing.
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

std::vector<int> lengths{1, 10'000, 70'000, 300'000};  // bytes: unasked, in one packet or more, and announced

std::vector<char> message(int length, int from) {
  return std::vector<char>(static_cast<std::size_t>(length), static_cast<char>(from + 1));
}

void leave_messages() {
  for (const int length : lengths) {
    static std::vector<std::vector<char>> kept;  // until they have left
    const std::vector<char>& data = kept.emplace_back(message(length, check::rank));
    MPI_Request request;
    CHECK_EQ(MPI_Isend(data.data(), length, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  }
}

void receive_messages(int from) {
  for (const int length : lengths) {
    std::vector<char> data(static_cast<std::size_t>(length));
    CHECK_EQ(MPI_Recv(data.data(), length, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(data == message(length, from));
  }
}

/// That a rank in the sentence has left; -1: any.
void expect_nobody(int code, int rank) {
  int error_class = MPI_SUCCESS, length = 0;
  char sentence[MPI_MAX_ERROR_STRING];
  CHECK_EQ(MPI_Error_class(code, &error_class), MPI_SUCCESS);
  CHECK_EQ(error_class, MPI_ERR_PROC_ABORTED);
  CHECK_EQ(MPI_Error_string(code, sentence, &length), MPI_SUCCESS);
  const std::string who = rank < 0 ? "rank " : "rank " + std::to_string(rank) + " has ";
  CHECK(std::strstr(sentence, who.c_str()) != nullptr);
  CHECK(std::strstr(sentence, "nothing that it has not sent will come") != nullptr);
  if (check::failed > 0) std::fprintf(stderr, "the sentence is: %s\n", sentence);
}

int receive(int source) {
  int value = 0;
  return MPI_Recv(&value, 1, MPI_INT, source, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void wait_for_others(const std::string& how) {
  const int last = check::size - 1;
  if (how == "receiver") {
    for (int peer = 1; peer < check::size; ++peer) CHECK_EQ(MPI_Send(&peer, 1, MPI_INT, peer, 3, MPI_COMM_WORLD), 0);
  } else if (how != "strangers") {
    for (int peer = 1; peer < check::size; ++peer) receive_messages(peer);
  }
  if (how == "anybody") return expect_nobody(receive(MPI_ANY_SOURCE), -1);
  if (how == "probe") return expect_nobody(MPI_Probe(last, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), last);
  if (how != "thread") return expect_nobody(receive(last), last);
  std::thread other([] {
    sleep(8);
    const int value = 42;
    MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  });
  CHECK_EQ(receive(MPI_ANY_SOURCE), MPI_SUCCESS);
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "sender") lengths.resize(2);
  check::Program program;
  int level = MPI_THREAD_SINGLE;
  CHECK_EQ(MPI_Init_thread(&argc, &argv, how == "thread" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level), 0);
  program.learn();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (check::rank == 0) {
    wait_for_others(how);
  } else if (how == "receiver") {
    int value = 0;
    CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else if (how != "strangers") {
    leave_messages();
  }
  return program.finish();
}
