/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault tolerance without a failure, with the numbers of each ABI. The functions are looked up, because Open MPI 4.1
   and MPICH 4.0 do not have all of them. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

#if defined(OPEN_MPI) /* the numbers of Open MPI 5 */
enum { MPIX_ERR_PROC_FAILED = 75, MPIX_ERR_PROC_FAILED_PENDING, MPIX_ERR_REVOKED, MPIX_FT = 12 };
static const int has_attribute = 1;
#elif defined(MPICH_VERSION)
enum { MPIX_FT = 0 };
static const int has_attribute = 0;
#else
#include <mpi-ext.h>
static const int has_attribute = 1;
#endif

typedef int Local(MPI_Comm);
typedef int OnFlag(MPI_Comm, int*);
typedef int OnGroup(MPI_Comm, MPI_Group*);
typedef int OnComm(MPI_Comm, MPI_Comm*);
typedef int OnNumbers(MPI_Comm, int, int*);
typedef int OnFlagLater(MPI_Comm, int*, MPI_Request*);
typedef int OnCommLater(MPI_Comm, MPI_Comm*, MPI_Request*);

typedef void Any(void);

static Any* function(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  Any* function = NULL;
  CHECK(found != NULL);
  memcpy(&function, &found, sizeof function);
  return function;
}

static int handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  handled = *code;
}

static void check_class(MPI_Comm comm, int class, const char* name) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, code = 0;
  OK(MPI_Error_string(class, text, &length));
  CHECK(strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':');
  CHECK_EQ(class_of(class), class);
  MPI_Comm_call_errhandler(comm, class);
  CHECK_EQ(handled, class);
  OK(MPI_Add_error_code(class, &code));
  CHECK_EQ(class_of(code), class);
}

static void check_classes(MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  check_class(comm, MPIX_ERR_PROC_FAILED, "MPIX_ERR_PROC_FAILED");
  check_class(comm, MPIX_ERR_PROC_FAILED_PENDING, "MPIX_ERR_PROC_FAILED_PENDING");
  check_class(comm, MPIX_ERR_REVOKED, "MPIX_ERR_REVOKED");
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static void check_attribute(void) {
  int* value = NULL;
  int found = 0;
  if (!has_attribute) return;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &found));
  CHECK(found && *value == 0);  // mpiexec ends the job with the first lost rank
}

static void check_no_failures(MPI_Comm comm, const char* name) {
  OnGroup* const get = (OnGroup*)function(name);
  MPI_Group group = MPI_GROUP_NULL;
  int size = -1;
  OK(get(comm, &group));
  OK(MPI_Group_size(group, &size));
  CHECK_EQ(size, 0);
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
}

static void check_failures(MPI_Comm comm) {
  Local* const ack = (Local*)function("MPIX_Comm_failure_ack");
  OnNumbers* const acknowledge = (OnNumbers*)function("MPIX_Comm_ack_failed");
  int number = -1;
  check_no_failures(comm, "MPIX_Comm_get_failed");
  check_no_failures(comm, "MPIX_Comm_failure_get_acked");
  check_no_failures(comm, "MPIX_Comm_agree_failed");
  OK(ack(comm));
  OK(acknowledge(comm, check_size, &number));
  CHECK_EQ(number, 0);
}

static void check_agreement(MPI_Comm comm) {
  OnFlag* const agree = (OnFlag*)function("MPIX_Comm_agree");
  OnFlagLater* const iagree = (OnFlagLater*)function("PMPIX_Comm_iagree");
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = check_rank == 0 ? 6 : 7;
  OK(agree(comm, &flag));
  CHECK_EQ(flag, 6);
  flag = check_rank == 0 ? 5 : 7;
  OK(iagree(comm, &flag, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_EQ(flag, 5);
}

static void check_alike(MPI_Comm comm, MPI_Comm* made) {
  int comparison = -1;
  OK(MPI_Comm_compare(comm, *made, &comparison));
  CHECK_EQ(comparison, MPI_CONGRUENT);
  MPI_Comm_free(made);
}

static void check_shrinking(MPI_Comm comm) {
  OnComm* const shrink = (OnComm*)function("MPIX_Comm_shrink");
  OnCommLater* const ishrink = (OnCommLater*)function("MPIX_Comm_ishrink");
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  OK(shrink(comm, &made));
  check_alike(comm, &made);
  OK(ishrink(comm, &made, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  check_alike(comm, &made);
}

static void check_revocation(MPI_Comm comm) {
  Local* const revoke = (Local*)function("PMPIX_Comm_revoke");
  OnFlag* const is_revoked = (OnFlag*)function("MPIX_Comm_is_revoked");
  int flag = -1;
  OK(is_revoked(comm, &flag));
  CHECK_EQ(flag, 0);
  MPI_Barrier(comm);
  OK(revoke(comm));
  OK(is_revoked(comm, &flag));
  CHECK_EQ(flag, 1);
  CHECK_EQ(class_of(MPI_Barrier(comm)), MPIX_ERR_REVOKED);
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  check_classes(comm);
  check_attribute();
  check_failures(comm);
  check_agreement(comm);
  check_shrinking(comm);
  check_revocation(comm);
  MPI_Comm_free(&comm);
  return finish();
}
