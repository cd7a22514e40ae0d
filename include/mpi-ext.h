/* SPDX-License-Identifier: BSD-3-Clause */
/* What Bowline adds to MPI-5.0. Written by bindings/bindgen.py from bindings/extensions.json: do not edit. Names begin
   with MPIX_; those with MPI_ are of what the MPI Forum has accepted for a later version of the standard. */
/* clang-format off */
#ifndef MPI_EXT_H_BOWLINE
#define MPI_EXT_H_BOWLINE

#include <mpi.h>

/* Error class: a blocking call has waited for longer than the info key bowline_timeout of a communicator allows. The
   operations of that communicator fail in this process from then on, those of other communicators go on. */
#define MPIX_ERR_TIMEOUT 16128

/* Error class: a process that the operation needs has failed. It is raised where the operation cannot complete; other
   members may complete it, and operations that do not involve the process go on. */
#define MPIX_ERR_PROC_FAILED 16129

/* Error class: a process that could have sent the message to a receive from MPI_ANY_SOURCE has failed, and this process
   has not acknowledged that (MPIX_Comm_ack_failed). A request stays pending, and can be waited for again. */
#define MPIX_ERR_PROC_FAILED_PENDING 16130

/* Error class: the communicator has been revoked (MPIX_Comm_revoke). */
#define MPIX_ERR_REVOKED 16131

/* Attribute key of every communicator. The value, an int, is 1 if the launcher lets the job go on when a process fails,
   else 0. */
#define MPIX_FT 1000

#define MPI_ERR_PROC_FAILED MPIX_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED_PENDING MPIX_ERR_PROC_FAILED_PENDING
#define MPI_ERR_REVOKED MPIX_ERR_REVOKED

/* By these, programs that were written for Open MPI find out whether there is fault tolerance. */
#define OMPI_HAVE_MPI_EXT_FTMPI 1
#define OMPI_HAVE_MPIX_COMM_GET_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ACK_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ISHRINK 1

#ifdef __cplusplus
extern "C" {
#endif

/* Gives this process a line as the environment variable BOWLINE_RENDEZVOUS holds it, HOST:PORT/SECRET,SIZE[,RANK], in
   place of the variable: MPI_Init then waits for the other processes with the same line, and makes all of them one
   MPI_COMM_WORLD. To be called before MPI_Init and before the first session, by one thread. MPI_ERR_ARG: the line is
   malformed. MPI_ERR_OTHER: MPI has been initialized. Has no effect in a process that a launcher has started. */
int MPIX_Rendezvous(const char *line);

/* Interrupts the communicator at all of its members, for ever: every pending and every later operation on it that is
   not local fails with MPIX_ERR_REVOKED, except those of the functions below. One member calls it, and all others learn
   of it even if the caller fails meanwhile. Communicators that were made from this one are not revoked. */
int MPIX_Comm_revoke(MPI_Comm comm);
int MPI_Comm_revoke(MPI_Comm comm);

/* Whether this process knows that the communicator has been revoked. Local. */
int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag);
int MPI_Comm_is_revoked(MPI_Comm comm, int *flag);

/* The members whose failure this process knows; of an intercommunicator, of both groups. A later result begins with the
   members of an earlier one, in the same order. Local. The caller frees the group. */
int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp);
int MPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp);

/* Acknowledges the failure of the first num_to_ack members of the group that MPIX_Comm_get_failed gives; num_acked is
   the number of members that have been acknowledged by now. 0 only asks, and the size of the communicator acknowledges
   all. Receives from MPI_ANY_SOURCE then go on in spite of these failures, and MPIX_Comm_agree does not report them for
   this process. Local. MPI_ERR_ARG: num_to_ack is negative. */
int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);
int MPI_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);

/* Acknowledges all failures that this process knows, as MPIX_Comm_ack_failed does. Local. */
int MPIX_Comm_failure_ack(MPI_Comm comm);

/* The members whose failure this process has acknowledged. Local. The caller frees the group. */
int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp);

/* flag becomes the bitwise AND of the flags of all members that take part; of an intercommunicator, of the remote
   group's. All living members call it, on a revoked communicator too. It ends in spite of failures, and with the same
   result at all of them. MPIX_ERR_PROC_FAILED: a failed member did not take part, and not all others have acknowledged
   that; flag is valid, and MPIX_Comm_get_failed gives the member, too. */
int MPIX_Comm_agree(MPI_Comm comm, int *flag);

/* MPIX_Comm_agree, without waiting. The flag belongs to MPI until the request has been completed, and errors are those
   of the request. */
int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);

/* The members whose failure some member knew when it called the function, in an order that is the same at all members.
   All living members call it, on a revoked communicator too. The caller frees the group. */
int MPIX_Comm_agree_failed(MPI_Comm comm, MPI_Group *failedgrp);

/* Makes a communicator of the living members in the order of their ranks. It lacks every member whose failure some
   member knew when it called the function. All living members call it, on a revoked communicator too. Failures and
   revocation do not make it fail; a member that fails meanwhile may be part of the new communicator. */
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);

/* MPIX_Comm_shrink, without waiting. The new communicator may be used when the request has been completed. */
int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

/* The same functions under their profiling names */

int PMPIX_Rendezvous(const char *line);
int PMPIX_Comm_revoke(MPI_Comm comm);
int PMPI_Comm_revoke(MPI_Comm comm);
int PMPIX_Comm_is_revoked(MPI_Comm comm, int *flag);
int PMPI_Comm_is_revoked(MPI_Comm comm, int *flag);
int PMPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp);
int PMPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp);
int PMPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);
int PMPI_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);
int PMPIX_Comm_failure_ack(MPI_Comm comm);
int PMPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp);
int PMPIX_Comm_agree(MPI_Comm comm, int *flag);
int PMPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int PMPIX_Comm_agree_failed(MPI_Comm comm, MPI_Group *failedgrp);
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int PMPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
