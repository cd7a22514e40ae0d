/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of PMIx's library (BOWLINE_PMIX), with which it is linked: counts the calls that a process makes to its
 * PMIx server up to PMIx_Finalize, and prints them there. */
#include <dlfcn.h>
#include <pmix.h>
#include <stdio.h>
#include <unistd.h>

static int gets, asks, puts_, fences;
static __thread int getting; /* PMIx_Get may call PMIx_Get_nb */

static void* of_pmix(const char* function) {
  return dlsym(dlopen("libpmix.so.2", RTLD_NOW | RTLD_NOLOAD), function);
}

pmix_status_t PMIx_Get(const pmix_proc_t* proc, const char key[], const pmix_info_t info[], size_t ninfo,
                       pmix_value_t** val) {
  pmix_status_t (*real)(const pmix_proc_t*, const char[], const pmix_info_t[], size_t, pmix_value_t**);
  *(void**)&real = of_pmix("PMIx_Get");
  ++gets;
  getting = 1;
  const pmix_status_t status = real(proc, key, info, ninfo, val);
  getting = 0;
  return status;
}

/* In the background. */
pmix_status_t PMIx_Get_nb(const pmix_proc_t* proc, const char key[], const pmix_info_t info[], size_t ninfo,
                          pmix_value_cbfunc_t done, void* context) {
  pmix_status_t (*real)(const pmix_proc_t*, const char[], const pmix_info_t[], size_t, pmix_value_cbfunc_t, void*);
  *(void**)&real = of_pmix("PMIx_Get_nb");
  if (!getting) ++asks;
  return real(proc, key, info, ninfo, done, context);
}

pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t* val) {
  pmix_status_t (*real)(pmix_scope_t, const char[], pmix_value_t*);
  *(void**)&real = of_pmix("PMIx_Put");
  ++puts_;
  return real(scope, key, val);
}

/* PMIx_Fence calls this one, too. */
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[], size_t ninfo,
                            pmix_op_cbfunc_t done, void* context) {
  pmix_status_t (*real)(const pmix_proc_t[], size_t, const pmix_info_t[], size_t, pmix_op_cbfunc_t, void*);
  *(void**)&real = of_pmix("PMIx_Fence_nb");
  ++fences;
  return real(procs, nprocs, info, ninfo, done, context);
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo) {
  pmix_status_t (*real)(const pmix_info_t[], size_t);
  *(void**)&real = of_pmix("PMIx_Finalize");
  char line[80];
  const int length =
      snprintf(line, sizeof line, "pmix: %d gets, %d puts, %d fences, %d asks\n", gets, puts_, fences, asks);
  (void)!write(1, line, (size_t)length);
  return real(info, ninfo);
}
