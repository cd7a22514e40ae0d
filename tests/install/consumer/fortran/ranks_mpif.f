C SPDX-License-Identifier: BSD-3-Clause
C     In fixed form.
      PROGRAM RANKS
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER RANK, NUMBER, TOTAL, IERR
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NUMBER, IERR)
      CALL MPI_ALLREDUCE(RANK + 1, TOTAL, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) WRITE (*, '(A, I0, A, I0)') 'sum of ', NUMBER,
     &                 ' ranks: ', TOTAL
      CALL MPI_FINALIZE(IERR)
      END
