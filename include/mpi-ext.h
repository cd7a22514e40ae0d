/* SPDX-License-Identifier: BSD-3-Clause */
/* What Bowline adds to MPI-5.0. All names begin with MPIX_. */
#ifndef MPI_EXT_H_BOWLINE
#define MPI_EXT_H_BOWLINE

#include <mpi.h>

/* Error class: a blocking call has waited for longer than the info key bowline_timeout of a communicator allows. The
   operations of that communicator fail in this process from then on, those of other communicators go on. */
#define MPIX_ERR_TIMEOUT 16128

#ifdef __cplusplus
extern "C" {
#endif

/* Gives this process a line as the environment variable BOWLINE_RENDEZVOUS holds it, HOST:PORT/SECRET,SIZE[,RANK], in
   place of the variable: MPI_Init then waits for the other processes with the same line, and makes all of them one
   MPI_COMM_WORLD. To be called before MPI_Init and before the first session, by one thread. MPI_ERR_ARG: the line is
   malformed. MPI_ERR_OTHER: MPI has been initialized. Has no effect in a process that a launcher has started. */
int MPIX_Rendezvous(const char* line);

#ifdef __cplusplus
}
#endif

#endif
