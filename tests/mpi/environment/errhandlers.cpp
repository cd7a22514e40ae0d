// SPDX-License-Identifier: BSD-3-Clause
// Error handlers that the program makes, for communicators and sessions, and error classes, codes and strings of its
// own.
#include <string>

#include "check.hpp"

namespace {

int calls = 0, last_code = -1;
MPI_Comm last_comm = MPI_COMM_NULL;
MPI_Session last_session = MPI_SESSION_NULL;

void note(MPI_Comm* comm, int* code, ...) {
  ++calls;
  last_comm = *comm;
  last_code = *code;
}

void note_session(MPI_Session* session, int* code, ...) {
  ++calls;
  last_session = *session;
  last_code = *code;
}

void of_communicators() {
  MPI_Errhandler handler, got;
  MPI_Comm comm, child;
  CHECK_EQ(MPI_Comm_create_errhandler(note, &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(comm, handler), MPI_SUCCESS);
  const MPI_Errhandler made = handler;
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  CHECK(handler == MPI_ERRHANDLER_NULL);

  // It lives on where it is attached, and can be had back from there.
  CHECK_EQ(MPI_Send(nullptr, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
  CHECK(calls == 1 && last_comm == comm && last_code == MPI_ERR_COUNT);
  CHECK_EQ(MPI_Comm_get_errhandler(comm, &got), MPI_SUCCESS);
  CHECK(got == made);
  CHECK_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, made), MPI_ERR_ERRHANDLER);

  CHECK_EQ(MPI_Comm_dup(comm, &child), MPI_SUCCESS);  // inherits it
  CHECK_EQ(MPI_Comm_call_errhandler(child, MPI_ERR_OTHER), MPI_SUCCESS);
  CHECK(calls == 2 && last_comm == child && last_code == MPI_ERR_OTHER);
  CHECK_EQ(MPI_Comm_free(&child), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER), MPI_SUCCESS);  // MPI_ERRORS_RETURN
}

void of_predefined_communicators() {
  MPI_Errhandler handler, got;
  calls = 0;
  CHECK_EQ(MPI_Comm_create_errhandler(note, &handler), MPI_SUCCESS);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    CHECK_EQ(MPI_Comm_get_errhandler(comm, &got), MPI_SUCCESS);
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, handler), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Send(nullptr, 0, MPI_INT, 0, -9, MPI_COMM_WORLD), MPI_ERR_TAG);
  CHECK(calls == 1 && last_comm == MPI_COMM_WORLD);
  int size;
  CHECK_EQ(MPI_Group_size(MPI_GROUP_NULL, &size), MPI_ERR_GROUP);  // belongs to no communicator
  CHECK(calls == 2 && last_comm == MPI_COMM_SELF);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
}

void of_sessions() {
  MPI_Errhandler handler, other;
  calls = 0;
  CHECK_EQ(MPI_Session_create_errhandler(note_session, &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler), MPI_ERR_ERRHANDLER);
  MPI_Session session;
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, handler, &session), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_call_errhandler(session, MPI_ERR_IO), MPI_SUCCESS);
  CHECK(calls == 1 && last_code == MPI_ERR_IO && last_session == session);
  CHECK_EQ(MPI_Comm_create_errhandler(note, &other), MPI_SUCCESS);
  const int before = calls;
  CHECK_EQ(MPI_Session_set_errhandler(session, other), MPI_ERR_ERRHANDLER);
  CHECK(calls >= before);
  CHECK_EQ(MPI_Errhandler_free(&other), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

void codes() {
  int error_class = -1, code = -1, found = -1, length = -1;
  char text[MPI_MAX_ERROR_STRING];
  CHECK_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
  CHECK_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
  CHECK_EQ(MPI_Add_error_string(code, "the kettle is empty"), MPI_SUCCESS);
  CHECK_EQ(MPI_Error_class(code, &found), MPI_SUCCESS);
  CHECK_EQ(found, error_class);
  CHECK_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
  CHECK_EQ(std::string(text), "the kettle is empty");
  CHECK_EQ(length, 19);
  CHECK_EQ(MPI_Error_string(error_class, text, &length), MPI_SUCCESS);
  CHECK_EQ(length, 0);
  CHECK_EQ(MPI_Add_error_string(MPI_ERR_TAG, "mine"), MPI_ERR_ARG);
  CHECK_EQ(MPI_Remove_error_class(error_class), MPI_ERR_ARG);
  CHECK_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
  CHECK_EQ(MPI_Error_class(code, &found), MPI_ERR_ARG);
}

}  // namespace

int main(int argc, char** argv) {
  int early = -1;
  CHECK_EQ(MPI_Add_error_class(&early), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_class(early), MPI_SUCCESS);
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  of_communicators();
  of_predefined_communicators();
  of_sessions();
  codes();
  return program.finish();
}
