/* SPDX-License-Identifier: BSD-3-Clause */
/* To be loaded before ScaLAPACK. PSGERFS, PDGERFS, PSPORFS and PDPORFS pass PSLACON and PDLACON a variable EST that
 * nothing has set, and these compare it with their first estimate. What happens to be on the stack then decides on each
 * rank by itself whether the iteration goes on: the ranks may disagree, and wait for each other for ever. Here the
 * variable is 0 when an estimation begins. */
#define _GNU_SOURCE
#include <dlfcn.h>

typedef void Estimator(int*, void*, int*, int*, int*, void*, int*, int*, int*, int*, void*, int*);

void pslacon_(int* n, void* v, int* iv, int* jv, int* descv, void* x, int* ix, int* jx, int* descx, int* isgn,
              float* est, int* kase) {
  Estimator* const estimate = (Estimator*)dlsym(RTLD_NEXT, "pslacon_");
  if (*kase == 0) *est = 0;
  estimate(n, v, iv, jv, descv, x, ix, jx, descx, isgn, est, kase);
}

void pdlacon_(int* n, void* v, int* iv, int* jv, int* descv, void* x, int* ix, int* jx, int* descx, int* isgn,
              double* est, int* kase) {
  Estimator* const estimate = (Estimator*)dlsym(RTLD_NEXT, "pdlacon_");
  if (*kase == 0) *est = 0;
  estimate(n, v, iv, jv, descv, x, ix, jx, descx, isgn, est, kase);
}
