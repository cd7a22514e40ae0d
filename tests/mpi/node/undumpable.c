/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before a program: other processes of the same user may then neither look into its /proc directory nor read its
   memory, as it is with programs that have changed their user. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

__attribute__((constructor)) static void make_undumpable(void) {
  if (prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_GET_DUMPABLE) == 0) return;
  perror("PR_SET_DUMPABLE");
  _Exit(99);
}
