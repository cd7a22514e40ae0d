/* SPDX-License-Identifier: BSD-3-Clause */
/* What Bowline adds to MPI-5.0. All names begin with MPIX_. */
#ifndef MPI_EXT_H_BOWLINE
#define MPI_EXT_H_BOWLINE

#include <mpi.h>

/* Error class: a blocking call has waited for longer than the info key bowline_timeout of a communicator allows. The
   operations of that communicator fail in this process from then on, those of other communicators go on. */
#define MPIX_ERR_TIMEOUT 16128

#endif
