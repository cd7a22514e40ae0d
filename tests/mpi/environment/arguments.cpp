// SPDX-License-Identifier: BSD-3-Clause
// Every wrong argument of point-to-point functions and of those on operators, from one table. Without arguments: each
// gives its error class under MPI_ERRORS_RETURN, and what was in flight before the call still arrives. With "list":
// prints the rows. With the number of a row: makes that call under the initial, fatal error handler, so that its text
// can be read.
#include <cstdlib>
#include <string>

#include "arguments_collectives.hpp"
#include "arguments_comm.hpp"
#include "arguments_operators.hpp"
#include "arguments_rest.hpp"
#include "arguments_types.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
std::array<int, 3> never = {-1, -1, -1};  // what the receives that nobody answers would be given

void make(arguments::Wrong& wrong) {
  // First, so that it does not get the memory of the one that is freed.
  const int periodic = 1;
  CHECK_EQ(MPI_Cart_create(world, 1, &check::size, &periodic, 0, &wrong.ring), MPI_SUCCESS);
  if (CHECK_EQ(MPI_Comm_dup(world, &wrong.freed), MPI_SUCCESS)) {
    MPI_Comm handle = wrong.freed;
    CHECK_EQ(MPI_Comm_free(&handle), MPI_SUCCESS);
  }
  const MPI_Datatype other_kind = MPI_DOUBLE;
  static_assert(sizeof wrong.garbage == sizeof other_kind);
  std::memcpy(&wrong.garbage, &other_kind, sizeof other_kind);
  for (const MPI_Comm comm : {world, wrong.ring}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (MPI_Type_contiguous(2, MPI_INT, &wrong.uncommitted) != MPI_SUCCESS) wrong.uncommitted = MPI_DATATYPE_NULL;

  int in = -1;
  MPI_Irecv(&never[0], 1, MPI_INT, check::rank, 701, world, &wrong.active);
  MPI_Recv_init(&never[1], 1, MPI_INT, check::rank, 702, world, &wrong.started);
  MPI_Start(&wrong.started);
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, check::rank, 703, world, &request);
  wrong.stale = request;
  MPI_Send(&check::rank, 1, MPI_INT, check::rank, 703, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void clean_up(arguments::Wrong& wrong) {
  for (MPI_Request* const request : {&wrong.active, &wrong.started}) {
    CHECK_EQ(MPI_Cancel(request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Request_free(&wrong.started), MPI_SUCCESS);
  CHECK(never[0] == -1 && never[1] == -1);
  CHECK_EQ(MPI_Comm_free(&wrong.ring), MPI_SUCCESS);
  if (wrong.uncommitted != MPI_DATATYPE_NULL) CHECK_EQ(MPI_Type_free(&wrong.uncommitted), MPI_SUCCESS);
}

std::string name(std::size_t number, const arguments::Row& row) {
  return "row " + std::to_string(number) + ", " + row.function + "(" + row.argument + ")";
}

// One row, between the start and the end of a receive and a send around the ring; long messages every third row.
void check_row(std::size_t number, const arguments::Row& row) {
  const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
  const int length = number % 3 ? 1 : 30000;
  const std::vector<int> out(static_cast<std::size_t>(length), static_cast<int>(number));
  std::vector<int> in(out.size(), -1);
  std::array<MPI_Request, 2> in_flight;
  MPI_Irecv(in.data(), length, MPI_INT, previous, 704, world, &in_flight[0]);
  MPI_Isend(out.data(), length, MPI_INT, next, 704, world, &in_flight[1]);

  const int code = row.call();
  int found = -1;
  MPI_Error_class(code, &found);
  ++check::made;
  if (found != row.error_class) {
    check::report(
        __FILE__, __LINE__,
        name(number, row) + ": gave class " + std::to_string(found) + ", expected " + std::to_string(row.error_class));
  }
  if (!CHECK_EQ(MPI_Waitall(2, in_flight.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS) || !CHECK(in == out)) {
    std::fprintf(stderr, "rank %d: after %s\n", check::rank, name(number, row).c_str());
  }
}

// Nothing that was refused became a message.
void nothing_is_left() {
  int flag = 1;
  MPI_Barrier(world);
  CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  arguments::Wrong wrong;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  make(wrong);
  const arguments::Table table(wrong);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "list") {
    for (const arguments::Row& row : table.rows()) std::printf("%s %s\n", row.function.c_str(), row.argument.c_str());
  } else if (!mode.empty()) {
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(wrong.ring, MPI_ERRORS_ARE_FATAL);
    table.rows().at(std::stoul(mode)).call();
    std::fprintf(stderr, "row %s was not fatal\n", mode.c_str());
  } else {
    for (std::size_t i = 0; i < table.rows().size(); ++i) check_row(i, table.rows()[i]);
    nothing_is_left();
  }
  clean_up(wrong);
  return program.finish();
}
