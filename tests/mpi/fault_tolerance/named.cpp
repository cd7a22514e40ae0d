// SPDX-License-Identifier: BSD-3-Clause
// What a process has sent before its failure is received; operations that name it fail after that, with a sentence that
// says who and how; nobody else is disturbed. For four ranks, of which the last one dies.
#include "survivors.hpp"

namespace {

using survivors::class_of;

MPI_Comm comm = MPI_COMM_NULL;
constexpr int victim = 3;
constexpr int sent_tag = 1, unsent_tag = 2;
constexpr int long_count = 1 << 20;

void expect_failed(const char* what, int code) {
  const std::string sentence = survivors::sentence_of(code);
  const bool right = class_of(code) == MPIX_ERR_PROC_FAILED && sentence.find("rank 3") != std::string::npos &&
                     sentence.find("was killed by signal 9") != std::string::npos;
  if (!CHECK(right)) std::fprintf(stderr, "%s: %s\n", what, sentence.c_str());
}

/// `first`: the process has not been in contact with the victim.
void name_it(bool first) {
  int value = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (!first) {
    CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, victim, sent_tag, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(value, 42);
  }
  expect_failed("recv", MPI_Recv(&value, 1, MPI_INT, victim, unsent_tag, comm, MPI_STATUS_IGNORE));
  expect_failed("probe", MPI_Probe(victim, unsent_tag, comm, MPI_STATUS_IGNORE));
  expect_failed("ssend", MPI_Ssend(&value, 1, MPI_INT, victim, unsent_tag, comm));
  const std::vector<int> data(long_count);
  expect_failed("send", MPI_Send(data.data(), long_count, MPI_INT, victim, unsent_tag, comm));
  CHECK_EQ(MPI_Irecv(&value, 1, MPI_INT, victim, unsent_tag, comm, &request), MPI_SUCCESS);
  expect_failed("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(survivors::failed(comm) == std::vector<int>{victim});
}

/// Exchanges with the other living ranks, before and after they have met the failure.
void talk() {
  for (int other = 0; other < victim; ++other) {
    int got = -1;
    CHECK_EQ(MPI_Sendrecv(&check::rank, 1, MPI_INT, other, 5, &got, 1, MPI_INT, other, 5, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(got, other);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  comm = survivors::duplicate();
  if (check::rank == victim) {
    const int value = 42;
    MPI_Send(&value, 1, MPI_INT, 0, sent_tag, comm);
    survivors::die();
  }
  if (check::rank == 0) name_it(false);
  talk();
  if (check::rank == 1) name_it(true);
  talk();
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  return program.finish();
}
