/* SPDX-License-Identifier: BSD-3-Clause */
/* What bindings for other languages generate: each kind of handle there and back, and the functions as values. */
#include <mpi.h>
#include <stdio.h>

#define THERE_AND_BACK(Kind, Handle, value)                       \
  do {                                                            \
    MPI_Fint number = MPI_##Kind##_c2f(value);                    \
    Handle back = MPI_##Kind##_f2c(number);                       \
    if (back != (value)) printf("%s is another handle\n", #Kind); \
  } while (0)

typedef MPI_Comm (*comm_f2c)(MPI_Fint);
typedef int (*status_c2f)(const MPI_Status*, MPI_Fint*);

int main(int argc, char** argv) {
  comm_f2c convert = MPI_Comm_f2c;
  status_c2f statuses[2];
  MPI_Fint f_status[MPI_F_STATUS_SIZE];
  MPI_Status status;
  MPI_F08_status f08;
  int i;
  statuses[0] = MPI_Status_c2f;
  statuses[1] = PMPI_Status_c2f;
  THERE_AND_BACK(Type, MPI_Datatype, MPI_DOUBLE);
  THERE_AND_BACK(Op, MPI_Op, MPI_SUM);
  MPI_Init(&argc, &argv);
  if (convert(MPI_Comm_c2f(MPI_COMM_WORLD)) != MPI_COMM_WORLD) printf("MPI_COMM_WORLD is another handle\n");
  THERE_AND_BACK(Comm, MPI_Comm, MPI_COMM_SELF);
  THERE_AND_BACK(Group, MPI_Group, MPI_GROUP_EMPTY);
  THERE_AND_BACK(Info, MPI_Info, MPI_INFO_NULL);
  THERE_AND_BACK(Request, MPI_Request, MPI_REQUEST_NULL);
  THERE_AND_BACK(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN);
  THERE_AND_BACK(Message, MPI_Message, MPI_MESSAGE_NO_PROC);
  THERE_AND_BACK(Session, MPI_Session, MPI_SESSION_NULL);
  THERE_AND_BACK(Win, MPI_Win, MPI_WIN_NULL);
  THERE_AND_BACK(File, MPI_File, MPI_FILE_NULL);
  MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 3, NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_SELF, &status);
  status.MPI_ERROR = MPI_SUCCESS;
  for (i = 0; i < 2; ++i) {
    statuses[i](&status, f_status);
    if (f_status[MPI_F_SOURCE] != 0 || f_status[MPI_F_TAG] != 3 || f_status[MPI_F_ERROR] != MPI_SUCCESS)
      printf("a status has changed\n");
  }
  MPI_Status_f2f08(f_status, &f08);
  MPI_Status_f082c(&f08, &status);
  if (status.MPI_TAG != 3) printf("a status has changed\n");
  MPI_Finalize();
  return 0;
}
