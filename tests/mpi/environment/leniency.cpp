// SPDX-License-Identifier: BSD-3-Clause
// What the standard does not allow and other libraries take: operators on further datatypes, and MPI_DATATYPE_NULL
// where there are no data, an error handler for MPI_COMM_WORLD alone. It works; with the argument "strict" (and
// BOWLINE_CHECK=strict, and the initial error handler MPI_ERRORS_RETURN) it is refused.
#include <array>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "reference.hpp"

namespace {

using check::Operator;

const MPI_Comm world = MPI_COMM_WORLD;
bool strict = false;

/// What the call gives: success, or under "strict" an error of that class.
void expect(int code, int error_class, const char* what) {
  int found = -1;
  MPI_Error_class(code, &found);
  ++check::made;
  if (found == (strict ? error_class : MPI_SUCCESS)) return;
  std::fprintf(stderr, "%s: class %d\n", what, found);
  check::report(__FILE__, __LINE__, what);
}

bool is_logical(Operator op) {
  return op == Operator::land || op == Operator::lor || op == Operator::lxor;
}
bool is_bitwise(Operator op) {
  return op == Operator::band || op == Operator::bor || op == Operator::bxor;
}

/// All operators of one kind on one type, by a collective operation and locally.
template <class T>
void reduce(MPI_Datatype type, const char* name, bool (*chosen)(Operator)) {
  for (const check::NamedOperator& op : check::operators) {
    if (op.meaning == Operator::minloc || op.meaning == Operator::maxloc || !chosen(op.meaning)) continue;
    for (const int count : {1, 100, 5000}) {
      std::vector<T> mine(static_cast<std::size_t>(count)), all(mine.size()), both(mine.size());
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        mine[at] = check::element<T>(op.meaning, check::Group::integer, check::rank, i);
        both[at] = check::element<T>(op.meaning, check::Group::integer, check::rank + 1, i);
      }
      const std::vector<T> right = both;
      expect(MPI_Allreduce(mine.data(), all.data(), count, type, op.handle, world), MPI_ERR_OP, name);
      expect(MPI_Reduce_local(mine.data(), both.data(), count, type, op.handle), MPI_ERR_OP, name);
      for (int i = 0; i < count && !strict; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!CHECK_EQ(+all[at], +check::reduced<T>(op.meaning, check::Group::integer, check::size, i)) ||
            !CHECK_EQ(+both[at], +check::combine<T>(op.meaning, mine[at], right[at]))) {
          std::fprintf(stderr, "%s of %d x %s, element %d\n", op.name, count, name, i);
          break;
        }
      }
    }
  }
}

void operators() {
  const auto any = [](Operator) { return true; };
  const auto not_bitwise = [](Operator op) { return !is_bitwise(op); };
  reduce<char>(MPI_CHAR, "MPI_CHAR", any);
  reduce<char>(MPI_CHARACTER, "MPI_CHARACTER", any);
  reduce<unsigned char>(MPI_BYTE, "MPI_BYTE", not_bitwise);
  reduce<MPI_Aint>(MPI_AINT, "MPI_AINT", is_logical);
  reduce<MPI_Offset>(MPI_OFFSET, "MPI_OFFSET", is_logical);
  reduce<MPI_Count>(MPI_COUNT, "MPI_COUNT", is_logical);
  reduce<std::int8_t>(MPI_INTEGER1, "MPI_INTEGER1", is_logical);
  reduce<std::int16_t>(MPI_INTEGER2, "MPI_INTEGER2", is_logical);
  reduce<std::int32_t>(MPI_INTEGER4, "MPI_INTEGER4", is_logical);
  reduce<std::int64_t>(MPI_INTEGER8, "MPI_INTEGER8", is_logical);
  reduce<int>(MPI_INTEGER, "MPI_INTEGER", is_logical);
  reduce<float>(MPI_FLOAT, "MPI_FLOAT", is_logical);
  reduce<double>(MPI_DOUBLE, "MPI_DOUBLE", is_logical);
  reduce<long double>(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", is_logical);
  reduce<float>(MPI_REAL, "MPI_REAL", is_logical);
  reduce<double>(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", is_logical);
}

/// Messages without data and without a datatype.
void messages() {
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
  std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  expect(MPI_Irecv(nullptr, 0, none, previous, 1, world, &requests[0]), MPI_ERR_TYPE, "MPI_Irecv");
  expect(MPI_Isend(nullptr, 0, none, next, 1, world, &requests[1]), MPI_ERR_TYPE, "MPI_Isend");
  CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  MPI_Status status;
  int sent = 0, received = -1;
  expect(MPI_Sendrecv(nullptr, 0, none, next, 2, nullptr, 0, none, previous, 2, world, &status), MPI_ERR_TYPE,
         "MPI_Sendrecv");
  if (!strict) {
    CHECK_EQ(status.MPI_SOURCE, previous);
    CHECK_EQ(MPI_Get_count(&status, MPI_BYTE, &received), MPI_SUCCESS);
    CHECK_EQ(received, 0);
  }
  // Against a receive of something else, and persistent.
  MPI_Request persistent = MPI_REQUEST_NULL;
  expect(MPI_Send_init_c(nullptr, 0, none, next, 3, world, &persistent), MPI_ERR_TYPE, "MPI_Send_init_c");
  if (!strict) {
    CHECK_EQ(MPI_Start(&persistent), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(&received, 1, MPI_INT, previous, 3, world, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&persistent), MPI_SUCCESS);
  }
  // With data a datatype is needed all the same.
  int code = MPI_Send(&sent, 1, none, MPI_PROC_NULL, 0, world), found = -1;
  CHECK_EQ(MPI_Error_class(code, &found), MPI_SUCCESS);
  CHECK_EQ(found, MPI_ERR_TYPE);
}

void collectives() {
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  expect(MPI_Bcast(nullptr, 0, none, 0, world), MPI_ERR_TYPE, "MPI_Bcast");
  // Each gives something to the next alone.
  const auto members = static_cast<std::size_t>(check::size);
  const std::size_t next = static_cast<std::size_t>(check::rank + 1) % members;
  const std::size_t previous = (static_cast<std::size_t>(check::rank) + members - 1) % members;
  std::vector<int> sendcounts(members), recvcounts(members), zeros(members);
  std::vector<MPI_Datatype> sendtypes(members, none), recvtypes(members, none);
  sendcounts[next] = recvcounts[previous] = 1;
  sendtypes[next] = recvtypes[previous] = MPI_INT;
  const int given = check::rank + 70;
  int taken = -1;
  if (members == 1) sendcounts[0] = recvcounts[0] = 0, sendtypes[0] = recvtypes[0] = none;
  expect(MPI_Alltoallw(&given, sendcounts.data(), zeros.data(), sendtypes.data(), &taken, recvcounts.data(),
                       zeros.data(), recvtypes.data(), world),
         MPI_ERR_TYPE, "MPI_Alltoallw");
  if (!strict && members > 1) CHECK_EQ(taken, static_cast<int>(previous) + 70);
  MPI_Request request = MPI_REQUEST_NULL;
  taken = -1;
  expect(MPI_Alltoallw_init(&given, sendcounts.data(), zeros.data(), sendtypes.data(), &taken, recvcounts.data(),
                            zeros.data(), recvtypes.data(), world, MPI_INFO_NULL, &request),
         MPI_ERR_TYPE, "MPI_Alltoallw_init");
  if (strict) return;
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  if (members > 1) CHECK_EQ(taken, static_cast<int>(previous) + 70);
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

int heard = 0;

void hear(MPI_Comm* comm, int* code, ...) {
  ++heard;
  CHECK(*comm == MPI_COMM_WORLD && *code == MPI_ERR_TYPE);
}

/// An error in a call without a communicator goes to the handler of MPI_COMM_SELF, of which MPI_COMM_WORLD takes the
/// place if the program has chosen one there alone.
void handlers() {
  MPI_Errhandler listening;
  CHECK_EQ(MPI_Comm_create_errhandler(hear, &listening), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(world, listening), MPI_SUCCESS);
  int size = 0;
  CHECK_EQ(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
  CHECK_EQ(heard, strict ? 0 : 1);
  // One that is chosen counts, be it the initial one.
  MPI_Errhandler of_self;
  CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_get_errhandler(MPI_COMM_SELF, &of_self), MPI_SUCCESS);
  CHECK(of_self == MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
  CHECK_EQ(heard, strict ? 0 : 1);
  CHECK_EQ(MPI_Errhandler_free(&listening), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  strict = argc > 1 && std::strcmp(argv[1], "strict") == 0;
  handlers();
  for (const MPI_Comm comm : {world, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  operators();
  messages();
  collectives();
  return program.finish();
}
