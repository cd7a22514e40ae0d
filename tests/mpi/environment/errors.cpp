// SPDX-License-Identifier: BSD-3-Clause
// Bad arguments under MPI_ERRORS_RETURN: each gives its class, and the library works on as if nothing had been.
#include <array>
#include <string>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

// The error handler of MPI_COMM_SELF takes the errors that have no communicator (MPI-5.0, section 9.3).
void expect(int code, int error_class, const char* call, int line) {
  int found = -1;
  MPI_Error_class(code, &found);
  ++check::made;
  if (found == error_class) return;
  check::report(
      __FILE__, line,
      std::string(call) + " gave class " + std::to_string(found) + ", expected " + std::to_string(error_class));
}
#define EXPECT(call, error_class) expect(call, error_class, #call, __LINE__)

int value = 0;
MPI_Status status;
MPI_Request request = MPI_REQUEST_NULL;
int flag = 0, index_out = 0;

void send_and_receive() {
  const int size = check::size;
  EXPECT(MPI_Send(&value, -1, MPI_INT, 0, 0, world), MPI_ERR_COUNT);
  EXPECT(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, world), MPI_ERR_TYPE);
  EXPECT(MPI_Send(&value, 1, MPI_INT, size, 0, world), MPI_ERR_RANK);
  EXPECT(MPI_Send(&value, 1, MPI_INT, -7, 0, world), MPI_ERR_RANK);
  EXPECT(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, world), MPI_ERR_RANK);
  EXPECT(MPI_Send(&value, 1, MPI_INT, 0, -5, world), MPI_ERR_TAG);
  EXPECT(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, world), MPI_ERR_TAG);
  EXPECT(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT(MPI_Send(nullptr, 1, MPI_INT, 0, 0, world), MPI_ERR_BUFFER);
  EXPECT(MPI_Isend(&value, -1, MPI_INT, 0, 0, world, &request), MPI_ERR_COUNT);
  EXPECT(MPI_Isend(&value, 1, MPI_INT, size, 0, world, &request), MPI_ERR_RANK);
  EXPECT(MPI_Recv(&value, -1, MPI_INT, 0, 0, world, &status), MPI_ERR_COUNT);
  EXPECT(MPI_Recv(&value, 1, MPI_DATATYPE_NULL, 0, 0, world, &status), MPI_ERR_TYPE);
  EXPECT(MPI_Recv(&value, 1, MPI_INT, size, 0, world, &status), MPI_ERR_RANK);
  EXPECT(MPI_Recv(&value, 1, MPI_INT, 0, -5, world, &status), MPI_ERR_TAG);
  EXPECT(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &status), MPI_ERR_COMM);
  EXPECT(MPI_Recv(nullptr, 1, MPI_INT, 0, 0, world, &status), MPI_ERR_BUFFER);
  EXPECT(MPI_Irecv(&value, 1, MPI_INT, size, 0, world, &request), MPI_ERR_RANK);
  EXPECT(MPI_Irecv(&value, 1, MPI_INT, 0, -5, world, &request), MPI_ERR_TAG);
  EXPECT(MPI_Probe(size, 0, world, &status), MPI_ERR_RANK);
  EXPECT(MPI_Iprobe(0, -5, world, &flag, &status), MPI_ERR_TAG);
  EXPECT(MPI_Sendrecv(&value, 1, MPI_INT, size, 0, &index_out, 1, MPI_INT, 0, 0, world, &status), MPI_ERR_RANK);
  EXPECT(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &index_out, -1, MPI_INT, 0, 0, world, &status), MPI_ERR_COUNT);
  // Nothing above became a message.
  MPI_Barrier(world);
  EXPECT(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &status), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
}

void collectives() {
  const int size = check::size;
  int result = 0;
  EXPECT(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT(MPI_Bcast(&value, 1, MPI_INT, size, world), MPI_ERR_ROOT);
  EXPECT(MPI_Bcast(&value, 1, MPI_INT, -1, world), MPI_ERR_ROOT);
  EXPECT(MPI_Bcast(&value, -1, MPI_INT, 0, world), MPI_ERR_COUNT);
  EXPECT(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, world), MPI_ERR_TYPE);
  EXPECT(MPI_Bcast(nullptr, 1, MPI_INT, 0, world), MPI_ERR_BUFFER);
  EXPECT(MPI_Reduce(nullptr, nullptr, 1, MPI_INT, MPI_SUM, 0, world), MPI_ERR_BUFFER);
  EXPECT(MPI_Allreduce(nullptr, &result, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
  EXPECT(MPI_Allreduce(&value, nullptr, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
  EXPECT(MPI_Allreduce(&value, &value, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
  EXPECT(MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, size, world), MPI_ERR_ROOT);
  EXPECT(MPI_Reduce(&value, &result, 1, MPI_INT, MPI_OP_NULL, 0, world), MPI_ERR_OP);
  EXPECT(MPI_Reduce(&value, &result, 1, MPI_FLOAT, MPI_BAND, 0, world), MPI_ERR_OP);
  EXPECT(MPI_Allreduce(&value, &result, -1, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT);
  EXPECT(MPI_Allreduce(&value, &result, 1, MPI_DATATYPE_NULL, MPI_SUM, world), MPI_ERR_TYPE);
  EXPECT(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_MINLOC, world), MPI_ERR_OP);
  EXPECT(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_OP_NULL, world), MPI_ERR_OP);
}

void the_rest() {
  int result = 0;
  std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Status, 2> statuses;
  EXPECT(MPI_Comm_rank(MPI_COMM_NULL, &result), MPI_ERR_COMM);
  EXPECT(MPI_Comm_size(MPI_COMM_NULL, &result), MPI_ERR_COMM);
  EXPECT(MPI_Waitall(-1, requests.data(), statuses.data()), MPI_ERR_COUNT);
  EXPECT(MPI_Testany(-1, requests.data(), &result, &flag, &status), MPI_ERR_COUNT);
  EXPECT(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN), MPI_ERR_COMM);
  EXPECT(MPI_Comm_set_errhandler(world, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
  EXPECT(MPI_Get_count(&status, MPI_DATATYPE_NULL, &result), MPI_ERR_TYPE);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  CHECK_EQ(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
  send_and_receive();
  collectives();
  the_rest();

  int one = 1, sum = 0;
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  CHECK_EQ(sum, check::size);
  return program.finish();
}
