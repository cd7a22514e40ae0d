// SPDX-License-Identifier: BSD-3-Clause
// Partitions travel as they become ready: the receiver holds a partition while the sender has not yet marked the next
// one, and would never do so if the first did not arrive. And the mistakes that partitioned calls refuse.
#include <array>
#include <string>
#include <vector>

#include "status.hpp"

namespace {

using check::at;
using check::class_of;

const MPI_Comm world = MPI_COMM_WORLD;

int value(int round, int i) {
  return round * 1000003 + i;
}

struct Shape {
  int send_partitions, receive_partitions, total;
};

// The receiver's partitions that lie within the sender's first `ready` ones.
int complete(const Shape& shape, int ready) {
  return ready * shape.receive_partitions / shape.send_partitions;
}

// The sender goes on to its next partition only after the receiver has said that it saw this one.
void sender(const Shape& shape, int peer, int rounds) {
  std::vector<int> out(at(shape.total));
  const int length = shape.total / shape.send_partitions;
  MPI_Request request;
  CHECK_EQ(MPI_Psend_init(out.data(), shape.send_partitions, length, MPI_INT, peer, 1, world, MPI_INFO_NULL, &request),
           MPI_SUCCESS);
  for (int round = 0; round < rounds; ++round) {
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    for (int i = 0; i < shape.send_partitions; ++i) {
      for (int k = i * length; k < (i + 1) * length; ++k) out[at(k)] = value(round, k);  // not written before it is due
      CHECK_EQ(MPI_Pready(i, request), MPI_SUCCESS);
      int seen = -1;
      MPI_Recv(&seen, 1, MPI_INT, peer, 2, world, MPI_STATUS_IGNORE);
      CHECK_EQ(seen, complete(shape, i + 1));
    }
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

void receiver(const Shape& shape, int peer, int rounds) {
  std::vector<int> in(at(shape.total));
  const int length = shape.total / shape.receive_partitions;
  MPI_Request request;
  CHECK_EQ(
      MPI_Precv_init(in.data(), shape.receive_partitions, length, MPI_INT, peer, 1, world, MPI_INFO_NULL, &request),
      MPI_SUCCESS);
  for (int round = 0; round < rounds; ++round) {
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    int arrived = 0;
    for (int ready = 1; ready <= shape.send_partitions; ++ready) {
      for (const int due = complete(shape, ready); arrived < due; ++arrived) {
        for (int flag = 0; !flag;) MPI_Parrived(request, arrived, &flag);
        CHECK_EQ(in[at(arrived * length)], value(round, arrived * length));
        CHECK_EQ(in[at((arrived + 1) * length - 1)], value(round, (arrived + 1) * length - 1));
      }
      int flag = 0;
      for (int i = 0; i < shape.receive_partitions; ++i) {
        CHECK_EQ(MPI_Parrived(request, i, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, i < arrived ? 1 : 0);  // a later one cannot be there, an earlier one stays
      }
      if (arrived < shape.receive_partitions) {
        CHECK_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
      }
      MPI_Send(&arrived, 1, MPI_INT, peer, 2, world);
    }
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    int flag = 0;
    CHECK_EQ(MPI_Parrived(request, 0, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);  // of an inactive request (MPI-5.0, section 4.2.3)
  }
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  int flag = 0;
  CHECK_EQ(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
}

void early_bird() {
  const int peer = check::rank ^ 1;
  if (peer >= check::size) return;
  for (const Shape& shape : {Shape{2, 2, 8}, Shape{4, 4, 4000}, Shape{6, 3, 600}, Shape{3, 6, 600}, Shape{2, 3, 60000},
                             Shape{3, 2, 60000}, Shape{2, 2, 1 << 20}, Shape{8, 8, 1 << 20}}) {
    if (check::rank % 2 == 0) {
      sender(shape, peer, 3);
      receiver(shape, peer, 3);
    } else {
      receiver(shape, peer, 3);
      sender(shape, peer, 3);
    }
  }
}

void expect_error(int code, const char* call, int line) {
  ++check::made;
  const int found = class_of(code);
  if (found == MPI_ERR_ARG || found == MPI_ERR_REQUEST) return;
  check::report(__FILE__, line,
                std::string(call) + " gave class " + std::to_string(found) + ", not MPI_ERR_ARG or MPI_ERR_REQUEST");
}
#define EXPECT_ERROR(call) expect_error(call, #call, __LINE__)

// What is wrong is refused and changes nothing: the round that it happens in ends well, and so does the next.
void mistakes() {
  constexpr int n = 4;
  std::array<int, n> out = {1, 2, 3, 4}, in{};
  std::array<MPI_Request, 2> requests;  // a message to this rank
  MPI_Psend_init(out.data(), n, 1, MPI_INT, check::rank, 3, world, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in.data(), n, 1, MPI_INT, check::rank, 3, world, MPI_INFO_NULL, &requests[1]);
  const MPI_Request send = requests[0], receive = requests[1];
  std::array<int, 2> twice = {1, 1}, outside = {2, n};
  for (int round = 0; round < 3; ++round) {
    in.fill(0);
    EXPECT_ERROR(MPI_Pready(0, send));  // inactive
    EXPECT_ERROR(MPI_Pready_range(0, n - 1, send));
    EXPECT_ERROR(MPI_Pready_list(2, twice.data(), send));
    CHECK_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
    EXPECT_ERROR(MPI_Pready(n, send));
    EXPECT_ERROR(MPI_Pready(-1, send));
    EXPECT_ERROR(MPI_Pready_range(1, n, send));
    EXPECT_ERROR(MPI_Pready_range(-1, 1, send));
    EXPECT_ERROR(MPI_Pready_list(2, outside.data(), send));
    EXPECT_ERROR(MPI_Pready(0, receive));
    EXPECT_ERROR(MPI_Pready(0, MPI_REQUEST_NULL));
    int flag = 0;
    EXPECT_ERROR(MPI_Parrived(receive, n, &flag));
    EXPECT_ERROR(MPI_Parrived(receive, -1, &flag));
    EXPECT_ERROR(MPI_Parrived(send, 0, &flag));
    EXPECT_ERROR(MPI_Start(&requests[0]));  // it is active

    for (int i = 0; i < n; ++i) {  // none of the calls above made any partition ready
      CHECK_EQ(MPI_Parrived(receive, i, &flag), MPI_SUCCESS);
      CHECK_EQ(flag, 0);
    }
    CHECK_EQ(MPI_Pready(2, send), MPI_SUCCESS);
    EXPECT_ERROR(MPI_Pready(2, send));
    EXPECT_ERROR(MPI_Pready_range(1, n - 1, send));  // 2 is ready already, so neither 1 nor 3 becomes it
    CHECK_EQ(MPI_Pready_range(0, 1, send), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(3, send), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK(in == out);
    for (int& i : out) i += n;
  }
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_ERROR(MPI_Psend_init(out.data(), -1, 1, MPI_INT, check::rank, 3, world, MPI_INFO_NULL, &request));
  EXPECT_ERROR(MPI_Precv_init(in.data(), -1, 1, MPI_INT, check::rank, 3, world, MPI_INFO_NULL, &request));
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  early_bird();
  MPI_Barrier(world);
  mistakes();
  return program.finish();
}
