// SPDX-License-Identifier: BSD-3-Clause
// Handles as integers and back, as Fortran has them: MPI_*_toint and MPI_*_fromint, and what mpi.h makes of them.
#include <cstdint>
#include <set>
#include <vector>

#include "check.hpp"

namespace {

template <class Handle>
int abi_value(Handle handle) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle));
}

template <class Handle>
void check_predefined(Handle handle, int (*toint)(Handle), Handle (*fromint)(int)) {
  CHECK_EQ(toint(handle), abi_value(handle));
  CHECK(fromint(abi_value(handle)) == handle);
}

void predefined() {
  check_predefined(MPI_COMM_WORLD, MPI_Comm_toint, MPI_Comm_fromint);
  check_predefined(MPI_COMM_NULL, MPI_Comm_toint, MPI_Comm_fromint);
  check_predefined(MPI_GROUP_EMPTY, MPI_Group_toint, MPI_Group_fromint);
  check_predefined(MPI_INT, MPI_Type_toint, MPI_Type_fromint);
  check_predefined(MPI_DATATYPE_NULL, MPI_Type_toint, MPI_Type_fromint);
  check_predefined(MPI_SUM, MPI_Op_toint, MPI_Op_fromint);
  check_predefined(MPI_ERRORS_RETURN, MPI_Errhandler_toint, MPI_Errhandler_fromint);
  check_predefined(MPI_INFO_ENV, MPI_Info_toint, MPI_Info_fromint);
  check_predefined(MPI_REQUEST_NULL, MPI_Request_toint, MPI_Request_fromint);
  check_predefined(MPI_MESSAGE_NO_PROC, MPI_Message_toint, MPI_Message_fromint);
  check_predefined(MPI_SESSION_NULL, MPI_Session_toint, MPI_Session_fromint);
  check_predefined(MPI_WIN_NULL, MPI_Win_toint, MPI_Win_fromint);
  check_predefined(MPI_FILE_NULL, MPI_File_toint, MPI_File_fromint);
}

/// A handle keeps its number and comes back from it; what has the number of another kind does not.
template <class Handle>
int check_made(Handle handle, int (*toint)(Handle), Handle (*fromint)(int)) {
  const int number = toint(handle);
  CHECK(number >= 0x1000);
  CHECK_EQ(toint(handle), number);
  CHECK(fromint(number) == handle);
  return number;
}

void info_objects_need_no_mpi() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  const int number = check_made(info, MPI_Info_toint, MPI_Info_fromint);
  const MPI_Info gone = info;
  MPI_Info_free(&info);
  CHECK(MPI_Info_fromint(number) != gone);
  CHECK(MPI_Info_fromint(number) != MPI_INFO_NULL);
  CHECK(MPI_Info_toint(gone) < 0);
}

// The communicator's error handler hears what a program does with a number that stands for nothing.
void stale_numbers_are_refused() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  const int number = check_made(made, MPI_Comm_toint, MPI_Comm_fromint);
  MPI_Comm_free(&made);
  int size = 0, error_class = 0;
  MPI_Error_class(MPI_Comm_size(MPI_Comm_fromint(number), &size), &error_class);
  CHECK_EQ(error_class, MPI_ERR_COMM);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  CHECK(MPI_Comm_toint(made) != number);
  CHECK(MPI_Comm_fromint(number) != made);
  CHECK(MPI_Comm_fromint(-1) != MPI_COMM_NULL);
  MPI_Comm_free(&made);
}

void ignore(MPI_Comm*, int*, ...) {}
void sum(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void all_kinds() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Op_create(sum, 1, &op);
  MPI_Comm_create_errhandler(ignore, &handler);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  std::set<int> numbers = {
      check_made(group, MPI_Group_toint, MPI_Group_fromint), check_made(type, MPI_Type_toint, MPI_Type_fromint),
      check_made(op, MPI_Op_toint, MPI_Op_fromint), check_made(handler, MPI_Errhandler_toint, MPI_Errhandler_fromint),
      check_made(session, MPI_Session_toint, MPI_Session_fromint)};
  CHECK_EQ(numbers.size(), 5U);
  CHECK(abi_value(MPI_Comm_fromint(MPI_Group_toint(group))) < 0x1000);  // of another kind: an invalid handle

  const int of_group = MPI_Group_toint(group), of_type = MPI_Type_toint(type), of_op = MPI_Op_toint(op);
  const int of_handler = MPI_Errhandler_toint(handler), of_session = MPI_Session_toint(session);
  MPI_Group_free(&group);
  MPI_Type_free(&type);
  MPI_Op_free(&op);
  MPI_Errhandler_free(&handler);
  MPI_Session_finalize(&session);
  for (const int value :
       {abi_value(MPI_Group_fromint(of_group)), abi_value(MPI_Type_fromint(of_type)), abi_value(MPI_Op_fromint(of_op)),
        abi_value(MPI_Errhandler_fromint(of_handler)), abi_value(MPI_Session_fromint(of_session))}) {
    CHECK(value > 0 && value < 0x1000);
  }
}

// As a Fortran program keeps them: only integers between the calls. The library uses a request's memory again.
void requests_by_number() {
  std::set<int> seen;
  for (int round = 0; round < 300; ++round) {
    int value = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, check::left(), 5, MPI_COMM_WORLD, &request);
    const int receive = check_made(request, MPI_Request_toint, MPI_Request_fromint);
    MPI_Issend(&round, 1, MPI_INT, check::right(), 5, MPI_COMM_WORLD, &request);
    const int send = MPI_Request_toint(request);
    CHECK(send != receive);
    CHECK(round >= 100 || seen.insert(receive).second);
    for (const int number : {receive, send}) {
      request = MPI_Request_fromint(number);
      CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      CHECK_EQ(MPI_Request_toint(request), abi_value(MPI_REQUEST_NULL));
    }
    CHECK_EQ(value, round);
  }
}

void messages_by_number() {
  int value = -1;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Isend(&check::rank, 1, MPI_INT, check::right(), 6, MPI_COMM_WORLD, &send);
  MPI_Mprobe(check::left(), 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  const int number = check_made(message, MPI_Message_toint, MPI_Message_fromint);
  message = MPI_Message_fromint(number);
  MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK_EQ(value, check::left());
  CHECK(abi_value(MPI_Message_fromint(number)) < 0x1000);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

void as_other_headers_have_it() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  const MPI_Fint number = MPI_Comm_c2f(made);
  CHECK_EQ(number, MPI_Comm_toint(made));
  CHECK(MPI_Comm_f2c(number) == made);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
  CHECK(PMPI_Op_f2c(PMPI_Op_c2f(MPI_MAX)) == MPI_MAX);
  MPI_Comm_free(&made);

  int value = check::rank;
  MPI_Status status, back;
  MPI_Sendrecv(&value, 1, MPI_INT, check::right(), 7, &value, 1, MPI_INT, check::left(), 7, MPI_COMM_WORLD, &status);
  status.MPI_ERROR = 0;
  MPI_Fint fortran[MPI_F_STATUS_SIZE];
  CHECK_EQ(MPI_Status_c2f(&status, fortran), MPI_SUCCESS);
  CHECK_EQ(fortran[MPI_F_SOURCE], check::left());
  CHECK_EQ(fortran[MPI_F_TAG], 7);
  CHECK_EQ(MPI_Status_f2c(fortran, &back), MPI_SUCCESS);
  int count = -1;
  MPI_Get_count(&back, MPI_INT, &count);
  CHECK_EQ(count, 1);
  CHECK_EQ(back.MPI_SOURCE, check::left());
  CHECK(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &back) != MPI_SUCCESS);
  MPI_F08_status f08;
  CHECK_EQ(MPI_Status_c2f08(&status, &f08), MPI_SUCCESS);
  CHECK_EQ(f08.MPI_TAG, 7);
}

}  // namespace

int main(int argc, char** argv) {
  predefined();
  info_objects_need_no_mpi();
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  predefined();
  stale_numbers_are_refused();
  all_kinds();
  requests_by_number();
  messages_by_number();
  as_other_headers_have_it();
  // What is seen after MPI_Finalize belongs to the result.
  const int result = program.finish();
  const long failed_before = check::failed;
  predefined();
  info_objects_need_no_mpi();
  return check::failed == failed_before ? result : EXIT_FAILURE;
}
